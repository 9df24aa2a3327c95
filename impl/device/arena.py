"""The allocator's device on a runtime: its own stream, one page table for each band, and an event for each ticket."""

from collections.abc import Iterable, Iterator
from typing import Final, Generic

import torch

from impl.chain import Chain
from impl.device.runtime import ARENA, Event, Piece, Runtime, Touch, Work
from impl.device.views import row_view
from impl.kernels.fills import zero_pages
from impl.kernels.grid import PageGrid
from impl.kernels.moves import move_pages
from impl.kernels.tables import update_table
from impl.layout import Row
from impl.numbers import Int64

ALLOCATOR: Final = "allocator"
"""The stream of page moves and table updates."""

ENTRY_BYTES: Final = 8
"""Bytes of an entry of a page table."""


class ArenaDevice(Generic[Event]):
    """What an allocator asks of a device, put on streams; and the side of those who open tickets.

    The allocator's side enqueues and never answers. On the other side a ticket's work is begun, launched and ended on
    a stream, in the order in which tickets are opened on it and before anything is opened that waits for it: that is
    what the ledger takes for granted. A ticket may be begun again for more as long as nothing is behind it.

    Args:
        chain: the bands.
        runtime: does the work.
    """

    def __init__(self, chain: Chain, runtime: Runtime[Event]) -> None:
        self.chain, self.runtime = chain, runtime
        self._streams: dict[int, str] = {}
        # of each ticket whose work was not seen to be over: one event on its stream, or one for each of its transfers
        self._ends: dict[int, tuple[Event, ...]] = {}
        # the event behind all that is on the allocator's stream, until more is put on it; what each stream waited for
        self._tail: Event | None = None
        self._behind: dict[str, Event] = {}
        self._tables = [runtime.empty(ALLOCATOR, band.limit, torch.int64) for band in chain.bands]
        for band, table in enumerate(self._tables):
            self._clear(self.table_name(band), table)
        self.resume_memory()

    # -------------------------------------------------------------------------------------------- for the allocator

    def wait_for(self, ticket: int) -> None:
        """See `Device.wait_for`; the ticket's work must have been ended."""
        assert not self._is_under_way(ticket), "whoever waits for a ticket waits for all of its work"
        for end in self._forget(ticket):
            self.runtime.wait(ALLOCATOR, end)
            self._tail = None

    def move_pages(self, band: int, sources: Int64, targets: Int64) -> None:
        """See `Device.move_pages`."""
        # its own hold on the arena: bytes that are released are there until it is done
        grid, on_device = self._grids[band], self.runtime.on_device
        sources, targets = sources.copy(), targets.copy()

        def run() -> None:
            move_pages(grid, on_device(sources), on_device(targets))

        def touches() -> Iterator[Touch]:
            yield from (self.page_touch(band, page, writes=False) for page in sources.tolist())
            yield from (self.page_touch(band, page, writes=True) for page in targets.tolist())

        self._enqueue(f"move pages of {self.chain.bands[band].name}", Piece(run, touches))

    def wipe_pages(self, band: int, pages: Int64) -> None:
        """See `Device.wipe_pages`."""
        grid, on_device = self._grids[band], self.runtime.on_device
        pages = pages.copy()
        self._enqueue(
            f"wipe pages of {self.chain.bands[band].name}",
            Piece(
                lambda: zero_pages(grid, on_device(pages)),
                lambda: (self.page_touch(band, page, writes=True) for page in pages.tolist()),
            ),
        )

    def update_table(self, band: int, ids: Int64, pages: Int64) -> None:
        """See `Device.update_table`."""
        on_device = self.runtime.on_device
        ids, pages = ids.copy(), pages.copy()
        self._enqueue(
            f"update {self.table_name(band)}",
            Piece(
                lambda: update_table(self._tables[band], on_device(ids), on_device(pages)),
                lambda: (self.entry_touch(band, vid, writes=True) for vid in ids.tolist()),
            ),
        )

    def release_memory(self) -> None:
        """See `Device.release_memory`; the bytes go back to whom the runtime has them from, once nobody has a view."""
        self.arena = torch.empty(0, dtype=torch.uint8)
        self._grids.clear()

    def resume_memory(self) -> None:
        """See `Device.resume_memory`."""
        self.arena = self.runtime.empty(ALLOCATOR, self.chain.capacity, torch.uint8)
        self._grids = [PageGrid(self.arena, band.origin, band.page_bytes) for band in self.chain.bands]
        self._clear(ARENA, self.arena[: self.chain.base])

    def table(self, band: int) -> torch.Tensor:
        """See `Device.table`."""
        return self.runtime.for_kernels(self._tables[band])

    def table_for_work(self, band: int) -> torch.Tensor:
        """The page table of a band as a piece of work finds it when it is run."""
        return self._tables[band]

    def view(self, band: int, row: Row) -> torch.Tensor:
        """See `Device.view`."""
        return row_view(self.arena, self.chain.bands[band], row)

    def _clear(self, memory: str, beginning: torch.Tensor) -> None:
        cleared = Touch(memory, 0, beginning.nbytes, True, "its beginning")
        self._enqueue(f"clear {memory}", Piece(beginning.zero_, lambda: (cleared,)))

    def _enqueue(self, name: str, piece: Piece) -> None:
        self.runtime.launch(ALLOCATOR, Work(name, (piece,)))
        self._tail = None

    # ------------------------------------------------------------------------------------- for those who open tickets

    def begin(self, ticket: int, stream: str, waits: Iterable[int] = ()) -> None:
        """What is launched for a ticket from now on comes behind the allocator's stream as it stands, and behind these.

        Begin it after its pages were allocated and held. Tickets that have retired need no wait: the host has seen
        them end, or the allocator's stream waits for them.
        """
        self._streams[ticket] = stream
        # the event that will be recorded at its end comes after the one of an end before
        self._ends.pop(ticket, None)
        self._wait_for_allocator(stream)
        for other in waits:
            for end in self._ends.get(other, ()):
                self.runtime.wait(stream, end)

    def launch(self, work: Work) -> None:
        """Put a kernel or a copy of a ticket that was begun on its stream."""
        assert work.ticket is not None, "work is some ticket's"
        self.runtime.launch(self._streams[work.ticket], work)

    def end(self, ticket: int) -> None:
        """All that was launched for a ticket is its work: record its event."""
        self._ends[ticket] = (self.runtime.record(self._streams[ticket]),)

    def transfer(self, work: Work) -> None:
        """Begin a transfer of a ticket that was given its pages; a ticket may have several."""
        assert work.ticket is not None, "work is some ticket's"
        self._ends[work.ticket] = (*self._ends.get(work.ticket, ()), self.runtime.transfer(work))

    def ends_of(self, ticket: int) -> tuple[Event, ...]:
        """The events at which the work of a ticket ends, if it was not seen to be over."""
        return self._ends.get(ticket, ())

    def is_over(self, ticket: int) -> bool:
        """Whether the work of a ticket is seen to be over, without waiting: `complete` it then.

        It is not over while more may be launched: from `begin` to `end`.
        """
        if self._is_under_way(ticket) or not all(map(self.runtime.is_done, self.ends_of(ticket))):
            return False
        self._forget(ticket)
        return True

    def over(self) -> tuple[int, ...]:
        """The tickets whose work is newly seen to be over, without waiting; each is told once."""
        return tuple(ticket for ticket in tuple(self._ends) if self.is_over(ticket))

    def tail(self) -> Event:
        """The event behind everything that is on the allocator's stream now."""
        if self._tail is None:
            self._tail = self.runtime.record(ALLOCATOR)
        return self._tail

    def has_caught_up(self) -> bool:
        """Whether nothing is left on the allocator's stream, without waiting: call the allocator's `drain` then."""
        return self.runtime.is_done(self.tail())

    def _is_under_way(self, ticket: int) -> bool:
        return ticket in self._streams and ticket not in self._ends

    def _forget(self, ticket: int) -> tuple[Event, ...]:
        self._streams.pop(ticket, None)
        return self._ends.pop(ticket, ())

    def _wait_for_allocator(self, stream: str) -> None:
        tail = self.tail()
        if self._behind.get(stream) is not tail:
            self._behind[stream] = tail
            self.runtime.wait(stream, tail)

    # ------------------------------------------------------------------------------------------------------- the bytes

    def table_name(self, band: int) -> str:
        """What the page table of a band is called as a memory."""
        return f"the page table of {self.chain.bands[band].name}"

    def page_touch(self, band: int, page: int, *, writes: bool) -> Touch:
        """The bytes of a physical page."""
        geometry = self.chain.bands[band]
        begin = geometry.origin + page * geometry.page_bytes
        return Touch(ARENA, begin, begin + geometry.page_bytes, writes, f"page {page} of {geometry.name}")

    def entry_touch(self, band: int, vid: int, *, writes: bool) -> Touch:
        """The bytes of an entry of a page table."""
        return Touch(
            self.table_name(band), ENTRY_BYTES * vid, ENTRY_BYTES * (vid + 1), writes, f"the entry of id {vid}"
        )
