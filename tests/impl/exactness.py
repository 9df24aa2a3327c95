"""Plans and refusals compared with exhaustive search, on allocators in random states; what is admitted is carried out.

Every call is judged by the specification, step by step. `python -m tests.impl.exactness --help` makes long runs.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from random import Random
from typing import Final

from events import records as r
from impl.allocator import Allocator
from impl.plan import IN_PLACE, RELAYOUT, Grant, Plan, Refusal
from impl.recording import RecordedAllocator
from spec.judge.judge import Judge
from tests.impl import toys
from tests.impl.brute import (
    expected_plan,
    fits_empty,
    fits_when_released,
    least_evictions,
    situation,
)
from tests.impl.search import least_cost_by_steps
from tests.impl.toys import Driver, random_layout

CALLS: Final = 60
"""Of the driver, in the life of one allocator."""

WEIGHTS: Final = {
    **toys.WEIGHTS,
    "release": 8,
    "open": 3,
    "hold": 4,
    "compact": 0.1,
    "clear": 0.02,
    "renew_memory": 0.01,
}
"""Holes stay, pages are held, and many of those are given up."""

ROOM: Final = {2: (3, 14), 3: (3, 8), 4: (2, 6)}
"""The least and the most pages of each kind for which an arena has bytes, by how many bands there are."""

SHARES: Final = {2: 0.4, 3: 0.4, 4: 0.2}
"""Of the cases, by how many bands there are."""


class Watch:
    """Has every record judged, and adds up what was moved since it was last asked."""

    def __init__(self) -> None:
        self.judge = Judge()
        self.moved: Counter[int] = Counter()

    def __call__(self, record: r.AnyRecord) -> None:
        """Take a record. Raises AssertionError where it is not legal."""
        finding = self.judge.take(record)
        assert finding is None, finding
        if isinstance(record, r.Moved):
            self.moved[record.band] += len(record.sources)


def compare(allocator: Allocator | RecordedAllocator, demand: list[int], settle: list[int]) -> tuple[str, ...]:
    """Assert that the plan is exact: step, tickets, bytes, or reason; says what came of it and in which situation."""
    header, snapshot = allocator.header(), allocator.snapshot()
    plan = allocator.plan(demand, settle)
    assert allocator.snapshot() == snapshot, "a plan changed something"
    expected = expected_plan(header, snapshot, demand, settle)
    circumstances = tuple(_circumstances(snapshot, settle))
    if isinstance(plan, Plan):
        assert expected is not None, f"admitted, though no layout exists: {plan}"
        assert (plan.step, plan.settle, plan.bytes_moved) == (expected.step, expected.settle, expected.bytes_moved)
        return f"step {plan.step}{' settling' if plan.settle else ''}", *circumstances
    assert expected is None, f"refused, though {expected} would do"
    _compare_refusal(header, snapshot, demand, plan)
    return plan.reason, *circumstances


def _compare_refusal(header: r.Header, snapshot: r.Snapshot, demand: list[int], refusal: Refusal) -> None:
    everyone, everybody = frozenset(ticket.ticket for ticket in snapshot.tickets), frozenset(snapshot.publishers)
    if refusal.reason == "never":
        assert not fits_empty(header, demand)
    elif refusal.reason == "after-release":
        named, leaving = frozenset(refusal.tickets), frozenset(refusal.publishers)
        assert fits_when_released(header, snapshot, demand, named, leaving)
        for ticket in named:
            assert not fits_when_released(header, snapshot, demand, named - {ticket}, leaving), "one too many"
        if leaving:
            assert not fits_when_released(header, snapshot, demand, everyone, frozenset())
    else:
        assert fits_empty(header, demand)
        assert not fits_when_released(header, snapshot, demand, everyone, everybody)
        assert list(refusal.evict) == least_evictions(header, snapshot, demand)


def _circumstances(snapshot: r.Snapshot, settle: list[int]) -> list[str]:
    said = {
        "gate closed": bool(snapshot.publishers),
        "pages withheld": any(band.withheld for band in snapshot.bands),
        "pages held": any(ticket.entries for ticket in snapshot.tickets),
        "a settle list": bool(settle),
        "an empty float": any(band.lo == band.hi for band in snapshot.bands[1:-1]),
        "a float in use": any(band.lo < band.hi for band in snapshot.bands[1:-1]),
    }
    return [name for name, so in said.items() if so]


def run(bands: int, cases: int, seed: int = 0) -> Counter[str]:
    """Compare so many demands on chains of so many bands; how often what came of it, and in which situations."""
    seen: Counter[str] = Counter()
    done, life = 0, 0
    while done < cases:
        life += 1
        rnd = Random(f"{seed} {bands} {life}")
        layout = random_layout(rnd, bands)
        sizes = [kind.page_bytes for kind in layout.kinds]
        watch = Watch()
        arena = 256 + 2 * max(sizes) + sum(rnd.randint(*ROOM[bands]) * size for size in sizes)
        recorded = RecordedAllocator(Allocator(layout, arena), watch)
        driver = Driver(recorded, rnd, WEIGHTS)
        for _ in range(CALLS):
            driver.step()
            if rnd.random() < 0.7:
                settle = driver.settleable() if rnd.random() < 0.7 else []
                demand = _demand_at_the_edge(driver, settle)
                seen.update(compare(recorded, demand, settle))
                done += 1
                _carry_out(driver, watch, demand, settle)
        recorded.allocator.check()
        recorded.write_snapshot()
    seen["cases"] = done
    return seen


def _demand_at_the_edge(driver: Driver, settle: list[int]) -> list[int]:
    """A random demand that mostly asks for a little more than there is room for as things are."""
    rnd = driver.rnd
    demand = [rnd.choice((0, 0, 1, 1, 2)) for _ in driver.bands]
    growing = rnd.sample(driver.bands, rnd.randint(0, len(driver.bands)))
    for _ in range(24 if growing else 0):
        plan = driver.allocator.plan(demand, settle)
        if not isinstance(plan, Plan) or plan.step > IN_PLACE or plan.settle:
            break
        demand[rnd.choice(growing)] += 1
    if growing and rnd.random() < 0.2:
        demand[rnd.choice(growing)] += 1
    return demand


def _carry_out(driver: Driver, watch: Watch, demand: list[int], settle: list[int]) -> None:
    """Make the allocation that was planned; what it got is mostly given back, so that the arena does not fill up."""
    plan = driver.allocator.plan(demand, settle)
    watch.moved.clear()
    result = driver.allocator.allocate(demand, settle)
    if not isinstance(plan, Plan):
        assert result == plan
        return
    assert isinstance(result, Grant), "what was planned is done"
    assert [len(ids) for ids in result.ids] == demand
    sizes = driver.allocator.chain.page_bytes
    assert sum(count * sizes[band] for band, count in watch.moved.items()) == plan.bytes_moved
    ends = {0, len(sizes) - 1}
    allowed = set() if plan.step == IN_PLACE else set(driver.bands) if plan.step == RELAYOUT else ends
    assert watch.moved.keys() <= allowed, "no other pages move than the step says"
    driver.took(result)
    if driver.rnd.random() < 0.7:
        for band, ids in enumerate(result.ids):
            driver.allocator.release(band, ids)
            for each in ids.tolist():
                del driver.references[band][each]


def run_by_steps(cases: int, seed: int = 0) -> Counter[str]:
    """Compare with a search over all sequences of page actions, which tries every page in every hole; tiny arenas."""
    seen: Counter[str] = Counter()
    done, life = 0, 0
    while done < cases:
        life += 1
        rnd = Random(f"steps {seed} {life}")
        layout = random_layout(rnd, rnd.choice((2, 2, 3)))
        sizes = [kind.page_bytes for kind in layout.kinds]
        arena = 256 + 2 * max(sizes) + sum(rnd.choice((0, 1, 2, 3)) * size for size in sizes)
        try:
            allocator = Allocator(layout, arena)
        except ValueError:
            continue
        if sum(band.limit - band.first for band in allocator.chain.bands) > 16:
            continue
        driver = Driver(allocator, rnd, WEIGHTS)
        for _ in range(rnd.randint(5, 40)):
            driver.step()
        demand = _demand_at_the_edge(driver, [])
        header, snapshot = allocator.header(), allocator.snapshot()
        plan = allocator.plan(demand)
        moves = isinstance(plan, Plan) and plan.step > IN_PLACE
        if not moves and rnd.random() < 0.97:
            continue
        for step in (1, 2, 3):
            case = situation(header, snapshot, frozenset(), frozenset())
            found = least_cost_by_steps(snapshot, case, demand, step)
            assert found == case.demanding(demand, step).least_cost(), "the law of costs is what legal steps cost"
            if found is not None:
                assert isinstance(plan, Plan)
                assert (plan.step, plan.bytes_moved) == (step, found)
                seen[f"step {step}"] += 1
                break
        else:
            assert isinstance(plan, Refusal)
            seen["refused"] += 1
        done += 1
    seen["cases"] = done
    return seen


def main(arguments: Sequence[str] | None = None) -> int:
    """Run many cases in several processes; 0 if all agree."""
    parser = argparse.ArgumentParser(prog="python -m tests.impl.exactness", description=__doc__)
    parser.add_argument("--cases", type=int, default=100_000, help="demands to compare (default %(default)s)")
    parser.add_argument("--workers", type=int, default=2, help="processes (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of all choices (default %(default)s)")
    options = parser.parse_args(arguments)
    begun = time.monotonic()
    total: Counter[str] = Counter()
    with ProcessPoolExecutor(options.workers) as pool:
        parts = 8 * options.workers
        jobs = [
            pool.submit(run, bands, round(options.cases * share / parts), options.seed * parts + part)
            for part in range(parts)
            for bands, share in SHARES.items()
        ]
        jobs += [
            pool.submit(run_by_steps, round(options.cases / 100 / parts), options.seed * parts + part)
            for part in range(parts)
        ]
        for job in as_completed(jobs):
            total += job.result()
            print(f"\r{total['cases']:,} cases agree, {time.monotonic() - begun:.0f} s", end="", file=sys.stderr)
    print(file=sys.stderr)
    for name, count in sorted(total.items()):
        print(f"{count:9,} {name}")
    print(f"{time.monotonic() - begun:.0f} s in {options.workers} processes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
