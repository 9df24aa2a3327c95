"""Faults of order, on a device that works later: waits, events and streams of which one is early or wrong.

Those of which one is missing are in `removals`.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import impl.device.arena
from fuzz.faults.fault import fault, replaced
from fuzz.targets.simulated import SIMULATED
from impl.allocator import Allocator
from impl.device.arena import ArenaDevice
from impl.device.runtime import Piece, Work
from impl.device.simulated.runtime import SimulatedRuntime
from impl.numbers import Int64
from impl.recording import RecordedAllocator

Method = Callable[..., Any]
LATER = SIMULATED.name
ASIDE = "a stream of its own"


@fault("device", "race-free", "an event that is recorded once and waited for ever after", LATER)
def streams_wait_for_an_old_event_of_the_allocator() -> Iterator[None]:
    """The stream of a ticket waits for the allocator's stream as it stood when it was first asked."""

    def careless(tail: Method) -> Method:
        def patched(self: Any) -> Any:
            if "first_tail" not in vars(self):
                self.first_tail = tail(self)
            return self.first_tail

        return patched

    with replaced(ArenaDevice, "tail", careless):
        yield


def _enqueued_aside(beginning: str) -> Any:
    """The allocator's own work of one sort goes to a stream that nobody waits for."""

    def careless(enqueue: Method) -> Method:
        def patched(self: Any, name: str, piece: Piece) -> None:
            if name.startswith(beginning):
                if not vars(self).get("has_begun"):
                    self.runtime.wait(ASIDE, self.tail())
                    self.has_begun = True
                self.runtime.launch(ASIDE, Work(name, (piece,)))
            else:
                enqueue(self, name, piece)

        return patched

    return replaced(ArenaDevice, "_enqueue", careless)


@fault("device", "race-free", "trtllm#9056", LATER)
def moves_run_on_a_stream_of_their_own() -> Iterator[None]:
    """Pages are copied on another stream than the allocator's, so that no wait holds the copies back."""
    with _enqueued_aside("move"):
        yield


@fault("device", "race-free", "sglang#18746", LATER)
def table_updates_run_on_a_stream_of_their_own() -> Iterator[None]:
    """The page table is written on another stream than the allocator's, which no kernel waits for."""
    with _enqueued_aside("update"):
        yield


@fault("device", "race-free", "vllm#56524", LATER)
def wipes_run_on_a_stream_of_their_own() -> Iterator[None]:
    """New pages are wiped on another stream than the allocator's, perhaps over what was written to them since."""
    with _enqueued_aside("wipe"):
        yield


def _ended_before(is_early: Callable[[Work], bool]) -> Any:
    """The event of a ticket is recorded before work of some sort is launched, and not after it."""
    early = [False]

    def launching(launch: Method) -> Method:
        def patched(self: Any, work: Work) -> None:
            early[0] = is_early(work)
            if early[0]:
                self.end(work.ticket)
            launch(self, work)

        return patched

    def ending(end: Method) -> Method:
        def patched(self: Any, ticket: int) -> None:
            if not (early[0] and self.ends_of(ticket)):
                end(self, ticket)

        return patched

    stack = ExitStack()
    stack.enter_context(replaced(ArenaDevice, "launch", launching))
    stack.enter_context(replaced(ArenaDevice, "end", ending))
    return stack


@fault("device", "flights-are-held", "sglang#9821", LATER)
def events_are_recorded_before_the_last_kernel() -> Iterator[None]:
    """A ticket's event is recorded before its work is launched, so that it happens before that is done."""
    with _ended_before(lambda work: True):
        yield


@fault("device", "race-free", "sglang#28468", LATER)
def readers_are_over_before_they_have_read() -> Iterator[None]:
    """A ticket's event is recorded before that of its work which only reads."""
    with _ended_before(lambda work: work.name.endswith(("reads", "out"))):
        yield


@fault("device", "race-free", "vllm#45704", LATER)
def host_copies_read_on_a_stream_of_their_own() -> Iterator[None]:
    """A copy to the host runs on another stream than that whose event says that it is over."""

    def careless(launch: Method) -> Method:
        def patched(self: Any, work: Work) -> None:
            if work.name == "copy out":
                self.runtime.launch(ASIDE, work)
            else:
                launch(self, work)

        return patched

    with replaced(ArenaDevice, "launch", careless):
        yield


@fault("device", "flights-are-held", "sglang#35049", LATER)
def transfers_are_over_when_they_begin() -> Iterator[None]:
    """A transfer is said to be over before what it brings has landed."""

    def careless(is_done: Method) -> Method:
        return lambda self, event: is_done(self, event) or event.stream is None

    with replaced(SimulatedRuntime, "is_done", careless):
        yield


@fault("device", "flights-are-held", "a handle that is overwritten by the next", LATER)
def only_the_last_transfer_of_a_ticket_counts() -> Iterator[None]:
    """A ticket with several transfers is said to be over when the one that was begun last is."""

    def careless(transfer: Method) -> Method:
        def patched(self: Any, work: Work) -> None:
            self._ends.pop(work.ticket, None)
            transfer(self, work)

        return patched

    with replaced(ArenaDevice, "transfer", careless):
        yield


@fault("allocator", "race-free", "trtllm#12542", LATER)
def readers_hold_nothing() -> Iterator[None]:
    """Whoever only reads is given addresses and does not enter them in the ledger, so that pages go from under it."""

    def careless(hold: Method) -> Method:
        def patched(self: Any, ticket: int, band: int, ids: Any, mode: str) -> Int64:
            if mode == "read":
                self.allocator._ledger.ticket(ticket)
            pages: Int64 = self.translate(band, ids) if mode == "read" else hold(self, ticket, band, ids, mode)
            return pages

        return patched

    with replaced(RecordedAllocator, "hold", careless):
        yield


@fault("device", "no-foreign-bytes", "sglang#31218", LATER)
def copies_bring_half_of_a_page() -> Iterator[None]:
    """Of a page that moves or is copied, only the first half arrives, and the rest shows who was there before."""

    def careless(_: Method) -> Method:
        def patched(grid: Any, sources: Any, targets: Any) -> None:
            half = grid.pages[:, : grid.page_bytes // 2]
            half[targets] = half[sources]

        return patched

    with replaced(impl.device.arena, "move_pages", careless):
        yield


@fault("allocator", "no-host-sync", "SGLang's compaction, which reads its page table", LATER)
def compaction_asks_the_device() -> Iterator[None]:
    """Compaction reads on the device where pages are, and the host waits for the answer."""

    def careless(compact: Method) -> Method:
        def patched(self: Any, budget: int) -> Any:
            for band in range(len(self.chain.bands)):
                self.page_table(band).tolist()
            return compact(self, budget)

        return patched

    with replaced(Allocator, "compact", careless):
        yield


@fault("device", "no-host-sync", "work that is waited for on the host", LATER)
def settling_waits_on_the_host() -> Iterator[None]:
    """The host waits until the work of a settled ticket is over, where the allocator's stream could."""

    def careless(wait_for: Method) -> Method:
        def patched(self: Any, ticket: int) -> None:
            for end in self.ends_of(ticket):
                self.runtime.synchronize(end)
            wait_for(self, ticket)

        return patched

    with replaced(ArenaDevice, "wait_for", careless):
        yield
