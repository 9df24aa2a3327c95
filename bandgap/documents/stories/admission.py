"""Admission on three arenas: in place, by compacting the ends, and by relayout; and a refusal."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bandgap.documents.stories.telling import FULL, Moment, Telling
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


def in_place() -> Decision:
    """Holes are filled and gaps are grown into."""
    return _admitted(_with_room, (1, 1, 2), IN_PLACE)


def compacted() -> Decision:
    """Pages of an end band move into holes of their own band."""
    return _admitted(_with_holes_at_the_end, (0, 3, 0), COMPACT_ENDS)


def relaid() -> Decision:
    """A float moves out of the way."""
    return _admitted(_with_a_float_in_the_way, (3, 0, 0), RELAYOUT)


def refused() -> Decision:
    """A demand that is met once a ticket retires."""
    telling = Telling()
    given = telling.give(1, 2, 16)
    ticket = telling.allocator.open("transfer")
    telling.allocator.hold(ticket, FULL, given.ids[FULL], "read")
    telling.allocator.release(FULL, given.ids[FULL])
    before = telling.moment()
    refusal = telling.allocator.allocate([4, 0, 0])
    assert isinstance(refusal, Refusal)
    assert refusal.reason == "after-release"
    said = f"Refused, `{refusal.reason}`: it fits once ticket {', '.join(map(str, refusal.tickets))} retires."
    return Decision(refusal.demand, before, telling.moment(), said)


def _admitted(situation: Callable[[Telling], None], demand: Sequence[int], step: int) -> Decision:
    telling = Telling()
    situation(telling)
    before = telling.moment()
    plan = telling.allocator.plan(demand)
    assert isinstance(plan, Plan), plan
    assert plan.step == step, plan
    grant = telling.allocator.allocate(demand)
    assert isinstance(grant, Grant)
    moves = sum(move.sources.size for move in plan.moves)
    copied = f"{moves} page{'s' * (moves != 1)} and {plan.bytes_moved:,} bytes are copied" if moves else "nothing moves"
    return Decision(plan.demand, before, telling.moment(), f"Admitted, {STEPS[plan.step]}: {copied}.")


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
