"""The loop of the engine."""

from collections.abc import Callable
from functools import partial

from replay.cost.step import Chunk, StepCost
from replay.engine.admission import Admission
from replay.engine.arrivals import Arrivals
from replay.engine.batch import Batch
from replay.engine.decoding import Decoding
from replay.engine.entering import Entering
from replay.engine.leaving import Leaving
from replay.engine.pace import Pace, Paced
from replay.engine.policy import Policy
from replay.engine.prefixes import prefixes_for
from replay.engine.prompts import Prompts, Stretch
from replay.engine.request import Served
from replay.engine.situation import Situation
from replay.engine.supply import Supply
from replay.engine.tally import BrokenLaw, Tally
from replay.engine.timeline import Sample, Timeline
from replay.engine.uses import uses_of
from replay.memory.protocol import Memory
from replay.traffic.traffic import Traffic

REPORT = 256
"""Turns of the loop between two reports of progress."""


class Engine:
    """Serves traffic from a memory.

    Time is a device's: a step begins when the one before it ends. With overlap, step n is prepared while step n - 1
    runs, so that what is known then are the results of step n - 2 and earlier: a request that has ended takes part in
    one more step in vain, as in real engines. Steps between which nothing happens are taken at once; pages are asked
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
        self._traffic, self._memory, self._cost, self._report = traffic, memory, cost, report
        self._lag = int(policy.overlap)
        self._prefixes = prefixes_for(traffic, memory, policy)
        self._admission = Admission(memory, policy, self._prefixes)
        self._longest = self._admission.longest(traffic.longest)
        self._situation = situation = Situation(Batch(memory.kinds))
        self._arrivals = Arrivals(traffic)
        supply = Supply(memory, self._prefixes, situation)
        leaving = Leaving(situation, supply, self._prefixes, self._arrivals, self._admission.reserve, self._lag)
        self._decoding = Decoding(memory.kinds, situation, supply, leaving, self._lag)
        self._entering = Entering(traffic, memory, situation, supply, self._prefixes, self._admission)
        self._prompts = Prompts(memory, situation, supply, self._entering, leaving, policy)
        self._pace = Pace(cost, situation, self._lag)
        self._to_cache: list[Served] = []
        self._moved = 0
        self.timeline = Timeline(len(memory.kinds))
        self.interrupted = False

    @property
    def tally(self) -> Tally:
        """What was counted so far."""
        return self._situation.tally

    @property
    def now(self) -> float:
        """Seconds since the beginning."""
        return self._situation.now

    def run(self) -> Tally:
        """Serve all of it; raises BrokenLaw if the counts contradict each other at the end."""
        situation = self._situation
        self._sample()
        turns = 0
        while True:
            turns += 1
            if turns % REPORT == 0 and not self._report(self.tally.completed + self.tally.rejected):
                self.interrupted = True
                break
            self._arrive()
            self._memory.landed(situation.step - 1 - self._lag)
            self._keep_prefixes()
            self._decoding.take_due()
            stretches = self._prompts.fill()
            if situation.batch.requests or stretches:
                self._launch(stretches)
            elif not self._wait():
                break
        self._end()
        return self.tally

    def _arrive(self) -> None:
        situation, traffic = self._situation, self._traffic
        while (coming := self._arrivals.coming) is not None and coming <= situation.known:
            index = self._arrivals.take()
            prompt, output = int(traffic.prompts[index]), int(traffic.outputs[index])
            if prompt + output > self._longest:
                self.tally.rejected += 1
                self._arrivals.answered(coming)
                continue
            request = Served(index, coming, prompt, output, len(self._memory.kinds))
            request.boundary = self._entering.boundary(request)
            situation.waiting.append(request)
            situation.freed = True
            self.tally.area += situation.now - coming

    def _keep_prefixes(self) -> None:
        if self._prefixes is None or self._traffic.prefixes is None:
            return
        for request in self._to_cache:
            if request in self._situation.running:
                names = self._traffic.prefixes[request.index]
                self._prefixes.insert(request, names[: request.boundary // self._prefixes.block_tokens])
                self._situation.changed = True
        self._to_cache.clear()

    def _launch(self, stretches: list[Stretch]) -> None:
        """Launch the next step, or all steps until something is due."""
        situation, batch = self._situation, self._situation.batch
        paced = self._paced(stretches)
        situation.changed = False
        filled = [request for request, _ in stretches]
        uses = partial(uses_of, self._memory.kinds, list(situation.running), filled, situation.fresh)
        if paced.steps > 1:
            self._memory.landed(situation.step + paced.steps - 2)
        for request, tokens in stretches:
            self._computed(request, tokens)
        situation.fresh.clear()
        self._memory.launched(situation.step + paced.steps - 1, uses)
        active = len(situation.running)
        self.tally.stepped(paced.steps, paced.seconds, batch.requests, active, active + len(situation.waiting))
        situation.now += paced.seconds
        situation.known = situation.now - paced.last if self._lag else situation.now
        situation.step += paced.steps
        self._admission.reserve.calmed(paced.steps)
        for request in filled:
            if request.done == request.context:
                self._decoding.begin(request)
        if situation.now >= self.timeline.due:
            self._sample()

    def _paced(self, stretches: list[Stretch]) -> Paced:
        moving = self._moving()
        if stretches:
            return self._pace.with_prompts([Chunk(tokens, request.done) for request, tokens in stretches], moving)
        return self._pace.decoding(self._arrivals.coming, self._prompts.patience, moving)

    def _computed(self, request: Served, tokens: int) -> None:
        request.done += tokens
        request.chunk, request.chunk_step = tokens, self._situation.step
        self.tally.prefilled += tokens
        if request.done == request.boundary:
            self._to_cache.append(request)

    def _moving(self) -> float:
        """Seconds for the pages that were moved and copied since the last step."""
        nbytes = self._memory.moved_bytes + self._memory.copied_bytes
        seconds = self._cost.moves(nbytes - self._moved)
        self._moved = nbytes
        self.tally.moving_seconds += seconds
        return seconds

    def _wait(self) -> bool:
        """Nothing can run now: go on to the next arrival; False if there is none."""
        situation = self._situation
        self._memory.landed(situation.step)
        if situation.waiting or situation.running:
            raise BrokenLaw("the engine stands still with requests in the system")
        coming = self._arrivals.coming
        if coming is None:
            return False
        situation.now = situation.known = max(situation.now, coming)
        return True

    def _end(self) -> None:
        situation = self._situation
        self._memory.landed(situation.step)
        self._sample()
        self.tally.check([*situation.running, *situation.waiting], situation.now, situation.step)
        if self.interrupted:
            return
        if self._prefixes is not None:
            self._prefixes.clear()
        if any(self._memory.live()):
            raise BrokenLaw(f"pages are left that nobody uses: {self._memory.live()}")

    def _sample(self) -> None:
        situation = self._situation
        self.timeline.take(
            Sample(situation.now, len(situation.running), len(situation.waiting), self._memory.occupancy())
        )
