"""The loop of the engine."""

from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from impl.layout import Lifetime
from impl.requests.reach import first_needed, places
from replay.cost.step import Chunk, StepCost
from replay.engine.admission import Admission
from replay.engine.batch import Batch
from replay.engine.calendar import FINISH, GROW, SATURATE, SLIDE, Calendar, Due
from replay.engine.policy import Policy
from replay.engine.prefixes import Match, prefixes_for
from replay.engine.request import Served
from replay.engine.tally import BrokenLaw, Tally
from replay.engine.timeline import Sample, Timeline
from replay.engine.uses import uses_of
from replay.memory.protocol import Demand, Memory
from replay.traffic.traffic import Traffic

LOOK_AGAIN = 16
"""Steps after which a request that waits is considered anew even if nothing was given back."""
REPORT = 256
"""Turns of the loop between two reports of progress."""


class Engine:
    """Serves traffic from a memory.

    Time is a device's: a step begins when the one before it ends.  With overlap, step n is prepared while step n - 1
    runs, so that what is known then are the results of step n - 2 and earlier: a request that has ended takes part in
    one more step in vain, as in real engines.  Steps between which nothing happens are taken at once; pages are asked
    for in exactly the steps in which a token needs them.

    Args:
        traffic: requests.
        memory: that it serves from, all of it free.
        cost: times of steps.
        policy: of scheduling.
        report: told now and then how many requests are done; the run ends early when it answers False.
    """

    def __init__(
        self,
        traffic: Traffic,
        memory: Memory,
        cost: StepCost,
        policy: Policy,
        report: Callable[[int], bool] = lambda done: True,
    ) -> None:
        self._traffic, self._memory, self._cost, self._policy, self._report = traffic, memory, cost, policy, report
        self._kinds = memory.kinds
        self._bands = range(len(self._kinds))
        self._is_state = [kind.lifetime is Lifetime.STATE for kind in self._kinds]
        self._one_each = [0 if state else 1 for state in self._is_state]
        self._windowed = [band for band, kind in enumerate(self._kinds) if kind.window is not None]
        self._page = self._kinds[-1].page_tokens
        self._lag = int(policy.overlap)
        self._prefixes = prefixes_for(traffic, memory, policy)
        self._admission = Admission(memory, policy, self._prefixes)
        self.tally = Tally()
        self.timeline = Timeline(len(self._kinds))
        self.interrupted = False
        self._calendar, self._batch = Calendar(), Batch(self._kinds)
        self._next = 0
        self._closed: deque[float] = deque()
        self._waiting: deque[Served] = deque()
        # in order of admission
        self._running: dict[Served, None] = {}
        self._filling: dict[Served, None] = {}
        self._to_cache: list[Served] = []
        # of each kind the pages that requests were given since the last launch, which the forward in flight has not
        self._fresh: dict[Served, list[int]] = {}
        self._step = 0
        self.now = self._known = 0.0
        self._changed = False
        self._freed = True
        self._looked = 0
        self._moved = 0
        self._longest = self._admission.longest(traffic.longest)

    # ------------------------------------------------------------------------------------------------------- the loop

    def run(self) -> Tally:
        """Serve all of it; raises BrokenLaw if the counts contradict each other at the end."""
        if self._traffic.concurrency is not None:
            self._closed.extend([0.0] * min(self._traffic.concurrency, len(self._traffic)))
        self._sample()
        turns = 0
        while True:
            turns += 1
            if turns % REPORT == 0 and not self._report(self.tally.completed + self.tally.rejected):
                self.interrupted = True
                break
            self._arrive()
            self._memory.landed(self._step - 1 - self._lag)
            self._keep_prefixes()
            self._take_due()
            chunks = self._fill()
            if self._batch.requests or chunks:
                self._launch(chunks)
            elif not self._wait():
                break
        self._end()
        return self.tally

    def _wait(self) -> bool:
        """Nothing can run now: go on to the next arrival; False if there is none."""
        self._memory.landed(self._step)
        if self._waiting or self._running:
            raise BrokenLaw("the engine stands still with requests in the system")
        coming = self._coming()
        if coming is None:
            return False
        self.now = self._known = max(self.now, coming)
        return True

    def _end(self) -> None:
        self._memory.landed(self._step)
        self._sample()
        self.tally.check([*self._running, *self._waiting], self.now, self._step)
        if self.interrupted:
            return
        if self._prefixes is not None:
            self._prefixes.clear()
        if any(self._memory.live()):
            raise BrokenLaw(f"pages are left that nobody uses: {self._memory.live()}")

    # ------------------------------------------------------------------------------------------------------- arrivals

    def _coming(self) -> float | None:
        """When the next request arrives; None if that depends on answers, or there are no more."""
        if self._next >= len(self._traffic):
            return None
        if self._traffic.concurrency is not None:
            return self._closed[0] if self._closed else None
        return float(self._traffic.arrivals[self._next])

    def _arrive(self) -> None:
        while (coming := self._coming()) is not None and coming <= self._known:
            if self._closed:
                self._closed.popleft()
            index = self._next
            self._next += 1
            prompt, output = int(self._traffic.prompts[index]), int(self._traffic.outputs[index])
            if prompt + output > self._longest:
                self.tally.rejected += 1
                self._answered(coming)
                continue
            request = Served(index, coming, prompt, output, len(self._kinds))
            if self._prefixes is not None and self._traffic.prefixes is not None:
                blocks = len(self._traffic.prefixes[index])
                request.boundary = min(blocks * self._prefixes.block_tokens, prompt - 1)
                request.boundary -= request.boundary % self._prefixes.block_tokens
            self._waiting.append(request)
            self._freed = True
            self.tally.area += self.now - coming

    def _answered(self, at: float) -> None:
        if self._traffic.concurrency is not None:
            self._closed.append(at)

    # -------------------------------------------------------------------------------------------------- what was due

    def _take_due(self) -> None:
        due = self._calendar.next
        if due is None or due > self._step:
            return
        growing: list[Served] = []
        gone: list[list[int]] = [[] for _ in self._bands]
        for what, request, life, band in self._calendar.take(self._step):
            if life != request.life:
                continue
            if what == GROW:
                growing.append(request)
                self._calendar.put(self._step + self._page, Due(GROW, request, life))
            elif what == SLIDE:
                self._slide(request, band, gone[band])
            elif what == SATURATE:
                self._batch.saturate(band, request.context, request.start)
            else:
                self._finish(request, gone)
        self._give_back(gone)
        if growing:
            self._grow(growing)

    def _slide(self, request: Served, band: int, gone: list[int]) -> None:
        kind = self._kinds[band]
        settled = request.context + self._step - request.start - self._lag
        if self._lag and self._step == request.start:
            settled = request.context - request.chunk
        beyond = first_needed(kind, settled) - request.first[band]
        if beyond > 0:
            gone += request.pages[band][:beyond]
            del request.pages[band][:beyond]
            request.first[band] += beyond
        self._plan_slide(request, band)

    def _plan_slide(self, request: Served, band: int) -> None:
        """Puts into the calendar when the first of its pages will have slid out."""
        kind = self._kinds[band]
        assert kind.window is not None, "only windows slide"
        settled = kind.window - 1 + (request.first[band] + 1) * kind.page_tokens
        step = max(settled - request.context + request.start + self._lag, self._step + 1)
        self._calendar.put(step, Due(SLIDE, request, request.life, band))

    def _finish(self, request: Served, gone: list[list[int]]) -> None:
        tally = self.tally
        if request.generated(self._step, self._lag) != request.left:
            raise BrokenLaw(f"request {request.index} ended with other tokens than it was to generate")
        tally.completed += 1
        tally.finished_context += request.context
        tally.output += request.context - request.prompt + request.left
        tally.sojourns += self._known - request.arrival
        tally.area -= self.now - self._known
        tally.first_tokens.append(request.first_token - request.arrival)
        tally.answers.append(self._known - request.arrival)
        self._leave(request, gone)
        request.life += 1
        request.start = -1
        self._answered(self._known)

    def _leave(self, request: Served, gone: list[list[int]]) -> None:
        """A request leaves the batch, and its pages are to be given back."""
        del self._running[request]
        self._filling.pop(request, None)
        if request.start >= 0:
            self._batch.remove(request.context, request.start, self._step)
            self.tally.slots_of_requests += max(0, self._step - request.start)
        if self._prefixes is not None:
            self._prefixes.leave(request)
        for band, ids in enumerate(request.pages):
            gone[band] += ids
            request.pages[band] = []

    def _give_back(self, gone: Sequence[list[int]]) -> None:
        for band, ids in enumerate(gone):
            if ids:
                self._memory.release(band, ids, in_flight=True)
                self._freed = self._changed = True

    # -------------------------------------------------------------------------------------------------------- growing

    def _grow(self, growing: list[Served]) -> None:
        """A page of each token kind for each of these; retracts the last admitted until the others have theirs."""
        while growing:
            count = len(growing)
            given = self._ask(tuple(each * count for each in self._one_each))
            if given is not None:
                for band in self._bands:
                    if not self._is_state[band]:
                        for request, vid in zip(growing, given[band], strict=True):
                            request.pages[band].append(vid)
                self._fresh.update(dict.fromkeys(growing, self._one_each))
                return
            victim = next(reversed(self._running))
            if len(self._running) == 1:
                if self._gives_up_its_prefix(victim):
                    continue
                self._reject(victim)
                return
            self._retract(victim)
            growing = [request for request in growing if request is not victim]

    def _ask(self, demand: Demand, originals: Sequence[list[int]] | None = None) -> list[list[int]] | None:
        """Pages, for which prefixes that nobody uses give way; None if that is not enough."""
        self._changed = True
        while True:
            given = self._memory.allocate(demand, originals)
            if isinstance(given, list):
                return given
            if self._prefixes is None or not self._prefixes.evict(given.evict or [1] * len(demand)):
                return None
            self._freed = True

    def _retract(self, request: Served) -> None:
        generated = request.generated(self._step, self._lag)
        self._admission.reserve.raised(self._running, self._step, self._lag)
        self.tally.retractions += 1
        self._drop(request)
        request.back(generated)
        self._waiting.appendleft(request)

    def _reject(self, request: Served) -> None:
        """A request that runs alone and cannot go on."""
        self._drop(request)
        self.tally.rejected += 1
        self.tally.sojourns += self.now - request.arrival
        request.life += 1
        self._answered(self.now)

    def _drop(self, request: Served) -> None:
        self.tally.dropped += request.done
        gone: list[list[int]] = [[] for _ in self._bands]
        self._leave(request, gone)
        self._give_back(gone)

    # --------------------------------------------------------------------------------------------------------- prompts

    def _fill(self) -> list[tuple[Served, int]]:
        """The stretches of prompts that the next step computes, with their pages: who, and how many tokens."""
        while True:
            chunks = self._stretches()
            if chunks or not self._filling or self._batch.requests:
                return chunks
            chunks = self._unstick()
            if chunks:
                return chunks

    def _stretches(self) -> list[tuple[Served, int]]:
        chunks: list[tuple[Served, int]] = []
        budget = self._policy.chunk_tokens
        for request in list(self._filling):
            if not budget:
                break
            self._slide_filling(request)
            tokens = self._chunk(request, budget)
            if not tokens:
                break
            chunks.append((request, tokens))
            budget -= tokens
        while budget and self._waiting and len(self._running) < self._policy.max_running:
            admitted = self._admit(self._waiting[0])
            if not admitted:
                break
            request = self._waiting.popleft()
            tokens = self._chunk(request, budget)
            if not tokens:
                break
            chunks.append((request, tokens))
            budget -= tokens
        return chunks

    def _unstick(self) -> list[tuple[Served, int]]:
        """Nothing decodes and no prompt goes on: retract all but the first, and give it what there is, or reject it."""
        first = next(iter(self._filling))
        while len(self._running) > 1:
            self._retract(next(reversed(self._running)))
        self._gives_up_its_prefix(first)
        # the forward in flight is waited for, after which its window may slide
        self._memory.landed(self._step - 1)
        self._known = self.now
        first.chunk_step = -1
        self._slide_filling(first)
        budget = self._policy.chunk_tokens
        while budget:
            tokens = self._chunk(first, budget)
            if tokens:
                return [(first, tokens)]
            budget //= 2
        self._reject(first)
        return []

    def _slide_filling(self, request: Served) -> None:
        in_flight = request.chunk if self._lag and request.chunk_step == self._step - 1 else 0
        for band in self._windowed:
            beyond = first_needed(self._kinds[band], request.done - in_flight) - request.first[band]
            if beyond > 0:
                gone = request.pages[band][:beyond]
                del request.pages[band][:beyond]
                request.first[band] += beyond
                self._memory.release(band, gone, in_flight=True)
                self._freed = self._changed = True

    def _chunk(self, request: Served, budget: int) -> int:
        """Pages for the next stretch of a prompt; its tokens, or 0 if there is no room for it."""
        tokens = min(budget, request.context - request.done)
        if request.done < request.boundary:
            tokens = min(tokens, request.boundary - request.done)
        until = request.done + tokens
        demand = tuple(
            max(0, places(kind, until) - request.first[band] - len(request.pages[band]))
            for band, kind in enumerate(self._kinds)
        )
        if any(demand):
            given = self._ask(demand)
            if given is None:
                return 0
            for band, ids in enumerate(given):
                request.pages[band] += ids
            self._fresh[request] = list(map(len, given))
        return tokens

    def _admit(self, request: Served) -> bool:
        """Let the first in the queue run, if the memory has room for it beside those that run."""
        alone = not self._running
        if not alone:
            if not self._freed and self._step < self._looked + LOOK_AGAIN:
                return False
            self._looked, self._freed = self._step, False
        match = self._matched(request)
        if match is not None and self._prefixes is not None:
            self._prefixes.use(request, match.names)
        if not alone and not self._has_room(request, match):
            if self._prefixes is not None:
                self._prefixes.leave(request)
            return False
        self._running[request] = None
        self._filling[request] = None
        if match is not None and not self._begin_with(request, match):
            self._prefixes_left(request)
        self._freed = True
        return True

    def _has_room(self, request: Served, match: Match | None) -> bool:
        return self._admission.has_room(request, match, self._running, self._filling, self._step)

    def _matched(self, request: Served) -> Match | None:
        if self._prefixes is None or self._traffic.prefixes is None or not request.boundary:
            return None
        return self._prefixes.match(self._traffic.prefixes[request.index], request.context)

    def _begin_with(self, request: Served, match: Match) -> bool:
        """A request goes on from a cached prefix: pages are shared, the state is copied."""
        copied = [ids if state else [] for ids, state in zip(match.pages, self._is_state, strict=True)]
        if any(copied):
            given = self._ask(tuple(map(len, copied)), copied)
            if given is None:
                return False
            copied = given
        for band, ids in enumerate(match.pages):
            if not self._is_state[band]:
                if ids:
                    self._memory.share(band, ids)
                request.pages[band] = ids
                request.first[band] = places(self._kinds[band], match.tokens) - len(ids)
            else:
                request.pages[band] = copied[band]
        request.done = match.tokens
        self.tally.cached += match.tokens
        return True

    def _prefixes_left(self, request: Served) -> None:
        if self._prefixes is not None:
            self._prefixes.leave(request)

    def _gives_up_its_prefix(self, request: Served) -> bool:
        """A request that runs alone and lacks room lets its prefix be evicted; False if it has none."""
        had = bool(request.blocks)
        self._prefixes_left(request)
        return had

    def _keep_prefixes(self) -> None:
        if self._prefixes is None or self._traffic.prefixes is None:
            return
        for request in self._to_cache:
            if request in self._running:
                names = self._traffic.prefixes[request.index]
                self._prefixes.insert(request, names[: request.boundary // self._prefixes.block_tokens])
                self._changed = True
        self._to_cache.clear()

    # ------------------------------------------------------------------------------------------------------- launching

    def _launch(self, chunks: list[tuple[Served, int]]) -> None:
        """Launch the next step, or all steps until something is due."""
        step, tally, batch = self._step, self.tally, self._batch
        contexts = batch.contexts(step)
        active = len(self._running)
        moving = self._moving()
        host = self._cost.host(active, pages=self._changed)
        self._changed = False
        if chunks:
            parts = [Chunk(tokens, request.done) for request, tokens in chunks]
            device = self._cost.step(batch.requests, contexts, self._cost.prefill(parts)) + moving
            count, seconds, last = 1, *(2 * [self._took(device, host)])
        else:
            count, seconds, last = self._decode(contexts, moving, host)
        uses = partial(uses_of, self._kinds, list(self._running), [request for request, _ in chunks], self._fresh)
        if count > 1:
            self._memory.landed(step + count - 2)
        for request, tokens in chunks:
            self._computed(request, tokens)
        self._fresh.clear()
        self._memory.launched(step + count - 1, uses)
        inside = active + len(self._waiting)
        tally.steps += count
        tally.decode_slots += batch.requests * count
        tally.area += seconds * inside
        tally.running_area += seconds * active
        tally.seconds += seconds
        tally.most_running = max(tally.most_running, active)
        self.now += seconds
        self._known = self.now - last if self._lag else self.now
        self._step += count
        self._admission.reserve.calmed(count)
        for request, _ in chunks:
            if request.done == request.context:
                self._decodes(request)
        if self.now >= self.timeline.due:
            self._sample()

    def _took(self, device: float, host: float) -> float:
        return max(device, host) if self._lag else device + host

    def _moving(self) -> float:
        """Seconds for the pages that were moved and copied since the last step."""
        nbytes = self._memory.moved_bytes + self._memory.copied_bytes
        seconds = self._cost.moves(nbytes - self._moved)
        self._moved = nbytes
        self.tally.moving_seconds += seconds
        return seconds

    def _decode(self, contexts: list[int], moving: float, host: float) -> tuple[int, float, float]:
        """How many steps can be taken at once, their seconds, and those of the last."""
        due = self._calendar.next
        if due is None:
            raise BrokenLaw("requests decode of which none is ever to end")
        count = due - self._step
        if self._waiting:
            count = min(count, LOOK_AGAIN)
        batch, cost = self._batch, self._cost
        first = self._took(cost.step(batch.requests, contexts, (0, 0.0)) + moving, host)
        if count == 1:
            return 1, first, first
        usual = cost.host(len(self._running), pages=False)
        device = cost.steps(count, batch.requests, contexts, batch.growing(), (0, 0.0))
        times = np.maximum(device, usual) if self._lag else device + usual
        times[0] = first
        ends = np.cumsum(times)
        coming = self._coming()
        if coming is not None:
            # an arrival is seen when a step is prepared, which with overlap is as the one before it begins
            late = coming - self.now
            count = min(count, int(np.searchsorted(ends, late)) + 1 + self._lag) if late > 0 else 1
        return count, float(ends[count - 1]), float(times[count - 1])

    def _computed(self, request: Served, tokens: int) -> None:
        request.done += tokens
        request.chunk, request.chunk_step = tokens, self._step
        self.tally.prefilled += tokens
        if request.done == request.boundary:
            self._to_cache.append(request)

    def _decodes(self, request: Served) -> None:
        """The last of its prompt is computed: its first token is there, and from the next step on it decodes."""
        del self._filling[request]
        if request.first_token < 0:
            request.first_token = self.now
        start = request.start = self._step
        context, life = request.context, request.life
        self._batch.add(context, start)
        put = self._calendar.put
        put(start + request.left - 1 + self._lag, Due(FINISH, request, life))
        put(start + -context % self._page, Due(GROW, request, life))
        for band in self._windowed:
            full = self._batch.saturates(band, context, start)
            if full > start:
                put(full, Due(SATURATE, request, life, band))
            put(start, Due(SLIDE, request, life, band))

    def _sample(self) -> None:
        sample = Sample(self.now, len(self._running), len(self._waiting), self._memory.occupancy())
        self.timeline.take(sample)
