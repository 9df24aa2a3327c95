"""The study of removals: every wait, event and use of the ledger in `impl` left out by itself, and what notices.

Where one is left out that keeps work in order or pages from being reused, bytes race, or a page is handed out under its
holder: these are the seeded faults of `fuzz.faults.removals`, which `test_faults.py` tries one by one. The others end
what was entered before. Without them the allocator holds back more than it must, and nothing goes wrong with any
bytes; what notices is that its tables are not the judge's.
"""

import ast
from collections.abc import Iterator

import pytest

from fuzz.faults.fault import FAULTS
from fuzz.faults.removals import REMOVALS
from fuzz.faults.trial import LIVES, trial_setups
from fuzz.faults.without import Piece, without
from fuzz.seeded import run_seeded
from fuzz.targets.simulated import SIMULATED
from impl.allocator import Allocator
from impl.holders import Holders
from impl.ledger import Ledger
from impl.steps import Steps
from tests.fuzz.sites import Site, sites

HOLDS_BACK_MORE = {
    "what-completed-tickets-held": Piece(Allocator, "complete", "self._steps.retire(holder, settled=False)"),
    "what-settled-tickets-held": Piece(Allocator, "settle", "self._steps.retire(holder, settled=True)"),
    # the allocator's own assertion stops the moves that were planned as if they had let go
    "what-was-settled-to-make-room": Piece(Steps, "carry_out", "self.retire(ticket, settled=True)"),
    "retired-tickets": Piece(Steps, "retire", "self._ledger.retire(ticket, settled=settled)", "()"),
    "pages-that-nobody-holds-now": Piece(Ledger, "retire", "holders.remove(holding)", "NOTHING"),
    "holders-that-have-gone": Piece(Holders, "remove", "self.holders[pages] = others"),
    "writers-that-have-gone": Piece(Holders, "remove", "self.writers[holding.all_written()] -= _ONE"),
    "entries-that-have-gone": Piece(Holders, "remove", "self.entries -= pages.size"),
    "pins-that-have-gone": Piece(Ledger, "retire", "self._pins[band] = None if holders.entries else NO_EXTENT"),
    "tickets-that-are-waited-for": Piece(Ledger, "open", "after.add(other)"),
    "what-is-drained": Piece(Allocator, "drain", "band.holders.drain()"),
    "what-is-queued-on-drained-pages": Piece(Holders, "drain", "self.queued[pages] = NONE"),
    "the-list-of-drained-pages": Piece(Holders, "drain", "self._on_queue.clear()"),
}
"""What the allocator takes to be held, queued or in conflict for ever without this."""

NOBODY_NEEDS_TO_NOTICE = {
    Site("ArenaDevice._wait_for_allocator", "self._behind[stream] = tail"),  # a stream waits once more for the same
    Site("ArenaDevice.wait_for", "self._is_under_way(ticket)"),  # an assertion about whoever opens tickets
    Site("Allocator.quarantine", "self._ledger.quarantined.add(transfer.number)"),  # what it holds, it holds anyway
}

PART_OF_ANOTHER = {
    # filled with what is looked up, which is left out
    Site("Ledger.pins", "pins = self._pins[band] = self.pins_without(band, frozenset())"): "retiring-unpins-the-others",
    # without it there is no event at all, and the code breaks: the fault is to have an old one
    Site("ArenaDevice.tail", "self._tail = self.runtime.record(ALLOCATOR)"): "later-work-waits-for-the-move-before",
    Site("ArenaDevice.tail", "self.runtime.record(ALLOCATOR)"): "later-work-waits-for-the-move-before",
    # without the entry the code around it breaks; without that too, nothing is entered
    Site("Ledger.hold", "self._bands[band].add(ticket.number, ticket.holdings[band], pages, mode)"): (
        "pages-are-given-off-the-ledger"
    ),
    # whom there is to look at
    Site("Ledger.check_hold", "holders.used_by_others(pages, mode, ticket.holdings[band])"): (
        "other-tickets-are-not-looked-at"
    ),
    # what is kept, which is left out
    Site(
        "ArenaDevice.transfer",
        "self._ends[work.ticket] = (*self._ends.get(work.ticket, ()), self.runtime.transfer(work))",
    ): "transfers-have-no-end",
}
"""Uses that are left out with another, by the name of that fault."""


def _left_out_with(piece: Piece) -> Iterator[Site]:
    owner = f"{piece.owner.__name__}." if isinstance(piece.owner, type) else ""
    for node in ast.walk(ast.parse(piece.text)):
        if isinstance(node, ast.expr | ast.stmt):
            yield Site(f"{owner}{piece.function}", ast.unparse(node))


def test_every_wait_event_and_use_of_the_ledger_is_left_out_or_explained() -> None:
    found = set(sites())
    assert len(found) >= 60
    # what holds the bytes back is called elsewhere than it is
    pieces = [*(pieces[0] for pieces in REMOVALS.values()), *HOLDS_BACK_MORE.values()]
    left_out = {site for piece in pieces for site in _left_out_with(piece)}
    assert found - left_out == {*NOBODY_NEEDS_TO_NOTICE, *PART_OF_ANOTHER}
    assert set(PART_OF_ANOTHER.values()) <= REMOVALS.keys()


def test_each_is_caught_by_a_race_or_by_a_page_that_is_handed_out_under_its_holder() -> None:
    assert len(REMOVALS) >= 38
    assert {FAULTS[name].property for name in REMOVALS} == {"race-free", "ledger-gated-reuse"}


NOTICED_BY = {"what-was-settled-to-make-room": "crash"}


@pytest.mark.parametrize("what", HOLDS_BACK_MORE)
def test_what_is_never_let_go_is_noticed(what: str) -> None:
    with without(HOLDS_BACK_MORE[what]):
        run = run_seeded(
            trial_setups(), 7, target=SIMULATED, calls=5_000, lives=LIVES, reduce_seconds=0.5, follow=False
        )
    assert run.failure is not None
    assert run.failure.property == NOTICED_BY.get(what, "agreement")


def test_a_piece_that_is_not_there_cannot_be_left_out() -> None:
    with (
        pytest.raises(ValueError, match=r"Allocator.drain has 'nobody\(\)' 0 times"),
        without(Piece(Allocator, "drain", "nobody()")),
    ):
        pass
