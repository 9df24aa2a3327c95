"""The engine that speculates: a step verifies what a draft proposes, and the next is launched as if all were right."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch

from impl.device.arena import ArenaDevice
from impl.layout import Lifetime
from impl.numbers import as_count
from impl.plan import Grant
from impl.requests.request import Request
from impl.serving.engine.engine import STREAM, Engine, Policy, Tickets
from impl.serving.engine.forward import Forward
from impl.serving.engine.job import Job
from impl.serving.engine.model import Model
from impl.serving.engine.share import share_of
from impl.serving.prefix.cache import PrefixCache
from impl.serving.speculation.drafter import Drafter
from impl.serving.speculation.tables import Tables
from impl.serving.speculation.turn import Step, Turn, agreeing
from impl.serving.speculation.verifying import PickFor, Verifier, likeliest


@dataclass(frozen=True, slots=True)
class _Plan:
    """What the next step is to compute of a job.

    Attributes:
        job: whose.
        known: tokens that are known when it runs, the first ones.
        drafts: guesses after them.
    """

    job: Job
    known: int
    drafts: int


class SpeculatingEngine(Engine):
    """Serves jobs as `Engine` does, and says the same, several tokens in a step where the draft guesses well.

    A step asks for the pages of known tokens and all guesses in one joint demand. The next step is launched before the
    host has seen what was accepted, as if all of it were: if it was not, the request is rolled back to what was, that
    step is void, and the pages that it still uses are withheld until it ends.

    A state cannot be rolled back. Where the model has one, the request is forked before it goes on with guesses: they
    are written to copies of the state and of the pages that are not full, which are part of the joint demand. If a
    guess is rejected the request goes on from its fork, whose state is of the moment before, and computes the accepted
    tokens again with its next guesses: once in the fork, so that its state gets on, and once more with the guesses.

    When memory is short it first asks again without any guesses, then waits for those in flight, whose ends give
    something back, and only then does what `Engine` does.

    Args:
        model: the target.
        drafter: of the same layout.
        allocator: or one on record.
        device: of the allocator.
        policy: how it schedules.
        drafts: tokens that are guessed in a step at most.
        cache: see `Engine`.
        has_states: whether the model has a state, here or on another stage; as the device's layout has it if left out.

    Attributes:
        pick: chooses the guesses, on the device.
        heard: told of each turn whose guesses were verified, and of how many were accepted.
        guessed: tokens that were guessed and verified.
        accepted: those of them that were right.
        voided: turns that were launched on guesses which were wrong.

    Raises:
        Misuse: so many tokens cannot be guessed.
    """

    # the draft's row of a token is made of the token after it, too
    ahead: ClassVar[int] = 1

    def __init__(
        self,
        model: Model,
        drafter: Drafter,
        allocator: Tickets,
        device: ArenaDevice[Any],
        policy: Policy | None = None,
        drafts: int = 3,
        cache: Callable[[Engine], PrefixCache] | None = None,
        *,
        has_states: bool | None = None,
    ) -> None:
        super().__init__(model, allocator, device, policy, cache)
        self.pick: PickFor = likeliest
        self.heard: Callable[[Turn, int], object] = lambda turn, accepted: None
        self.guessed = self.accepted = self.voided = 0
        self._drafts = as_count(drafts, "drafts")
        if has_states is None:
            has_states = any(band.kind.lifetime is Lifetime.STATE for band in device.chain.bands)
        self._has_states = has_states
        lines, positions = self._tokens.shape

        def table(width: int) -> torch.Tensor:
            empty = device.runtime.empty(STREAM, lines * positions * width, torch.float64)
            return empty.view(lines, positions, width)

        tables = Tables(self._tokens, table(drafter.width), table(drafter.hidden_size))
        self._verifier = Verifier(model, drafter, device, tables)
        # of each line the positions of which the tables have what the target and the draft gave
        self._covered: dict[int, range] = {}

    def step(self) -> bool:
        """See `Engine.step`."""
        self.poll()
        if len(self._flying) >= self.policy.in_flight:
            return False
        batch = self._batch()
        drafts = self._drafts
        while batch:
            plans = [self._planned(job, count, drafts) for job, count in batch]
            turns = self._with_forks(plans)
            growing = [(request, count) for plan, kept in turns for request, count in self._growth(plan, kept)]
            given = self.requests.extend(
                [request for request, _ in growing], [count for _, count in growing], self.settleable
            )
            if isinstance(given, Grant):
                self.settled(given.plan.settle)
                self._set_off(turns)
                return True
            self.requests.finish([kept for _, kept in turns if kept is not None])
            if any(plan.drafts for plan in plans):
                drafts = 0
            elif self._gives_back or not self._makes_room(given, batch):
                return False
        return False

    @property
    def _gives_back(self) -> bool:
        """Whether guesses are in flight: when they end, pages or forks are given back, and nobody need be retracted."""
        return any(turn.drafts for turn in self._turns())

    # --------------------------------------------------------------------------------------------------- a step begins

    def _planned(self, job: Job, known: int, most: int) -> _Plan:
        """With as many guesses as there may be, if the draft can go on from where the known tokens end."""
        begin = _request(job).tokens
        end = begin + known
        covered = self._covered.get(job.number, range(0))
        is_ready = end >= job.known and min(begin, end - 2) in covered and end - 2 in covered
        return _Plan(job, known, min(most, job.total - end) if is_ready else 0)

    def _with_forks(self, plans: Sequence[_Plan]) -> list[tuple[_Plan, Request | None]]:
        """Each with a fork to go back to, if its guesses could spoil a state."""
        return [
            (plan, self.requests.fork(_request(plan.job)) if plan.drafts and self._has_states else None)
            for plan in plans
        ]

    def _growth(self, plan: _Plan, kept: Request | None) -> Iterator[tuple[Request, int]]:
        """Who needs pages for how many tokens; the last known one is computed with the guesses alone."""
        if kept is not None:
            yield kept, plan.known - 1
        yield _request(plan.job), plan.known + plan.drafts

    def _set_off(self, planned: Sequence[tuple[_Plan, Request | None]]) -> None:
        """Launch a step whose pages are there."""
        bands, turns = self.requests.chain, []
        for plan, kept in planned:
            if plan.job.retractions and _request(plan.job).launched < plan.job.known:
                # what was in flight as it was retracted says what is right where steps after it guessed wrongly
                self._write(plan.job)
            if kept is not None and plan.known > 1:
                turns.append(Turn(plan.job, kept, share_of(bands, kept, kept.launched)))
            request = _request(plan.job)
            share = share_of(bands, request, request.launched)
            turns.append(Turn(plan.job, request, share, plan.drafts, share.end - plan.drafts >= plan.job.known, kept))
        waits = self._behind([turn.share for turn in turns])
        ticket = self._allocator.open("forward", STREAM, waits)
        self.requests.launch(ticket, [turn.request for turn in turns])
        step = Step(ticket, (), turns=turns)
        self._device.begin(ticket, STREAM, waits)
        self._device.launch(self._verifier.work_of(step, self.memory_of, self.pick))
        self._device.end(ticket)
        step.ends = self._device.ends_of(ticket)
        self._flying.append(step)
        self.forwards += 1
        for turn in turns:
            self._cover(turn.job, turn.share.start, turn.share.end)
            # the state as it is after these tokens is overwritten by the next step
            if self.prefix is not None and turn.share.end % self.prefix.interval == 0:
                self._keep_of(turn.request, turn.job, turn.share.end)

    def _cover(self, job: Job, begin: int, end: int) -> None:
        covered = self._covered.get(job.number, range(0))
        joined = range(covered.start, max(covered.stop, end)) if covered.start <= begin <= covered.stop else None
        self._covered[job.number] = range(begin, end) if joined is None else joined

    def _uncover(self, job: Job, end: int) -> None:
        covered = self._covered.get(job.number, range(0))
        self._covered[job.number] = range(covered.start, min(covered.stop, end))

    # ----------------------------------------------------------------------------------------------------- a step ends

    def _end(self, forward: Forward) -> None:
        super()._end(forward)
        assert isinstance(forward, Step), "it launches no others"
        for turn in forward.turns:
            if not turn.is_void:
                self._hear(turn)

    def _hear(self, turn: Turn) -> None:
        """Take note of what a turn says, and take back what it rejects."""
        accepted = self._accepted(turn) if turn.speaks else 0
        final = turn.share.end - turn.drafts + accepted
        if accepted < turn.drafts:
            self._void_those_after(turn)
            self._uncover(turn.job, final)
        for request in (turn.request, *self._forks_after(turn)):
            if not request.finished:
                self.requests.accept([request], max(0, min(final, request.launched) - request.settled))
        if turn.speaks:
            self._say(turn, accepted)
        if not turn.request.finished:
            self._take_back(turn, final)
        elif turn.kept is not None and not turn.kept.finished:
            self.requests.finish([turn.kept])

    def _accepted(self, turn: Turn) -> int:
        assert turn.said is not None, "it speaks, and its work is done"
        guessed = [] if turn.guessed is None else turn.guessed.tolist()
        return agreeing(guessed, turn.said.tolist())

    def _say(self, turn: Turn, accepted: int) -> None:
        assert turn.said is not None, "it speaks, and its work is done"
        assert turn.logits is not None, "it speaks, and its work is done"
        job = turn.job
        if turn.drafts:
            self.guessed += turn.drafts
            self.accepted += accepted
            self.heard(turn, accepted)
        for place, token in enumerate(turn.said.tolist()[: accepted + 1]):
            # a request that was retracted meanwhile may say again what is known
            if not job.done and turn.last_known + 1 + place == job.known:
                job.said.append(token)
                job.logits.append(turn.logits[place])
                self._finish_if_all_is_said(job)

    def _void_those_after(self, turn: Turn) -> None:
        """They go on from guesses that were rejected."""
        for later in self._turns_after(turn):
            later.is_void = True
            self.voided += 1
            if later.kept is not None and not later.kept.finished:
                self.requests.finish([later.kept])

    def _take_back(self, turn: Turn, final: int) -> None:
        """Go on with what is final: the request rolled back, or its fork if it has a state that saw too much."""
        request, kept = turn.request, turn.kept
        rejects = final < turn.share.end
        if kept is None:
            if rejects:
                self.requests.roll_back([request], request.tokens - final)
        elif rejects:
            self.requests.finish([request])
            turn.job.request = kept
        else:
            self.requests.finish([kept])

    def _turns(self) -> Iterator[Turn]:
        """Those in flight, oldest first."""
        for forward in self._flying:
            assert isinstance(forward, Step), "it launches no others"
            yield from forward.turns

    def _turns_after(self, turn: Turn) -> Iterator[Turn]:
        return (later for later in self._turns() if later.request is turn.request)

    def _forks_after(self, turn: Turn) -> Iterator[Request]:
        """The forks that share its tokens: their windows slide as its own do."""
        for each in (turn, *self._turns_after(turn)):
            if each.kept is not None:
                yield each.kept

    # ------------------------------------------------------------------------------------------------- a request ends

    def _retract(self, job: Job) -> None:
        self._finish_forks(job)
        super()._retract(job)

    def _finish(self, job: Job) -> None:
        self._finish_forks(job)
        self._covered.pop(job.number, None)
        super()._finish(job)

    def _finish_forks(self, job: Job) -> None:
        for turn in self._turns():
            if turn.job is job and turn.kept is not None and not turn.kept.finished:
                self.requests.finish([turn.kept])

    def _keep(self, job: Job, tokens: int) -> None:
        self._keep_of(_request(job), job, tokens)

    def _keep_of(self, request: Request, job: Job, tokens: int) -> None:
        if self.prefix is not None and tokens + self.ahead <= job.known:
            self.prefix.keep(job.tokens[: tokens + self.ahead], request)


def _request(job: Job) -> Request:
    assert job.request is not None, "it runs"
    return job.request
