"""Copies between the device's arena and the host's: each a ticket on both, which hold both ends until it has landed."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final, NamedTuple

import torch

from impl.device.arena import ArenaDevice
from impl.device.runtime import Piece, Work
from impl.device.views import page_view
from impl.serving.engine.engine import Tickets
from impl.serving.host.pages import Place
from impl.serving.host.runtime import host_touch

BACKUP: Final = "backup"
LOAD: Final = "load"
READ_IN: Final = "read in"
"""The streams on which pages go to the host, come back, and come from files."""


class Pair(NamedTuple):
    """A page on both sides: what it is of, and its virtual page of either arena."""

    place: Place
    vid: int
    host_vid: int


@dataclass(eq=False, slots=True)
class Copy:
    """Pages on their way.

    Attributes:
        stream: on which they go, which says where to.
        ticket: of the device's arena; None if none of its pages take part, or once it has retired.
        host_ticket: of the host's arena.
        pages: of each band, virtual pages of the device's arena.
        host_pages: of each band, virtual pages of the host's arena, to each of which it keeps a reference.
        bytes_of: of each page that it writes on the host, the bytes; they are there once it has landed, and until
            `Copies.poll` has told of it.
        is_over: whether it is seen to have landed here; it is in flight until `Copies.poll` takes note.
    """

    stream: str
    ticket: int | None
    host_ticket: int
    pages: tuple[frozenset[int], ...]
    host_pages: tuple[list[int], ...]
    bytes_of: dict[Place, torch.Tensor]
    is_over: bool = False


class Copies:
    """Those in flight.

    Args:
        allocator: of the device's arena, or one on record.
        device: its device.
        host: the allocator of the host's arena, or one on record.
        host_device: its device.
        landed: told of each backup that has landed, while the bytes are still held.
    """

    def __init__(
        self,
        allocator: Tickets,
        device: ArenaDevice[Any],
        host: Tickets,
        host_device: ArenaDevice[Any],
        landed: Callable[[Copy], object] = lambda copy: None,
    ) -> None:
        self._allocator, self._device, self._host, self._host_device = allocator, device, host, host_device
        self._landed = landed
        self._flying: list[Copy] = []

    @property
    def flying(self) -> tuple[Copy, ...]:
        """Oldest first."""
        return tuple(self._flying)

    @property
    def tickets(self) -> tuple[int, ...]:
        """Of the device's arena, those that have not retired, oldest first."""
        return tuple(copy.ticket for copy in self._flying if copy.ticket is not None)

    def settled(self, tickets: Iterable[int]) -> None:
        """These have retired, because the allocator's stream waits for them; what they hold of the host stays held."""
        gone = frozenset(tickets)
        for copy in self._flying:
            if copy.ticket in gone:
                copy.ticket = None

    def before(self, read: Sequence[Iterable[int]], written: Sequence[Iterable[int]]) -> tuple[int, ...]:
        """The tickets behind which work must come that reads and writes these pages of each band of the device's."""
        return tuple(
            copy.ticket
            for copy in self._flying
            if copy.ticket is not None
            and (_meet(copy.pages, written) or (copy.stream == LOAD and _meet(copy.pages, read)))
        )

    # ------------------------------------------------------------------------------------------------------ beginning

    def back_up(self, pairs: Sequence[Pair], waits: Iterable[int], held: Sequence[Sequence[int]]) -> None:
        """Copy pages of the device's arena to new ones of the host's, behind these tickets and what is loaded to them.

        Args:
            pairs: new pages of the host's, to which nobody else refers yet; no other ticket writes those of the device.
            waits: the forwards that may still write them.
            held: of each band the pages of the device's that the copy holds, those of the pairs among them.
        """
        self._begin(BACKUP, pairs, waits, held)

    def load(self, pairs: Sequence[Pair]) -> None:
        """Copy pages of the host's arena to new ones of the device's, to which nobody else refers yet."""
        bands = range(len(self._allocator.chain.bands))
        self._begin(LOAD, pairs, (), [[pair.vid for pair in pairs if pair.place.band == band] for band in bands])

    def read_in(self, place: Place, host_vid: int, content: bytes) -> None:
        """Let a new page of the host's arena hold these bytes, as many as a page has."""
        ticket = self._host.open("copy", READ_IN)
        (page,) = self._host.hold(ticket, place.band, [host_vid], "write").tolist()
        self._host.share(place.band, [host_vid])
        target = _page(self._host_device, place.band, page)
        touch = self._host_device.page_touch(place.band, page, writes=True)
        piece = Piece(lambda: target.copy_(torch.frombuffer(bytearray(content), dtype=torch.uint8)), lambda: (touch,))
        self._host_device.begin(ticket, READ_IN)
        self._host_device.launch(Work("a page of a file", (piece,), ticket))
        self._host_device.end(ticket)
        bands = range(len(self._host.chain.bands))
        nothing = tuple(frozenset[int]() for _ in bands)
        held = tuple([host_vid] if band == place.band else [] for band in bands)
        self._flying.append(Copy(READ_IN, None, ticket, nothing, held, {}))

    def _begin(self, stream: str, pairs: Sequence[Pair], waits: Iterable[int], vids: Sequence[Sequence[int]]) -> None:
        loads = stream == LOAD
        bands = range(len(self._allocator.chain.bands))
        of_band = [[pair for pair in pairs if pair.place.band == band] for band in bands]
        host_vids = tuple([pair.host_vid for pair in own] for own in of_band)
        waits = (*waits, *self.before(vids, vids if loads else ()))
        ticket = self._allocator.open("copy", stream, waits)
        host_waits = tuple(copy.host_ticket for copy in self._flying if _overlap(copy.host_pages, host_vids))
        host_ticket = self._host.open("copy", stream, host_waits)
        pieces: list[Piece] = []
        bytes_of: dict[Place, torch.Tensor] = {}
        for band in bands:
            if not vids[band]:
                continue
            pages = self._allocator.hold(ticket, band, vids[band], "write" if loads else "read").tolist()
            page_of = dict(zip(vids[band], pages, strict=True))
            if not host_vids[band]:
                continue
            host_pages = self._host.hold(host_ticket, band, host_vids[band], "read" if loads else "write")
            self._host.share(band, host_vids[band])
            for pair, host_page in zip(of_band[band], host_pages.tolist(), strict=True):
                pieces.append(self._piece(band, page_of[pair.vid], host_page, loads=loads))
                if not loads:
                    bytes_of[pair.place] = _page(self._host_device, band, host_page)
        self._device.begin(ticket, stream, waits)
        self._host_device.begin(host_ticket, stream, host_waits)
        self._device.launch(Work(f"{stream} of {len(pairs)}", tuple(pieces), ticket))
        self._device.end(ticket)
        self._host_device.end(host_ticket)
        self._flying.append(Copy(stream, ticket, host_ticket, tuple(map(frozenset, vids)), host_vids, bytes_of))

    def _piece(self, band: int, page: int, host_page: int, *, loads: bool) -> Piece:
        on_device, on_host = _page(self._device, band, page), _page(self._host_device, band, host_page)
        target, source = (on_device, on_host) if loads else (on_host, on_device)
        touches = (
            self._device.page_touch(band, page, writes=loads),
            host_touch(self._host_device.page_touch(band, host_page, writes=not loads)),
        )
        return Piece(lambda: target.copy_(source, non_blocking=True), lambda: touches)

    # --------------------------------------------------------------------------------------------------------- ending

    def poll(self, agreed: Callable[[int], int] = lambda landed: landed) -> None:
        """Take note of those that have landed, without waiting.

        Args:
            agreed: of how many of the oldest ones of a stream, given how many have landed here.
        """
        for stream in (BACKUP, LOAD, READ_IN):
            own = [copy for copy in self._flying if copy.stream == stream]
            landed = sum(1 for _ in takewhile(self._is_over, own))
            for copy in own[: agreed(landed)] if own else ():
                self._end(copy)

    def _is_over(self, copy: Copy) -> bool:
        copy.is_over = copy.is_over or self._host_device.is_over(copy.host_ticket)
        return copy.is_over

    def _end(self, copy: Copy) -> None:
        self._flying.remove(copy)
        self._landed(copy)
        self._host.complete(copy.host_ticket)
        if copy.ticket is not None:
            over = self._device.is_over(copy.ticket)
            assert over, "its end was recorded before the host's"
            self._allocator.complete(copy.ticket)
        for band, ids in enumerate(copy.host_pages):
            if ids:
                self._host.release(band, ids)


def _page(device: ArenaDevice[Any], band: int, page: int) -> torch.Tensor:
    return page_view(device.arena, device.chain.bands[band])[page]


def _meet(pages: Sequence[frozenset[int]], others: Sequence[Iterable[int]]) -> bool:
    return any(not own.isdisjoint(ids) for own, ids in zip(pages, others, strict=False))


def _overlap(pages: Sequence[Iterable[int]], others: Sequence[Iterable[int]]) -> bool:
    return _meet([frozenset(ids) for ids in pages], others)
