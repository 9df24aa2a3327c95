"""What is proved of all devices is watched to hold on a simulated one, whose order and bytes are its own."""

from collections import Counter

import pytest

from properties.specification import ON_DEVICE, dropped
from spec.device.invariants import initial
from spec.ranges import universe
from spec.state import WRITE
from tests.properties.device_walk import SIZES, TOP, BrokenPromise, Walk, WrongBytes
from tests.properties.walk import Step

SEEDS, LENGTH, HUNT = range(5), 120, 150
LEAST = 5
"""Every action is taken at least this often."""

NO_FLOAT = {"device/appear"}
"""With two bands there is no float."""

RULES = {
    "device/hold.a-transfer-meets-nothing-left-on-the-allocators-stream": 2,
    "device/complete.all-its-accesses-are-over": 1,
    "device/drain.the-streams-own-accesses-are-over": 0,
    "device/move.no-outstanding-ticket-can-still-look-the-page-up": 4,
}
"""Rules of the ledger without which a device goes wrong, and the seed of a walk in which it does."""

WAITS = {
    "a ticket waits for the allocator's stream": "a ticket's stream waits for the allocator's stream",
    "the allocator's stream waits for settled tickets": "it waits for the tickets that were settled",
}
"""What a device may forget, and the promise that it then breaks."""


def broken(step: Step) -> list[str]:
    of_states = {**ON_DEVICE.invariants, **ON_DEVICE.theorems}
    wrong = [name for name, stated in of_states.items() if stated.holds(step.after) is not True]
    return wrong + [
        name for name, stated in ON_DEVICE.steps.items() if stated.holds(step.before, step.after) is not True
    ]


def written(step: Step) -> tuple[int, int] | None:
    """The page to which an access writes that lands or tears in this step."""
    if step.action.name not in {"device/land", "device/tear"}:
        return None
    s, (access,) = step.before, step.arguments
    if s.on_table[access] or s.way[access] != WRITE:
        return None
    return s.in_band[access], s.at_page[access]


def struck(step: Step, band: int, page: int) -> int:
    """How many other pages share bytes with the one that is written: none shows what it did, and the rest all do."""
    begin, end = page * SIZES[band], (page + 1) * SIZES[band]
    others = [(other, its) for other in range(len(SIZES)) for its in range(-1, TOP + 1) if (other, its) != (band, page)]
    meeting = [at for at in others if at[1] * SIZES[at[0]] < end and begin < (at[1] + 1) * SIZES[at[0]]]
    for at in others:
        expected = step.before.garbage if at in meeting else step.before.memory[at]
        assert step.after.memory[at] == expected, (step.action.name, (band, page), at)
    return len(meeting)


def test_a_write_leaves_garbage_in_all_pages_that_share_its_bytes_and_in_no_others() -> None:
    met: Counter[str] = Counter()
    for seed in SEEDS[:2]:
        walk = Walk(seed)
        with universe(walk.domains):
            for step in walk.steps(LENGTH):
                at = written(step)
                if at is not None:
                    met[step.action.name] += struck(step, *at)
    assert min(met[name] for name in ("device/land", "device/tear")) > 5


def test_every_property_holds_after_every_step_and_the_device_finds_no_race() -> None:
    taken: Counter[str] = Counter()
    for seed in SEEDS:
        walk = Walk(seed)
        with universe(walk.domains):
            assert initial(walk.state) is True
            for step in walk.steps(LENGTH):
                assert not walk.device.races(), (seed, step.action.name, step.arguments)
                assert not broken(step), (seed, step.action.name, step.arguments, broken(step))
        taken += walk.taken
    assert sum(taken.values()) == len(SEEDS) * LENGTH
    assert {name for name in ON_DEVICE.actions if taken[name] < LEAST} == NO_FLOAT


@pytest.mark.parametrize("forgotten", WAITS)
def test_a_device_that_forgets_a_wait_breaks_its_promise(forgotten: str) -> None:
    with pytest.raises(BrokenPromise, match=WAITS[forgotten]):
        taken_in_vain(frozenset({forgotten}))


def taken_in_vain(forgets: frozenset[str]) -> None:
    for seed in range(20):
        walk = Walk(seed, forgets=forgets)
        with universe(walk.domains):
            list(walk.steps(LENGTH))


@pytest.mark.parametrize("forgotten", WAITS)
def test_where_its_promise_is_believed_there_is_a_race(forgotten: str) -> None:
    """The device's own order, which knows nothing of the specification, and the specification find it at one step."""
    for seed in range(20):
        walk = Walk(seed, forgets=frozenset({forgotten}), believed=True)
        with universe(walk.domains):
            for step in walk.steps(LENGTH):
                races = walk.device.races()
                assert bool(races) is ("race-free" in broken(step)), (seed, step.action.name, step.arguments)
                if races:
                    return
    raise AssertionError("no race was found")


@pytest.mark.parametrize(("rule", "likely"), RULES.items())
def test_without_a_rule_of_the_ledger_a_device_that_keeps_all_promises_goes_wrong(rule: str, likely: int) -> None:
    weakened = dropped(ON_DEVICE, rule)
    for seed in (likely, *range(40)):
        walk = Walk(seed, whole=weakened)
        try:
            with universe(walk.domains):
                if any(walk.device.races() for _ in walk.steps(HUNT)):
                    return
        except WrongBytes:
            return
    raise AssertionError("nothing went wrong")
