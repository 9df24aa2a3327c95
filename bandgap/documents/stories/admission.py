"""Admission on three arenas: in place, by compacting the ends, and by relayout; and a refusal."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bandgap.documents.stories.telling import FULL, Moment, Telling
from bandgap.phrases import counted
from events.records import Refused
from fuzz.faults.all import FAULTS
from fuzz.oracle.admission import Met, check_grant, check_refusal
from fuzz.oracle.situation import Situation
from fuzz.violation import Violation
from impl.plan import COMPACT_ENDS, IN_PLACE, RELAYOUT, Grant, Plan, Refusal

STEPS = {IN_PLACE: "in place", COMPACT_ENDS: "compact the ends", RELAYOUT: "relayout"}


@dataclass(frozen=True)
class Decision:
    """A joint demand: the arena before and after, and what was decided."""

    demand: tuple[int, ...]
    before: Moment
    after: Moment
    said: str
    """The plan or the refusal, in a sentence."""


@dataclass(frozen=True)
class Case:
    """An arena in some situation, and what is asked of it."""

    situation: Callable[[Telling], None]
    demand: tuple[int, ...]

    def told(self) -> Telling:
        """An allocator in the situation."""
        telling = Telling()
        self.situation(telling)
        return telling


def decided(case: Case) -> Decision:
    """What the allocator decides, and does."""
    telling = case.told()
    before = telling.moment()
    result = telling.allocator.allocate(case.demand)
    said = _admitted(result.plan) if isinstance(result, Grant) else _refused(result)
    return Decision(case.demand, before, telling.moment(), said)


def faulty(case: Case, fault: str) -> tuple[Telling, Plan | Refusal]:
    """An allocator with a seeded fault in the situation, and what it decides."""
    with FAULTS[fault].apply():
        telling = case.told()
        return telling, telling.allocator.plan(case.demand)


def misled(case: Case, fault: str) -> Decision:
    """What an allocator with a seeded fault decides; nothing of it is done."""
    telling, result = faulty(case, fault)
    now = telling.moment()
    return Decision(case.demand, now, now, _admitted(result) if isinstance(result, Plan) else _refused(result))


def objection(case: Case, fault: str) -> str:
    """What the fuzzer's oracle says of the decision of an allocator with a seeded fault; empty if nothing."""
    telling, result = faulty(case, fault)
    assert telling.judge.state is not None
    known = Situation(telling.judge.state)
    try:
        if isinstance(result, Plan):
            check_grant(known, case.demand, (), Met(result.step, result.settle, {move.band for move in result.moves}))
        else:
            refused = Refused(result.reason, list(result.tickets), list(result.publishers), list(result.evict))
            check_refusal(known, case.demand, (), refused)
    except Violation as violation:
        return f"{violation.property}: {violation.problem}"
    return ""


def _admitted(plan: Plan) -> str:
    moves = sum(move.sources.size for move in plan.moves)
    copied = f"{counted(moves, 'page')} and {plan.bytes_moved:,} bytes are copied" if moves else "nothing moves"
    return f"Admitted, {STEPS[plan.step]}: {copied}."


def _refused(refusal: Refusal) -> str:
    match refusal.reason:
        case "never":
            return "Refused for good: an empty arena could not hold it."
        case "after-release":
            waited = [*(f"ticket {ticket} retires" for ticket in refusal.tickets)]
            waited += [f"{who} takes its addresses back" for who in refusal.publishers]
            return f"Refused until {' and '.join(waited)}."
    counts = [(band, count) for band, count in enumerate(refusal.evict) if count is not None]
    enough = [f"{counted(count, 'page')} of band {band}" for band, count in counts]
    return f"Refused until enough is given up: {', or '.join(enough)}."


# ---------------------------------------------------------------------------------------------------------- the cases


def _with_room(telling: Telling) -> None:
    telling.give(2, 2, 6)


def _with_holes_at_the_end(telling: Telling) -> None:
    """The full band has holes at its top, and the window band no gap left beside it."""
    first = telling.give(1, 3, 5)
    telling.give(0, 4, 3)
    telling.allocator.release(FULL, first.ids[FULL][:4])


def _with_a_float_in_the_way(telling: Telling) -> None:
    """The window band floats in the middle of what the state band asks for."""
    telling.give(3, 2, 3)


def _with_pages_that_are_read(telling: Telling) -> None:
    """Pages were given back while a transfer still reads them."""
    given = telling.give(1, 2, 16)
    ticket = telling.allocator.open("transfer")
    telling.allocator.hold(ticket, FULL, given.ids[FULL], "read")
    telling.allocator.release(FULL, given.ids[FULL])


def _with_published_addresses(telling: Telling) -> None:
    """The float could move when it was asked; since then somebody has published addresses."""
    _with_a_float_in_the_way(telling)
    telling.allocator.plan(RELAID.demand)
    telling.allocator.publish("peer")


def _with_holes_and_gaps(telling: Telling) -> None:
    """There are holes at the top of the full band, and a gap below it."""
    first = telling.give(1, 2, 4)
    telling.give(1, 1, 3)
    telling.allocator.release(FULL, first.ids[FULL])


def _full(telling: Telling) -> None:
    telling.give(4, 4, 8)


IN_PLACE_CASE = Case(_with_room, (1, 1, 2))
"""Holes are filled and gaps are grown into."""

COMPACTED = Case(_with_holes_at_the_end, (0, 3, 0))
"""Pages of an end band move into holes of their own band."""

RELAID = Case(_with_a_float_in_the_way, (3, 0, 0))
"""A float moves out of the way."""

ROOMY = Case(_with_holes_and_gaps, (0, 0, 6))
"""A demand that holes and gaps can meet."""

HELD = Case(_with_pages_that_are_read, (4, 0, 0))
"""A demand that is met once a ticket retires."""

PUBLISHED = Case(_with_published_addresses, (3, 0, 0))
"""A demand that was met a moment ago, and is not any more."""

CROWDED = Case(_full, (2, 0, 3))
"""A demand for which something must give way."""

EXAMPLES: Mapping[str, Case] = {
    "admission-sound": COMPACTED,
    "admission-complete": HELD,
    "lowest-step": ROOMY,
    "fewest-bytes": COMPACTED,
    "reachable": RELAID,
    "honest-refusal": HELD,
    "retry-terminates": CROWDED,
    "rank-agreement": RELAID,
}
"""A case for each property of admission, of which it says something."""

WRONG: Mapping[str, tuple[Case, str]] = {
    "admission-sound": (PUBLISHED, "a-promise-outlives-the-gate"),
    "admission-complete": (RELAID, "floats-never-move"),
    "lowest-step": (ROOMY, "pages-move-where-none-need-to"),
    "honest-refusal": (HELD, "evictions-are-asked-for-where-waiting-suffices"),
}
"""A case that is decided wrongly, and the seeded fault of the code that does it, where there is one."""


def retried(case: Case) -> tuple[Decision, Decision]:
    """A refusal, and the same demand once what it asks for is given up."""
    telling = case.told()
    before = telling.moment()
    refusal = telling.allocator.allocate(case.demand)
    assert isinstance(refusal, Refusal)
    first = Decision(case.demand, before, telling.moment(), _refused(refusal))
    band, count = next((band, count) for band, count in enumerate(refusal.evict) if count)
    telling.allocator.release(band, telling.allocator.allocator.references(band)[:count])
    between = telling.moment()
    given = telling.allocator.allocate(case.demand)
    assert isinstance(given, Grant)
    return first, Decision(case.demand, between, telling.moment(), _admitted(given.plan))
