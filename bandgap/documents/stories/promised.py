"""What is promised of admission, asked of decisions of the allocator: the formulas themselves, on plain values.

Every layout there is in the story's arena is gone through, so that "for every layout" means what it says.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from typing import Any

from bandgap.documents.stories.admission import Case, faulty
from bandgap.documents.stories.telling import Telling
from impl.plan import Grant, Plan, Refusal
from spec.admission import promises
from spec.admission.promises import PROMISES
from spec.concrete import Domains, small_state
from spec.judge.arena import JudgedArena
from spec.ranges import universe
from spec.state import FIELDS, State

Span = tuple[int, int]


@dataclass(frozen=True)
class Asked:
    """Whether a promise is kept by a decision, and among how many layouts that was looked at."""

    kept: bool
    layouts: int


def asked(claim: str, case: Case, fault: str = "") -> Asked:
    """Ask a promise of what the allocator decides in a case, perhaps with a seeded fault in it."""
    if fault:
        telling, result = faulty(case, fault)
    else:
        telling = case.told()
        result = telling.allocator.plan(case.demand)
    now, members = _read(telling)
    return _asked(claim, members, now, _decision(result, now))


def bytes_moved(case: Case) -> list[int]:
    """How many bytes the layouts move that solve a case that is admitted, in its step; the fewest first."""
    telling = case.told()
    plan = telling.allocator.plan(case.demand)
    assert isinstance(plan, Plan)
    now, members = _read(telling)
    d = _decision(plan, now)
    with universe(Domains(members)):
        need = promises.asked(now, d.step, d.demand)
        return sorted(promises.moved(now, layout) for layout in members["layout"] if promises.solves(need, layout))


def asked_of_a_retry(case: Case) -> Asked:
    """Ask whether less is left once what a refusal names is given up."""
    telling = case.told()
    now, members = _read(telling)
    refusal = telling.allocator.plan(case.demand)
    assert isinstance(refusal, Refusal)
    band, count = next((band, count) for band, count in enumerate(refusal.evict) if count)
    telling.allocator.release(band, telling.allocator.allocator.references(band)[:count])
    then, _ = _read(telling)
    return _asked("retry-terminates", members, now, _decision(refusal, now), then)


def asked_of_ranks(case: Case) -> Asked:
    """Ask whether two ranks that were told the same agree before and after what is asked."""
    ranks = [case.told(), case.told()]
    before = [_read(rank) for rank in ranks]
    for rank in ranks:
        rank.allocator.allocate(case.demand)
    after = [_read(rank)[0] for rank in ranks]
    (one, members), (other, _) = before
    return _asked("rank-agreement", members, one, other, *after)


def _asked(claim: str, members: Mapping[str, Sequence[Any]], *states: State) -> Asked:
    with universe(Domains(members)):
        found = PROMISES[claim](*states)
    assert found is True or found is False
    return Asked(found, len(members["layout"]))


def _read(telling: Telling) -> tuple[State, Mapping[str, Sequence[Any]]]:
    """The judge's arena as a plain state, and the members of each sort."""
    s = telling.judge.state
    assert s is not None
    tickets = sorted({ticket for ticket, *_ in s.held} | {each.ticket for each in telling.allocator.outstanding()})
    vids = sorted({vid for _, vid in s.refs})
    members = {
        "band": range(s.bands),
        "page": range(-1, max(s.top, *[page + 1 for _, page in s.status], 0) + 1),
        "ticket": tickets,
        "vid": vids,
        "publisher": sorted(s.published),
        "step": (1, 2, 3),
        "count": range(len(tickets) + 1 + max((len(vids)), 0)),
    }
    entries = {name: {_tuple(key): value for key, value in s.tables[name].items()} for name in FIELDS}
    constants = {
        name: getattr(s, name)
        for name in ("bands", "base", "capacity", "bottom", "top", "address", "before", "is_transfer", "garbage")
    }
    return small_state(Domains(members), constants, entries), {**members, "layout": _layouts(s)}


def _tuple(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _layouts(s: JudgedArena) -> tuple[State, ...]:
    """Every layout whose spans are a legal state's: anchored, inside the arena, and in order."""
    spans = _spans(s.base, s.capacity, s.bottom, s.top, tuple(s.address.origins), tuple(s.address.sizes))
    geometry = {"bands": s.bands, "base": s.base, "capacity": s.capacity, "bottom": s.bottom, "top": s.top}
    return tuple(
        State(lo=[lo for lo, _ in each], hi=[hi for _, hi in each], address=s.address, **geometry) for each in spans
    )


@cache
def _spans(
    base: int, capacity: int, bottom: int, top: int, origins: tuple[int, ...], sizes: tuple[int, ...]
) -> tuple[tuple[Span, ...], ...]:
    last = len(sizes) - 1
    found: list[tuple[tuple[Span, ...], int]] = [((), base)]
    for band, (origin, size) in enumerate(zip(origins, sizes, strict=True)):
        pages = range(-(-(base - origin) // size), (capacity - origin) // size + 1)
        empty = (top, top) if band == last else (bottom, bottom) if band == 0 else (0, 0)
        every = [empty, *[(lo, hi) for lo, hi in combinations(pages, 2)]]
        every = [span for span in every if (band > 0 or span[0] == bottom) and (band < last or span[1] == top)]
        found = [
            ((*below, span), end if span[0] == span[1] else origin + span[1] * size)
            for below, end in found
            for span in every
            if span[0] == span[1] or end <= origin + span[0] * size
        ]
    return tuple(spans for spans, _ in found)


def _decision(result: Grant | Plan | Refusal, now: State) -> State:
    """What was asked and decided, by the names of the specification."""
    geometry = {name: getattr(now, name) for name in ("bands", "base", "capacity", "bottom", "top", "address")}
    nothing = {"is_admitted": False, "is_refused": False, "step": 0, "count": 0, "spans": now, "may_settle": ()}
    silent = {"says_never": False, "says_after_release": False, "says_evict": False, "waits_for": (), "leaving": ()}
    silent["evict"] = [-1] * now.bands
    if isinstance(result, Refusal):
        said = {
            "is_refused": True,
            "says_never": result.reason == "never",
            "says_after_release": result.reason == "after-release",
            "says_evict": result.reason == "evict",
            "waits_for": result.tickets,
            "leaving": result.publishers,
            "evict": [-1 if count is None else count for count in result.evict or [None] * now.bands],
        }
        return State(demand=result.demand, **{**nothing, **silent, **said})
    plan = result.plan if isinstance(result, Grant) else result
    spans = State(lo=[lo for lo, _ in plan.spans], hi=[hi for _, hi in plan.spans], **geometry)
    met = {"is_admitted": True, "step": plan.step, "count": len(plan.settle), "spans": spans}
    return State(demand=plan.demand, **{**nothing, **silent, **met})
