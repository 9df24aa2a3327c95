"""Conservation as counts: counters of live pages, withheld ones and holes, kept by every action, say what is there.

An action is shown to change the three sets only where it says so; the lemmas say what that does to their counts.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import z3

from properties.admission.chains import Numbers
from properties.admission.questions import Induction, Question, by_induction
from properties.admission.ranks import small_arguments, unknown_state
from properties.admission.states import STATE, small_state
from properties.admission.subject import Subject
from properties.admission.theorem import Theorem, stated
from properties.unbounded import FunctionMap, Quantifiers, sort_of
from spec.catalog import INVARIANTS, Action
from spec.counts import RETIRING, SETS
from spec.logic import And, If, Implies, Not, Or, Term
from spec.ranges import Exists, Forall
from spec.specification import ACTIONS
from spec.state import ARENA, State

LEANS_ON = ("span", "outside-is-free", "conservation", "bijection", "ledger-wellformed")
"""The invariants from which it is shown."""


class Acting(NamedTuple):
    """A legal state, and an action that is possible in it."""

    s: State
    arguments: list[Any]


def _any_acting(action: Action) -> Callable[[Subject], Acting]:
    def made(_: Subject) -> Acting:
        arguments = [z3.Const(f"{sort}_{i}", sort_of(sort)) for i, sort in enumerate(action.sorts)]
        return Acting(unknown_state("the", ARENA), arguments)

    return made


def _small_acting(action: Action) -> Callable[[Subject, Numbers], Acting]:
    def made(subject: Subject, numbers: Numbers) -> Acting:
        size = STATE.size
        s = small_state(subject, numbers).but(
            base=0, capacity=size, bottom=0, top=size, address=FunctionMap(lambda _, page: page)
        )
        return Acting(s, small_arguments(action, numbers))

    return made


def _legal(action: Action) -> Callable[[Subject, Acting], Sequence[Term]]:
    def given(subject: Subject, acting: Acting) -> Sequence[Term]:
        s, arguments = acting
        ranges = Quantifiers(s.bands)
        within = [ranges.within(sort, x) for sort, x in zip(action.sorts, arguments, strict=True)]
        guard = [condition for _, condition, _ in subject.actions[action.name].guard(s, *arguments)]
        return (*[INVARIANTS[name].holds(s) for name in LEANS_ON], *within, *guard)

    return given


def _number(condition: Term) -> Term:
    return If(condition, 1, 0)


def _same(one: Term, other: Term) -> Term:
    return And(Implies(one, other), Implies(other, one))


def _kept(action: Action) -> Callable[[Subject, Acting], Mapping[str, Term]]:
    def goals(subject: Subject, acting: Acting) -> Mapping[str, Term]:
        s, arguments = acting
        after = subject.actions[action.name].effect(s, *arguments)
        if action.name in RETIRING:
            return _retired(s, after)
        if action.name not in subject.counted:
            return {
                "unchanged": Forall(
                    "band page",
                    lambda band, page: And(*[_same(of(s, band, page), of(after, band, page)) for of in SETS.values()]),
                )
            }
        change = subject.counted[action.name](s, *arguments)

        def is_there(band: Term, page: Term) -> Term:
            return And(band == change.band, Or(*[page == each for each in change.pages]))

        only_there = Forall(
            "band page",
            lambda band, page: Or(
                is_there(band, page), And(*[_same(of(s, band, page), of(after, band, page)) for of in SETS.values()])
            ),
        )
        counted = [
            getattr(change, name)
            == sum(_number(of(after, change.band, page)) - _number(of(s, change.band, page)) for page in change.pages)
            for name, of in SETS.items()
        ]
        longer = (after.hi[change.band] - after.lo[change.band]) - (s.hi[change.band] - s.lo[change.band])
        return {
            "only-there": only_there,
            "as-counted": And(*counted),
            "adds-up": change.live + change.withheld + change.holes == longer,
        }

    return goals


def _retired(s: State, after: State) -> Mapping[str, Term]:
    """Live pages stay; what is withheld no more is a hole; nothing else becomes one, and no span changes."""

    def turned(band: Term, page: Term) -> Term:
        live, withheld, hole = (of for of in SETS.values())
        freed = And(withheld(s, band, page), Not(withheld(after, band, page)))
        return And(
            _same(live(s, band, page), live(after, band, page)),
            Implies(withheld(after, band, page), withheld(s, band, page)),
            _same(hole(after, band, page), Or(hole(s, band, page), freed)),
        )

    return {"turned": Forall("band page", turned)}


def _possible(action: Action) -> Callable[[Subject, Acting], Mapping[str, Term]]:
    def cases(_: Subject, acting: Acting) -> Mapping[str, Term]:
        if action.name not in RETIRING:
            return {}
        s, (ticket,) = acting
        after = action.effect(s, ticket)
        freed = Exists("band page", lambda band, page: And(s.status[band, page] != after.status[band, page]))
        return {"a page is freed": freed}

    return cases


def _of(action: Action) -> Theorem:
    return stated(
        "conservation",
        f"The counters of live pages, withheld ones and holes count them still after {action.name}.",
        _legal(action),
        _kept(action),
        _any_acting(action),
        _small_acting(action),
        STATE,
        _possible(action),
    )


# ------------------------------------------------------------------------------------------- what that does to counts


def _set_of(name: str) -> Any:
    return z3.Function(name, z3.IntSort(), z3.BoolSort())


def _count_of(name: str) -> Any:
    return z3.Function(name, z3.IntSort(), z3.IntSort())


def counts_follow(_: Subject) -> Iterator[Question]:
    """Two sets that differ at two pages at most: their counts differ by what they differ there."""
    first, last, one, other = z3.Ints("first last one other")
    before, after, count, its_count = _set_of("before"), _set_of("after"), _count_of("count"), _count_of("its_count")

    def counted(page: Term) -> Term:
        differs = Or(page == one, page == other, _same(before(page), after(page)))
        more = count(page + 1) == count(page) + _number(before(page))
        return And(differs, more, its_count(page + 1) == its_count(page) + _number(after(page)))

    def gained(page: Term, upto: Term) -> Term:
        return If(page < upto, _number(after(page)) - _number(before(page)), 0)

    def says(page: Term) -> Term:
        return its_count(page) == count(page) + gained(one, page) + gained(other, page)

    yield from by_induction(
        [
            first <= one,
            one < last,
            first <= other,
            other < last,
            one != other,
            count(first) == 0,
            its_count(first) == 0,
        ],
        [Induction("", says, first, last, counted)],
        {
            "conclusion": its_count(last)
            == count(last) + _number(after(one)) - _number(before(one)) + _number(after(other)) - _number(before(other))
        },
    )


def small_counts_follow(_: Subject, numbers: Numbers) -> Question:
    """The same of four pages."""
    before, after = ([numbers(f"page {i} is there {when}", 0, 1) for i in range(4)] for when in ("before", "after"))
    given = [before[i] == after[i] for i in (0, 2)]
    return Question("", tuple(given), sum(after) == sum(before) + after[1] - before[1] + after[3] - before[3])


def counts_turn(_: Subject) -> Iterator[Question]:
    """There are as many holes more as there are withheld pages fewer."""
    first, last = z3.Ints("first last")
    sets = {name: _set_of(name) for name in ("withheld", "still_withheld", "hole", "hole_after")}
    counts = {name: _count_of(f"count_of_{name}") for name in sets}

    def counted(page: Term) -> Term:
        freed = And(sets["withheld"](page), Not(sets["still_withheld"](page)))
        return And(
            Implies(sets["still_withheld"](page), sets["withheld"](page)),
            Not(And(sets["withheld"](page), sets["hole"](page))),
            _same(sets["hole_after"](page), Or(sets["hole"](page), freed)),
            *[counts[name](page + 1) == counts[name](page) + _number(of(page)) for name, of in sets.items()],
        )

    def says(page: Term) -> Term:
        gone = counts["withheld"](page) - counts["still_withheld"](page)
        return And(gone >= 0, counts["hole_after"](page) == counts["hole"](page) + gone)

    yield from by_induction(
        [first <= last, *[count(first) == 0 for count in counts.values()]],
        [Induction("", says, first, last, counted)],
        {"conclusion": says(last)},
    )


def small_counts_turn(_: Subject, numbers: Numbers) -> Question:
    """The same of three pages."""
    withheld, still, hole = (
        [numbers(f"page {i} is {what}", 0, 1) for i in range(3)] for what in ("withheld", "still withheld", "a hole")
    )
    apart = [one + other <= 1 for one, other in zip(withheld, hole, strict=True)]
    fewer = [one <= other for one, other in zip(still, withheld, strict=True)]
    after = [h + w - s for h, w, s in zip(hole, withheld, still, strict=True)]
    return Question("", (*apart, *fewer), sum(after) - sum(hole) == sum(withheld) - sum(still))


def counts_add_up(_: Subject) -> Iterator[Question]:
    """The pages of a span are as many as its live pages, those that are withheld and its holes."""
    s = unknown_state("the", ARENA)
    band, first, last, some = z3.Ints("band first last some")
    known = [*[INVARIANTS[name].holds(s) for name in LEANS_ON], band >= 0, band < s.bands]
    counts = {name: _count_of(f"count_of_{name}") for name in SETS}
    of = {name: (lambda page, of=of: of(s, band, page)) for name, of in SETS.items()}
    inside = And(s.lo[band] <= some, some < s.hi[band])
    each = sum(_number(of[name](some)) for name in SETS)
    yield Question("one-of-three", tuple(known), each == _number(inside))

    def counted(page: Term) -> Term:
        one_of_three = sum(_number(of[name](page)) for name in SETS) == _number(
            And(s.lo[band] <= page, page < s.hi[band])
        )
        return And(
            one_of_three, *[counts[name](page + 1) == counts[name](page) + _number(of[name](page)) for name in SETS]
        )

    def says(page: Term) -> Term:
        lo, hi = s.lo[band], s.hi[band]
        return sum(count(page) for count in counts.values()) == If(page <= lo, 0, If(page <= hi, page - lo, hi - lo))

    yield from by_induction(
        [
            first <= s.lo[band],
            s.lo[band] <= s.hi[band],
            s.hi[band] <= last,
            *[count(first) == 0 for count in counts.values()],
        ],
        [Induction("", says, first, last, counted)],
        {"conclusion": sum(count(last) for count in counts.values()) == s.hi[band] - s.lo[band]},
    )


def small_counts_add_up(subject: Subject, numbers: Numbers) -> Question:
    """The same of a small state."""
    s, _ = _small_acting(ACTIONS["drain"])(subject, numbers)
    known = [INVARIANTS[name].holds(s) for name in LEANS_ON]

    def adds_up(band: int) -> Term:
        counted = sum(_number(of(s, band, page)) for of in SETS.values() for page in STATE.pages)
        return Implies(And(s.lo[band] >= 0, s.hi[band] < STATE.pages.stop), counted == s.hi[band] - s.lo[band])

    return Question("", tuple(known), And(*map(adds_up, range(s.bands))))


THEOREMS = {
    **{f"counts-are-kept.{name}": _of(action) for name, action in ACTIONS.items()},
    "counts-follow-sets": Theorem(
        "conservation",
        "Where sets of pages differ at two pages, their counts differ by what they do there.",
        counts_follow,
        small_counts_follow,
    ),
    "counts-turn": Theorem(
        "conservation",
        "Where withheld pages turn into holes, there are as many holes more as withheld pages fewer.",
        counts_turn,
        small_counts_turn,
    ),
    "counts-add-up": Theorem(
        "conservation",
        "Live pages, withheld ones and holes are together as many as the pages of the span.",
        counts_add_up,
        small_counts_add_up,
        shape=STATE,
    ),
}
