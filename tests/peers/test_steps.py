"""From two looks at an arena to steps that the judge takes, or names."""

from functools import partial
from random import Random

import msgspec
import pytest

from events.records import AnyRecord
from fuzz.peers.inside.driver import Broken
from fuzz.peers.inside.steps import Seen, steps_between
from fuzz.peers.inside.tape import Tape
from fuzz.peers.inside.witness import BandMade, Chain, Witness
from spec.judge.judge import judge_records
from spec.judge.verdict import Finding

CHAIN = Chain("test", "test", [BandMade("state", 96), BandMade("window", 40), BandMade("full", 64)], 0, 3840, 0, 60)
EMPTY = [Seen(0, 0, {}), Seen(0, 0, {}), Seen(60, 60, {})]


def judged(*looks: list[Seen]) -> Finding | None:
    """What the judge says of an arena that was asked for what it shows and then rearranged itself from look to look."""
    tape, shown = Tape(), [EMPTY]
    witness = Witness(tape, CHAIN, memoryview(bytearray(3840)), lambda: shown[-1])
    given = [list(seen.table) for seen in looks[0]]

    def show(look: list[Seen]) -> list[list[int]]:
        shown.append(look)
        return given

    witness.allocate([len(ids) for ids in given], lambda: show(looks[0]))
    for later in looks[1:]:
        witness.rearrange(partial(show, later))
    records = [msgspec.convert(record, AnyRecord) for record in tape.take()]
    assert len(records) > 8
    return judge_records(records).finding


def look(rnd: Random, states: int, windows: int, fulls: int) -> list[Seen]:
    """Any legal look with so many pages of each, and a few holes."""
    sizes = [count + rnd.randint(0, 3) if count else 0 for count in (states, windows, fulls)]
    low, high = sizes[0] * 96, 3840 - sizes[2] * 64
    first = rnd.randint(-(-low // 40), high // 40 - sizes[1])
    spans = [(0, sizes[0]), (first, first + sizes[1]), (60 - sizes[2], 60)]
    tables = [
        dict(zip(range(count), rnd.sample(range(*span), count), strict=True))
        for span, count in zip(spans, (states, windows, fulls), strict=True)
    ]
    return [Seen(*span, table) for span, table in zip(spans, tables, strict=True)]


@pytest.mark.parametrize("seed", range(40))
def test_any_rearrangement_without_cycles_is_legal(seed: int) -> None:
    rnd = Random(seed)
    counts = rnd.randint(0, 8), rnd.randint(0, 12), rnd.randint(0, 14)
    before, after = look(rnd, *counts), look(rnd, *counts)
    # the order of pages within a band stays, so that a hole is all that a move needs
    before, after = ([_in_order(seen) for seen in each] for each in (before, after))
    assert judged(before, after) is None


def _in_order(seen: Seen) -> Seen:
    return Seen(seen.lo, seen.hi, dict(zip(sorted(seen.table), sorted(seen.table.values()), strict=True)))


def test_a_float_vanishes_and_appears_elsewhere() -> None:
    there = [EMPTY[0], Seen(5, 7, {1: 5, 2: 6}), EMPTY[2]]
    elsewhere = [EMPTY[0], Seen(9, 10, {3: 9}), EMPTY[2]]
    tape, shown = Tape(), [EMPTY]
    witness = Witness(tape, CHAIN, memoryview(bytearray(3840)), lambda: shown[-1])

    def show(look: list[Seen], given: list[list[int]]) -> list[list[int]]:
        shown.append(look)
        return given

    witness.allocate([0, 2, 0], lambda: show(there, [[], [1, 2], []]))
    witness.release({1: [1, 2]}, lambda: show(EMPTY, []))
    witness.allocate([0, 1, 0], lambda: show(elsewhere, [[], [3], []]))
    records = [msgspec.convert(record, AnyRecord) for record in tape.take()]
    verdict = judge_records(records)
    assert verdict.finding is None
    assert verdict.by_action["appear"] == 2
    assert verdict.by_action["absorb-low"] == 2


def test_two_ids_at_one_page_are_no_legal_move() -> None:
    before = [EMPTY[0], EMPTY[1], Seen(57, 60, {1: 57, 2: 58, 3: 59})]
    finding = judged(before, [EMPTY[0], EMPTY[1], Seen(57, 60, {1: 58, 2: 58, 3: 59})])
    assert finding is not None
    assert (finding.check, finding.blame) == ("bijection", "allocator")


def test_bands_that_meet_break_their_order() -> None:
    before = [Seen(0, 1, {1: 0}), EMPTY[1], Seen(59, 60, {1: 59})]
    finding = judged(before, [before[0], EMPTY[1], Seen(1, 60, {1: 59})])
    assert finding is not None
    assert finding.check == "band-order"


def test_an_id_that_vanishes_is_broken_at_once() -> None:
    with pytest.raises(Broken) as caught:
        steps_between([Seen(0, 2, {1: 0, 2: 1})], [Seen(0, 2, {1: 0})])
    assert caught.value.property == "bijection"
