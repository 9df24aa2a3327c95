"""Plans and refusals compared with exhaustive search; every admitted plan is carried out and watched."""

from itertools import product
from random import Random

import pytest

from impl.allocator import Allocator
from impl.plan import Plan, Refusal
from tests.impl import exactness
from tests.impl.brute import Problem, situation
from tests.impl.exactness import compare
from tests.impl.toys import Driver, filled, random_layout, toy_layout

CASES = [(2, 1500), (3, 500), (4, 250)]
"""Bands, and demands on chains of so many."""

BY_STEPS = 150
"""Demands that are met by a search through page actions."""


@pytest.mark.parametrize(("bands", "cases"), CASES)
def test_plans_are_exact_and_can_be_carried_out(bands: int, cases: int) -> None:
    seen = exactness.run(bands, cases)
    assert cases <= seen["cases"]
    moving = "step 2" if bands == 2 else "step 3"
    floats = set() if bands == 2 else {"an empty float", "a float in use"}
    situations = {"gate closed", "pages withheld", "pages held", "a settle list"} | floats
    assert {"step 1", moving, "after-release", "evict", "never"} | situations <= seen.keys(), seen
    assert any(name.endswith("settling") for name in seen), seen


def test_no_sequence_of_page_actions_moves_fewer_bytes() -> None:
    seen = exactness.run_by_steps(BY_STEPS)
    assert {"step 1", "step 2", "step 3", "refused"} <= seen.keys(), seen


def test_a_long_run_adds_up_what_its_processes_did(capsys: pytest.CaptureFixture[str]) -> None:
    assert exactness.main(["--cases", "400", "--workers", "1", "--seed", "3"]) == 0
    printed = capsys.readouterr()
    assert "cases agree" in printed.err
    assert "gate closed" in printed.out


PATTERNS = 37
"""Every seventh way in which four pages can be holes, live, held or withheld."""

DEMANDS = 6 * 8 * 2
"""On each, with a ticket that may be settled, and without."""


def test_every_pattern_of_pins_and_every_demand() -> None:
    """Two bands with pages of 48 and 32 bytes in 192; each page a hole, live, held, or withheld."""
    layout = toy_layout(("state", 48), ("full", 32))
    patterns = list(product(("hole", "live", "held", "withheld"), repeat=2 + 2))
    compared = 0
    assert len(patterns[::7]) == PATTERNS
    for pattern in patterns[::7]:
        allocator = Allocator(layout, 256 + 192)
        names = filled(allocator, [2, 2])
        ticket = allocator.open("forward", "main")
        for band in (0, 1):
            fates = dict(zip(names[band].tolist(), pattern[2 * band : 2 * band + 2], strict=True))
            allocator.hold(ticket, band, [each for each, fate in fates.items() if fate in ("held", "withheld")], "read")
            allocator.release(band, [each for each, fate in fates.items() if fate in ("hole", "withheld")])
        for demand in product(range(6), range(8)):
            for settle in ([], [ticket]):
                compare(allocator, list(demand), settle)
                compared += 1
    assert compared == PATTERNS * DEMANDS


def test_two_kinds_each_have_room_for_four_but_together_only_for_three() -> None:
    layout = toy_layout(("state", 64), ("full", 64))
    allocator = Allocator(layout, 256 + 64 * 7)
    filled(allocator, [0, 1])
    for demand, fits in (([6, 0], True), ([0, 6], True), ([3, 3], True), ([4, 3], False), ([4, 4], False)):
        assert isinstance(allocator.plan(demand), Plan) == fits
        compare(allocator, demand, [])


def test_a_float_finds_no_position_on_its_grid_between_two_full_neighbours() -> None:
    # pages of the float begin at multiples of 112; bytes 352 to 480 are left, which are enough for one, but 336 is
    # taken and 448 leaves only 32
    layout = toy_layout(("state", 16), ("window9", 112), ("full", 48))
    allocator = Allocator(layout, 48 * 12)
    assert (allocator.chain.base, allocator.chain.capacity) == (256, 576)
    filled(allocator, [6, 0, 2])
    refusal = allocator.plan([0, 1, 0])
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, refusal.evict) == ("evict", (1, None, 2))
    compare(allocator, [0, 1, 0], [])


def test_a_page_held_for_reading_at_the_frontier_stays_where_it_is() -> None:
    layout = toy_layout(("state", 64), ("full", 64))
    allocator = Allocator(layout, 256 + 64 * 8)
    states, _ = filled(allocator, [4, 4])
    ticket = allocator.open("forward", "main")
    frontier = states[allocator.translate(0, states).argmax()]
    allocator.hold(ticket, 0, [frontier], "read")
    allocator.release(0, [each for each in states if each != frontier])
    refusal = allocator.plan([0, 2])
    assert isinstance(refusal, Refusal)
    assert (refusal.reason, refusal.tickets) == ("after-release", (ticket,))
    compare(allocator, [0, 2], [])
    plan = allocator.plan([0, 2], [ticket])
    assert isinstance(plan, Plan)
    assert (plan.step, plan.settle, plan.bytes_moved) == (2, (ticket,), 64)
    compare(allocator, [0, 2], [ticket])


def test_the_search_itself_agrees_with_trying_every_combination() -> None:
    rnd = Random(5)
    compared = 0
    while compared < 60:
        layout = random_layout(rnd, rnd.choice((2, 3)))
        sizes = [kind.page_bytes for kind in layout.kinds]
        allocator = Allocator(layout, 256 + 3 * max(sizes) + sum(rnd.randint(1, 2) * size for size in sizes))
        driver = Driver(allocator, rnd)
        for _ in range(20):
            driver.step()
        case = situation(allocator.header(), allocator.snapshot(), frozenset(), frozenset())
        for step in (1, 2, 3):
            problem: Problem = case.demanding([rnd.randint(0, 2) for _ in sizes], step)
            assert problem.least_cost() == problem.least_cost_naively()
            compared += 1
