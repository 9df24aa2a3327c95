"""What the allocator plans, judged by the definition: from its snapshot, with the specification's own words."""

from collections import Counter
from random import Random

from msgspec.structs import replace

from events.records import Header, Snapshot
from impl.allocator import Allocator
from impl.plan import Plan, Refusal
from spec.admission.layouts import is_legal
from spec.admission.maps import Says
from spec.admission.steps import COMPACT_ENDS, IN_PLACE, RELAYOUT, stays
from spec.concrete import Domains
from spec.judge.opening import opened
from spec.ranges import universe
from spec.state import SETTLED, State
from spec.words import retire
from tests.impl.toys import WEIGHTS, Driver, random_layout

MANY = {**WEIGHTS, "release": 8, "open": 3, "hold": 4, "clear": 0.02}
"""Holes stay, pages are held, and many of those are given up."""


def objection(header: Header, snapshot: Snapshot, plan: Plan) -> str:
    """What is wrong with the spans of a plan; empty if they are a legal layout for its demand, step and tickets."""
    s = opened(header, snapshot)
    for ticket in plan.settle:
        s.apply(retire(s, ticket, SETTLED))  # type: ignore[arg-type]  # a judged arena is read like a state
    used = [set[int]() for _ in header.bands]
    fixed = set()
    for band, page in s.status:
        used[band].add(page)
        if stays(s, plan.step, band, page):  # type: ignore[arg-type]  # likewise
            fixed.add((band, page))
    layout = State(
        bands=s.bands,
        base=s.base,
        capacity=s.capacity,
        bottom=s.bottom,
        top=s.top,
        address=s.address,
        lo=[lo for lo, _ in plan.spans],
        hi=[hi for _, hi in plan.spans],
        need=[len(pages) + count for pages, count in zip(used, plan.demand, strict=True)],
        fixed=Says(lambda band, page: (band, page) in fixed),
    )
    pages = range(-1, 1 + max((page for _, page in fixed), default=0))
    with universe(Domains({"band": range(s.bands), "page": pages})):
        return "" if is_legal(layout) is True else f"{plan} is not a legal layout, where {sorted(fixed)} must stay"


def plan_at_the_edge(driver: Driver, settle: list[int]) -> Plan | Refusal:
    """The plan for a demand that asks for a little more than there is room for as things are."""
    demand = [0 for _ in driver.bands]
    while isinstance(plan := driver.allocator.plan(demand, settle), Plan) and (plan.step, plan.settle) == (
        IN_PLACE,
        (),
    ):
        demand[driver.rnd.choice(driver.bands)] += 1
    return plan


def plans(cases: int) -> Counter[str]:
    """Judge the plans for so many random demands; how many there were of each step, and how many were refused."""
    seen: Counter[str] = Counter()
    rnd = Random(0)
    while seen.total() < cases:
        layout = random_layout(rnd, rnd.choice((2, 3, 3, 4)))
        sizes = [kind.page_bytes for kind in layout.kinds]
        allocator = Allocator(layout, 256 + 2 * max(sizes) + sum(rnd.randint(3, 9) * size for size in sizes))
        driver = Driver(allocator, rnd, MANY)
        for _ in range(40):
            driver.step()
            plan = plan_at_the_edge(driver, driver.settleable() if rnd.random() < 0.5 else [])
            if isinstance(plan, Refusal):
                seen["refused"] += 1
                continue
            seen[f"step {plan.step}"] += 1
            seen["settling"] += bool(plan.settle)
            assert not objection(allocator.header(), allocator.snapshot(), plan)
    return seen


CASES = 2_000
"""Demands."""


def test_every_plan_leads_to_a_legal_layout() -> None:
    seen = plans(CASES)
    assert all(seen[f"step {step}"] > 20 for step in (IN_PLACE, COMPACT_ENDS, RELAYOUT)), seen
    assert seen["settling"] > 20, seen
    assert seen["refused"] > 100, seen


def test_a_plan_over_a_page_that_must_stay_is_found_out() -> None:
    layout = random_layout(Random(1), 3)
    allocator = Allocator(layout, 1 << 12)
    driver = Driver(allocator, Random(1), MANY)
    while not any(band.pages for band in allocator.snapshot().bands[1:2]):
        driver.step()
    plan = allocator.plan([0, 1, 0])
    assert isinstance(plan, Plan)
    assert plan.step == IN_PLACE
    assert not objection(allocator.header(), allocator.snapshot(), plan)
    lo, hi = plan.spans[1]
    for span in ((lo, hi - 1), (hi, hi + hi - lo)):
        wrong = replace(plan, spans=(plan.spans[0], span, plan.spans[2]))
        assert "is not a legal layout" in objection(allocator.header(), allocator.snapshot(), wrong)
