"""The engine: continuous batching, chunked prefill, and the next forward launched before the last one is seen."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, takewhile
from typing import Any, ClassVar, Final, Protocol

import numpy as np
import torch

from impl.device.arena import ArenaDevice
from impl.device.runtime import Piece, Touch, Work
from impl.misuse import Misuse
from impl.numbers import as_count
from impl.plan import Grant, Refusal
from impl.requests.protocol import Pages
from impl.requests.request import Request
from impl.requests.requests import Requests
from impl.serving.engine.forward import TOKENS, Forward, MemoryOf, Part, work_of
from impl.serving.engine.job import Job
from impl.serving.engine.model import VOCABULARY, Model
from impl.serving.engine.paged import PagedMemory
from impl.serving.engine.places import places_of
from impl.serving.engine.share import Share, share_of
from impl.serving.prefix.cache import PrefixCache

STREAM: Final = "compute"
"""On which all forwards run."""

_LINES: Final = 256
"""Jobs that may wait or run at a time."""


class Tickets(Pages, Protocol):
    """An allocator, or one on record, for those who open tickets; see `impl.allocator.Allocator`."""

    def open(self, user: Any, stream: str | None = None, waits: Iterable[int] = ()) -> int:
        """A new ticket."""

    def complete(self, ticket: int) -> None:
        """Its work is over."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How the engine schedules.

    Attributes:
        most_running: jobs in a batch.
        chunk: tokens that a job computes in one forward at most.
        in_flight: forwards that the host has launched and not seen the end of, at most.
        positions: tokens of the longest job, the generated ones included.
        interval: tokens between two states that the prefix cache keeps; None for no prefix cache.

    Raises:
        Misuse: nothing would ever be served.
    """

    most_running: int = 8
    chunk: int = 16
    in_flight: int = 2
    positions: int = 512
    interval: int | None = None

    def __post_init__(self) -> None:
        for name in ("most_running", "chunk", "in_flight", "positions"):
            if not as_count(getattr(self, name), name):
                raise Misuse(name, 0, "nothing would ever be served", "give at least 1")


EngineOf = Callable[[Model, Tickets, ArenaDevice[Any], "Policy | None"], "Engine"]
"""Makes an engine of a sort."""


class Engine:
    """Serves jobs, always saying the likeliest token.

    A step polls for forwards that have ended, chooses a batch, asks for its pages in one joint demand, and launches
    it; what the next step computes may be something that no host has seen yet. When memory is short it waits, if
    waiting helps, and else retracts the youngest job, which later begins anew with all that it has said.

    Args:
        model: of the rank.
        allocator: or one on record.
        device: of the allocator.
        policy: how it schedules.
        cache: makes another prefix cache than the policy's; called while the engine is being made.

    Attributes:
        ahead: tokens after a token of which its rows are made as well.
        leaving: told of each job that is done just before its request gives back its pages; of one that was retracted
            with its last forward in flight there is no request any more.
        others_hold: whether others hold pages that they will give back, so that a job waits rather than be rejected.
        others_give_way: lets others give back something that they can get again, for a job that has no room though it
            is alone; whether they did.
        lost: the tickets of others of which nobody knows when they retire, so that waiting for them is no help.
        agreed: of how many of the oldest forwards the end is taken note of, given how many have ended here; asked at
            every poll, so that ranks may agree. Likewise of copies, while there are any.
        memory_of: finds a request's memory for a forward.
    """

    ahead: ClassVar[int] = 0

    def __init__(
        self,
        model: Model,
        allocator: Tickets,
        device: ArenaDevice[Any],
        policy: Policy | None = None,
        cache: "Callable[[Engine], PrefixCache] | None" = None,
    ) -> None:
        self.policy = policy or Policy()
        self.requests = Requests(allocator)
        interval = self.policy.interval
        self.prefix = (
            None if interval is None else PrefixCache(allocator, self.requests, interval=interval, ahead=self.ahead)
        )
        if cache is not None:
            self.prefix = cache(self)
        self.retractions = self.forwards = 0
        self.leaving: Callable[[Job, Request | None], object] = lambda job, request: None
        self.others_hold: Callable[[], bool] = lambda: False
        self.others_give_way: Callable[[], bool] = lambda: False
        self.lost: Callable[[], Collection[int]] = lambda: ()
        self.agreed: Callable[[int], int] = lambda ended: ended
        self.memory_of: MemoryOf = PagedMemory
        self._model, self._allocator, self._device = model, allocator, device
        self._places = places_of(band.kind for band in device.chain.bands)
        self._waiting: deque[Job] = deque()
        self._running: list[Job] = []
        self._flying: deque[Forward] = deque()
        # from a retraction to the next end of a job, since what was retracted would be retracted again
        self._is_full = False
        self._lines = list(range(_LINES))[::-1]
        tokens = device.runtime.empty(STREAM, _LINES * self.policy.positions, torch.int64)
        self._tokens = tokens.view(_LINES, self.policy.positions)

    @property
    def is_idle(self) -> bool:
        """Whether no job is left, and nothing is in flight."""
        return not (self._waiting or self._running or self._flying)

    @property
    def takes_more(self) -> bool:
        """Whether another job can be submitted."""
        return bool(self._lines)

    @property
    def running(self) -> tuple[Job, ...]:
        """The jobs that have pages, oldest first."""
        return tuple(self._running)

    @property
    def flying(self) -> tuple[int, ...]:
        """The tickets of the forwards in flight that have not retired, oldest first."""
        return tuple(forward.ticket for forward in self._flying if not forward.settled)

    @property
    def settleable(self) -> tuple[int, ...]:
        """The tickets that an allocation of its own may settle."""
        return self.flying if self.prefix is None else (*self.prefix.tickets, *self.flying)

    def settled(self, tickets: Iterable[int]) -> None:
        """Some of its tickets have retired, because an allocation settled them."""
        gone = frozenset(tickets)
        for forward in self._flying:
            forward.settled = forward.settled or forward.ticket in gone
        if self.prefix is not None:
            self.prefix.settled(gone)

    def submit(self, prompt: Sequence[int], new_tokens: int, stop: int | None = None) -> Job:
        """A job for so many new tokens after a prompt, or until it says `stop`.

        Raises:
            Misuse: the prompt is empty or holds no tokens of the model, the job is longer than the policy allows, or
                too many jobs are not done.
        """
        job = self.reserve(prompt, new_tokens, stop)
        self.queue(job)
        return job

    def reserve(self, prompt: Sequence[int], new_tokens: int, stop: int | None = None) -> Job:
        """A job that comes later, by `queue` or by `adopt`, and counts until then among those that are not done.

        Raises:
            Misuse: see `submit`.
        """
        most = self.policy.positions
        if not prompt or not all(0 <= token < VOCABULARY for token in prompt):
            raise Misuse("prompt", list(prompt), "not a token or more of the model", f"give numbers below {VOCABULARY}")
        if not as_count(new_tokens, "new_tokens") or len(prompt) + new_tokens > most:
            problem = f"with a prompt of {len(prompt)} that is no job of at most {most} tokens"
            raise Misuse("new_tokens", new_tokens, problem, "ask for at least one, and for no more than fit")
        if not self._lines:
            raise Misuse("prompt", list(prompt), f"{_LINES} jobs are not done", "submit it later")
        return Job(self._lines.pop(), list(prompt), new_tokens, stop)

    def queue(self, job: Job) -> None:
        """Let a job that was reserved wait for its turn."""
        self._write(job)
        self._waiting.append(job)

    def adopt(self, job: Job, first: int, logits: torch.Tensor, request: Request) -> None:
        """Go on with a job that was reserved, and whose prompt was computed elsewhere; it may be retracted.

        Args:
            job: of which nothing is said.
            first: the first of its new tokens.
            logits: of that.
            request: has the pages of the whole prompt, and of no more; it is the engine's from now on.
        """
        job.said, job.logits, job.request = [first], [logits], request
        self._write(job)
        # among those who wait it would hold pages that nobody could take from it
        self._running.append(job)
        self._finish_if_all_is_said(job)

    def forget(self, job: Job) -> None:
        """A job that was reserved does not come."""
        self._lines.append(job.number)

    def preempt(self, job: Job) -> None:
        """A running job gives way to all who wait: it is retracted, and comes after them; who that is, others decide.

        Raises:
            Misuse: it does not run.
        """
        if job not in self._running:
            raise Misuse("job", job.number, "it does not run", "name a job that was begun and is not done")
        was_full = self._is_full
        self._retract(job)
        # where nobody is left to end, nothing would let anybody begin
        self._is_full = was_full and bool(self._running)
        self._waiting.append(self._waiting.popleft())

    def cancel(self, job: Job) -> None:
        """Nobody wants a job any more: it waits or runs, and says nothing from now on.

        What it has computed stays in the prefix cache.

        Raises:
            Misuse: it neither waits nor runs.
        """
        if job not in self._waiting and job not in self._running:
            raise Misuse("job", job.number, "it neither waits nor runs", "name a job that is not done")
        job.cancelled = True
        self._finish(job)

    def step(self) -> bool:
        """Take note of what has ended, and launch a forward; whether one was launched.

        If not, either the engine is idle, or the device must get further first.
        """
        self.poll()
        if len(self._flying) >= self.policy.in_flight:
            return False
        batch = self._batch()
        while batch:
            counts = [count for _, count in batch]
            given = self.requests.extend([_request(job) for job, _ in batch], counts, self.settleable)
            if isinstance(given, Grant):
                self.settled(given.plan.settle)
                self._launch(batch)
                return True
            if not self._makes_room(given, batch):
                return False
        return False

    def poll(self) -> None:
        """Take note of the forwards that have ended, without waiting."""
        for _ in range(self.agreed(self._ended())):
            self._end(self._flying.popleft())
        if self.prefix is not None:
            self.prefix.poll(self.agreed)

    def run(self) -> None:
        """Serve until no job is left; the host waits for the oldest forward when it has nothing else to do.

        Raises:
            RuntimeError: there is no room while others hold pages: step, and see that they get on.
        """
        while not self.is_idle:
            if self.step() or self.is_idle:
                continue
            if not self._flying:
                raise RuntimeError("the engine waits for tickets or publishers that are not its own")
            for end in self._flying[0].ends:
                self._device.runtime.synchronize(end)

    # ------------------------------------------------------------------------------------------------------- batches

    def _batch(self) -> list[tuple[Job, int]]:
        """The jobs of the next forward, and how many tokens each computes; new ones begin here."""
        while self._waiting and len(self._running) < self.policy.most_running and not self._is_full:
            job = self._waiting.popleft()
            job.request = self.requests.begin() if self.prefix is None else self.prefix.begin(job.tokens)
            self._running.append(job)
        batch = []
        for job in self._running:
            begun = _request(job).tokens
            left = (job.known if begun < job.known else begun + 1) - begun
            count = min(left, self.policy.chunk, job.total - begun)
            if self.prefix is not None:
                count = min(count, self.prefix.interval - begun % self.prefix.interval)
            if count > 0:
                batch.append((job, count))
        return batch

    def _makes_room(self, refusal: Refusal, batch: list[tuple[Job, int]]) -> bool:
        """Whether to ask again with what is left of the batch, or with the next one where its only job is rejected."""
        if refusal.reason == "after-release" and not set(refusal.tickets).intersection(self.lost()):
            return False
        if self.prefix is not None and self.prefix.makes_room(refusal):
            return True
        job = self._running[-1]
        if len(self._running) == 1:
            if self.prefix is not None and self.prefix.spare(_request(job)):
                return True
            if self.others_give_way():
                return True
            if self.others_hold():
                return False
            # even alone it has no room
            job.rejected = True
            self._finish(job)
            batch[:] = self._batch()
            return True
        self._retract(job)
        if batch[-1][0] is job:
            batch.pop()
        return True

    def _retract(self, job: Job) -> None:
        self._running.remove(job)
        self.requests.finish([_request(job)])
        job.request = None
        job.retractions += 1
        self.retractions += 1
        self._waiting.appendleft(job)
        self._is_full = True

    def _launch(self, batch: list[tuple[Job, int]]) -> None:
        bands = self.requests.chain
        parts = []
        for job, count in batch:
            request = _request(job)
            share = share_of(bands, request, request.tokens - count)
            parts.append(Part(job, request, share, share.end >= job.known))
        waits = self._behind([part.share for part in parts])
        ticket = self._allocator.open("forward", STREAM, waits)
        self.requests.launch(ticket, [_request(job) for job, _ in batch])
        forward = Forward(ticket, parts)
        self._device.begin(ticket, STREAM, waits)
        self._device.launch(work_of(forward, self._model, self._device, self._places, self._tokens, self.memory_of))
        self._device.end(ticket)
        forward.ends = self._device.ends_of(ticket)
        self._flying.append(forward)
        self.forwards += 1
        for job, _ in batch:
            # the state as it is after these tokens is overwritten by the next forward
            if self.prefix is not None and _request(job).tokens % self.prefix.interval == 0:
                self._keep(job, _request(job).tokens)

    def _behind(self, shares: Sequence[Share]) -> tuple[int, ...]:
        """The copies in flight behind which a forward must come that computes these."""
        return () if self.prefix is None else self.prefix.before(*_pages_of(shares))

    def _ended(self) -> int:
        """How many of the oldest forwards have ended."""
        done = (all(map(self._device.runtime.is_done, forward.ends)) for forward in self._flying)
        return sum(1 for _ in takewhile(bool, done))

    def _end(self, forward: Forward) -> None:
        if not forward.settled:
            over = self._device.is_over(forward.ticket)
            assert over, "its events have happened"
            self._allocator.complete(forward.ticket)
        for job, request, share, speaks in forward.parts:
            if not request.finished:
                self.requests.accept([request], share.end - share.start)
            if speaks and not job.done and share.end == job.known:
                job.said.append(int(self._tokens[job.number, share.end]))
                job.logits.append(forward.logits[job.number])
                self._finish_if_all_is_said(job)

    def _finish_if_all_is_said(self, job: Job) -> None:
        if len(job.said) == job.new_tokens or job.said[-1] == job.stop:
            self._finish(job)

    def _finish(self, job: Job) -> None:
        job.done = True
        self._is_full = False
        self._lines.append(job.number)
        if job.request is None:
            self._waiting.remove(job)
            self.leaving(job, None)
            return
        self._running.remove(job)
        self._keep(job, job.request.settled)
        self.leaving(job, job.request)
        self.requests.finish([job.request])
        job.request = None

    def _keep(self, job: Job, tokens: int) -> None:
        if self.prefix is not None and tokens <= job.known:
            self.prefix.keep(job.tokens[:tokens], _request(job))

    def _write(self, job: Job) -> None:
        """Its tokens, into the table of tokens; behind everything that was launched for the line's last job."""
        line, known = self._tokens[job.number], np.array(job.tokens, dtype=np.int64)
        begin = job.number * self.policy.positions * 8

        def run() -> None:
            line[: len(known)] = self._device.runtime.on_device(known)

        touch = Touch(TOKENS, begin, begin + 8 * len(known), True, f"tokens of job {job.number}")
        self._device.runtime.launch(STREAM, Work(f"prompt of job {job.number}", (Piece(run, lambda: (touch,)),)))


def _pages_of(shares: Sequence[Share]) -> tuple[list[list[int]], list[list[int]]]:
    """Of each band the pages that a forward reads, and those that it writes."""
    return (
        [list(chain.from_iterable(ids)) for ids in zip(*(share.read for share in shares), strict=True)],
        [list(chain.from_iterable(ids)) for ids in zip(*(share.written for share in shares), strict=True)],
    )


def _request(job: Job) -> Request:
    assert job.request is not None, "it runs"
    return job.request
