"""Faults in the ledger: what tickets hold, and when they stop."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import impl.ledger
from fuzz.faults.fault import fault, replaced
from impl.ids import IdSpace
from impl.ledger import Ledger, Ticket
from impl.numbers import Int64
from impl.pages import WITHHELD, Pages
from impl.steps import Steps

Method = Callable[..., Any]


@fault("allocator", "outside-is-free", "sglang#35049")
def free_ignores_holders() -> Iterator[None]:
    """A page that is freed becomes a hole at once, although tickets still hold it."""

    def careless(free: Method) -> Method:
        def patched(self: Any, number: int, ids: Int64) -> None:
            holders = self._bands[number].holders
            entries, holders.entries = holders.entries, 0
            free(self, number, ids)
            holders.entries = entries

        return patched

    with replaced(Steps, "free", careless):
        yield


@fault("allocator", "ledger-wellformed", "trtllm#15018")
def retiring_forgets_other_holders() -> Iterator[None]:
    """When a ticket retires, withheld pages of its own may be handed out even if another ticket holds them too."""

    def careless(retire: Method) -> Method:
        def patched(self: Any, ticket: Ticket, *, settled: bool) -> None:
            held = [(band, each.all_pages()) for band, each in enumerate(ticket.holdings) if each is not None]
            retire(self, ticket, settled=settled)
            for band, mine in held:
                pages = self._bands[band].pages
                withheld = mine[pages.states[mine] == WITHHELD]
                pages.give_back(withheld)
                pages.list_holes(withheld)

        return patched

    with replaced(Steps, "retire", careless):
        yield


@fault("allocator", "ledger-gated-reuse", "sglang#27586")
def withheld_pages_are_handed_out() -> Iterator[None]:
    """An allocation is given a withheld page instead of a hole."""

    def careless(take_holes: Method) -> Method:
        def patched(self: Any, count: int) -> Int64:
            pages: Int64 = take_holes(self, count)
            withheld = self.pages_that_are(WITHHELD, self.lo, self.hi)
            if not (pages.size and withheld.size):
                return pages
            self.withheld -= 1
            return np.concatenate((withheld[:1], pages[1:]))

        return patched

    with replaced(Pages, "take_holes", careless):
        yield


@fault("allocator", "ledger-wellformed", "sglang#39982 (c)")
def only_the_last_withheld_page_comes_back() -> Iterator[None]:
    """Of several pages that were withheld until a ticket completes, all but the last stay withheld for ever."""

    def careless(retire: Method) -> Method:
        def patched(self: Any, ticket: Ticket, *, settled: bool) -> Any:
            let_go = retire(self, ticket, settled=settled)
            return let_go if settled else [(band, pages[-1:]) for band, pages in let_go]

        return patched

    with replaced(Ledger, "retire", careless):
        yield


@fault("allocator", "ids-fresh", "vllm#52234")
def ids_come_back_before_their_holders_retire() -> Iterator[None]:
    """The id of a freed page may be minted again at once, although a ticket still knows it."""

    def careless(free: Method) -> Method:
        def patched(self: Any, number: int, ids: Int64) -> None:
            band = self._bands[number]
            free(self, number, ids)
            withheld = ids[band.pages.states[band.ids.page_of[ids]] == WITHHELD]
            band.ids.recycle(withheld)

        return patched

    def once(recycle: Method) -> Method:
        return lambda self, ids: recycle(self, np.setdiff1d(ids, self.mintable()))

    with replaced(Steps, "free", careless), replaced(IdSpace, "recycle", once):
        yield


@fault("allocator", "ledger-wellformed", "sglang#18746")
def rivals_are_not_looked_for() -> Iterator[None]:
    """A ticket is given pages that an unordered one writes."""
    with replaced(Ledger, "_check_rivals", lambda _: lambda *_: None):
        yield


@fault("allocator", "transfers-meet-nothing", "sglang#9821")
def transfers_do_not_look_at_the_stream() -> Iterator[None]:
    """A transfer is given pages on which the allocator's stream still works."""

    def careless(check_hold: Method) -> Method:
        def patched(self: Any, ticket: Ticket, band: int, *rest: Any) -> None:
            holders = self._bands[band]
            queued, holders.queued = holders.queued, np.zeros_like(holders.queued)
            try:
                check_hold(self, ticket, band, *rest)
            finally:
                holders.queued = queued

        return patched

    with replaced(Ledger, "check_hold", careless):
        yield


@fault("allocator", "transfers-meet-nothing", "work on bytes that were another kind's page")
def transfers_look_only_at_what_is_queued_for_their_own_band() -> Iterator[None]:
    """A transfer is given a page at bytes on which the allocator's stream still works, as pages of another band."""

    def careless(at_bytes_above: Method) -> Method:
        return lambda band, pages, other, *rest: at_bytes_above(band, pages, other, *rest) & (band is other)

    with replaced(impl.ledger, "at_bytes_above", careless):
        yield
