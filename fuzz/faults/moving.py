"""Faults in moving pages: under writers, past the gate, and half done."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any
from weakref import WeakSet

import numpy as np

import impl.allocator
from fuzz.faults.fault import fault, replaced
from impl.admission import Admission
from impl.allocator import Allocator
from impl.device.immediate import ImmediateDevice
from impl.ledger import NO_EXTENT, Ledger
from impl.numbers import Int64
from impl.steps import Steps

Method = Callable[..., Any]


def _unasserted(move: Method) -> Method:
    """Moving pages whoever holds them."""

    def patched(self: Any, number: int, *pages: Int64) -> None:
        holders = self._bands[number].holders
        counts, holders.holders = holders.holders, np.zeros_like(holders.holders)
        try:
            move(self, number, *pages)
        finally:
            holders.holders = counts

    return patched


@fault("allocator", "writers-pin", "sglang#36731")
def writers_do_not_pin() -> Iterator[None]:
    """Compaction moves pages although a ticket writes them."""

    def readers(ledger: Any, band: int) -> tuple[int, int]:
        held = [ticket.holdings[band] for ticket in ledger.tickets.values()]
        held = [holding for holding in held if holding is not None and not holding.written]
        return (min(each.lo for each in held), max(each.hi for each in held)) if held else NO_EXTENT

    def careless(compact: Method) -> Method:
        def patched(self: Any, budget: int) -> Any:
            self._ledger.pins = partial(readers, self._ledger)
            try:
                return compact(self, budget)
            finally:
                del self._ledger.pins

        return patched

    with replaced(Allocator, "compact", careless), replaced(Steps, "_move", _unasserted):
        yield


@fault("allocator", "outside-is-free", "sglang#36731")
def senders_do_not_pin() -> Iterator[None]:
    """Compaction moves a page although a transfer reads it where it was, and that address is handed on."""

    def careless(pins: Method) -> Method:
        def patched(self: Any, band: int) -> Any:
            holdings = {number: ticket.holdings[band] for number, ticket in self.tickets.items() if ticket.is_transfer}
            senders = [number for number, held in holdings.items() if held is not None and not held.written]
            return self.pins_without(band, frozenset(senders))

        return patched

    with replaced(Ledger, "pins", careless), replaced(Steps, "_move", _unasserted):
        yield


def _gate_hidden(call: Method) -> Method:
    """The call as if nobody had published anything."""

    def patched(self: Any, *given: Any, **named: Any) -> Any:
        publishers = dict(self._publishers)
        self._publishers.clear()
        try:
            return call(self, *given, **named)
        finally:
            self._publishers.update(publishers)

    return patched


@fault("allocator", "gate-holds", "sglang#39982 (a)")
def admission_ignores_the_gate() -> Iterator[None]:
    """Pages move to make room for a demand while somebody has published addresses."""
    with replaced(Admission, "plan", _gate_hidden):
        yield


@fault("allocator", "gate-holds", "sglang#37417")
def one_band_ignores_the_gate() -> Iterator[None]:
    """While somebody has published addresses, the band at the low end compacts all the same."""
    published = [False]

    def watched(compact: Method) -> Method:
        def patched(self: Any, budget: int) -> Any:
            published[0] = bool(self._publishers)
            return _gate_hidden(compact)(self, budget)

        return patched

    def of_one_band(compacting_moves: Method) -> Method:
        return lambda pages, *rest: compacting_moves(pages, *rest) if pages.low_end or not published[0] else None

    with replaced(Allocator, "compact", watched), replaced(impl.allocator, "compacting_moves", of_one_band):
        yield


@fault("allocator", "gate-holds", "sglang#33362")
def one_unpublish_opens_the_gate() -> Iterator[None]:
    """When one of several takes its addresses back, the gate opens for all."""
    opened: WeakSet[Allocator] = WeakSet()

    def opening(unpublish: Method) -> Method:
        def patched(self: Any, who: str) -> None:
            unpublish(self, who)
            opened.add(self)

        return patched

    def closing(publish: Method) -> Method:
        def patched(self: Any, who: str) -> None:
            publish(self, who)
            opened.discard(self)

        return patched

    def careless(call: Method) -> Method:
        return lambda self, *given, **named: (_gate_hidden(call) if self in opened else call)(self, *given, **named)

    with ExitStack() as stack:
        stack.enter_context(replaced(Allocator, "publish", closing))
        stack.enter_context(replaced(Allocator, "unpublish", opening))
        for name in ("allocate", "compact"):
            stack.enter_context(replaced(Allocator, name, careless))
        yield


@fault("allocator", "content", "sglang#31471")
def page_table_on_the_device_is_stale_after_a_move() -> Iterator[None]:
    """Compaction moves pages and does not tell the page table that kernels read."""
    moving = [False]

    def watched(compact: Method) -> Method:
        def patched(self: Any, *arguments: Any) -> None:
            moving[0] = True
            compact(self, *arguments)
            moving[0] = False

        return patched

    def careless(update: Method) -> Method:
        return lambda self, *arguments: None if moving[0] else update(self, *arguments)

    with replaced(Steps, "compact", watched), replaced(ImmediateDevice, "update_table", careless):
        yield


@fault("device", "content", "sglang#40128")
def moves_leave_the_bytes_behind() -> Iterator[None]:
    """A page moves in the tables, and its bytes stay where they were."""
    with replaced(ImmediateDevice, "move_pages", lambda _: lambda *_: None):
        yield


@fault("device", "content", "sglang#31218")
def moves_copy_half_of_a_page() -> Iterator[None]:
    """Of a page that moves, only the first half of the bytes is copied."""

    def careless(_: Method) -> Method:
        def patched(self: Any, band: int, sources: Int64, targets: Int64) -> None:
            size = self.chain.bands[band].page_bytes
            pages = self.arena.as_strided(
                (self.chain.bands[band].limit, size // 2), (size, 1), self.chain.bands[band].origin
            )
            pages[targets] = pages[sources]

        return patched

    with replaced(ImmediateDevice, "move_pages", careless):
        yield
