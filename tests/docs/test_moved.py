"""What pictures of decisions show: what moved, and what is held."""

import pytest

from bandgap.documents.drawing import of_scene
from bandgap.documents.scenes.all import example_of
from bandgap.documents.stories.admission import COMPACTED, HELD, IN_PLACE_CASE, RELAID, Case, decided
from bandgap.documents.stories.moved import with_moves
from bandgap.pictures import Arena, Look, Status, used


def labels(arena: Arena) -> list[str]:
    """What is written on the marked pages."""
    return [
        page.label
        for mark in arena.marks
        for page in arena.bands[mark.band].pages
        if arena.bands[mark.band].address(page.number) == mark.begin
    ]


@pytest.mark.parametrize(("case", "moves"), [(COMPACTED, 2), (RELAID, 1), (IN_PLACE_CASE, 0), (HELD, 0)])
def test_what_a_decision_moves_is_marked_where_it_was_and_where_it_is(case: Case, moves: int) -> None:
    decision = decided(case)
    before, after = with_moves(decision.before.arena, decision.after.arena)
    assert len(before.marks) == moves
    assert sorted(labels(before)) == sorted(labels(after))
    assert {mark.look for mark in before.marks} <= {Look.ACTED_ON}
    assert {mark.look for mark in after.marks} <= {Look.CHANGED}
    places = [{(mark.band, mark.begin) for mark in arena.marks} for arena in (before, after)]
    assert not places[0] & places[1]


def test_a_held_page_looks_held_and_a_withheld_one_names_its_ticket() -> None:
    before, after = of_scene(example_of("move"))
    (source,) = (page for page in before.bands[2].pages if page.label == "v0")
    (left,) = (page for page in after.bands[2].pages if page.number == source.number)
    assert (source.status, left.status, left.label) == (Status.HELD, Status.WITHHELD, "t1")
    assert used(before)[0] == (Status.HELD, Status.HOLE)
