"""What admission gains and never loses: by a higher step, by settling, by an opened gate, by emptying the arena.

All of it rests on one fact: where less must stay and less is needed, every layout that was legal still is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import z3

from properties.admission.chains import Numbers, any_chain, small_chain
from properties.admission.questions import Induction, Question, by_induction
from properties.admission.states import STATE, any_state, small_state
from properties.admission.subject import Subject
from properties.admission.theorem import Theorem, stated
from properties.unbounded import FunctionMap
from spec.admission.layouts import asks_no_more, is_legal
from spec.admission.refusals import emptied, released
from spec.admission.steps import COMPACT_ENDS, IN_PLACE, RELAYOUT, STEPS
from spec.invariants import conservation, ledger_wellformed
from spec.logic import And, Implies, Not, Term
from spec.ranges import Exists, Forall, Some
from spec.state import LIVE, State
from spec.words import holders, in_use, publishers

# ------------------------------------------------------------------------------------- what must stay, and what counts


def _higher_steps(subject: Subject, s: State) -> Mapping[str, Term]:
    def frees(lower: int, higher: int) -> Term:
        return Forall(
            "band page",
            lambda band, page: Implies(subject.stays(s, higher, band, page), subject.stays(s, lower, band, page)),
        )

    return {"compact-the-ends": frees(IN_PLACE, COMPACT_ENDS), "relayout": frees(COMPACT_ENDS, RELAYOUT)}


def _no_more_after(subject: Subject, s: State, sort: str, change: Callable[[Term], State]) -> Mapping[str, Term]:
    """After a change by a member of a sort nothing more must stay, whatever the step, and nothing more is in use."""

    def stays(step: int) -> Term:
        return Forall(
            f"{sort} band page",
            lambda x, band, page: Implies(
                subject.stays(change(x), step, band, page), subject.stays(s, step, band, page)
            ),
        )

    used = Forall(
        f"{sort} band page",
        lambda x, band, page: Implies(in_use.holds(change(x), band, page), in_use.holds(s, band, page)),
    )
    return {**{f"step-{step}": stays(step) for step in STEPS}, "in-use": used}


def _settling(subject: Subject, s: State) -> Mapping[str, Term]:
    return _no_more_after(subject, s, "ticket", lambda ticket: subject.settled(s, [ticket]))


def _leaving(subject: Subject, s: State) -> Mapping[str, Term]:
    return _no_more_after(subject, s, "publisher", lambda who: subject.unpublished(s, who))


def _moved_by_each(subject: Subject, s: State) -> Mapping[str, Term]:
    def frees(lower: int, higher: int) -> Term:
        return Exists(
            "band page",
            lambda band, page: And(subject.stays(s, lower, band, page), Not(subject.stays(s, higher, band, page))),
        )

    return {"compacting frees": frees(IN_PLACE, COMPACT_ENDS), "relayout frees": frees(COMPACT_ENDS, RELAYOUT)}


def _freed_by_settling(subject: Subject, s: State) -> Mapping[str, Term]:
    def is_freed(ticket: Term, band: Term, page: Term) -> Term:
        after = subject.settled(s, [ticket])
        return And(subject.stays(s, RELAYOUT, band, page), Not(subject.stays(after, RELAYOUT, band, page)))

    return {"settling frees": Exists("ticket band page", is_freed)}


def _freed_by_leaving(subject: Subject, s: State) -> Mapping[str, Term]:
    def is_freed(who: Term, band: Term, page: Term) -> Term:
        after = subject.unpublished(s, who)
        return And(subject.stays(s, RELAYOUT, band, page), Not(subject.stays(after, RELAYOUT, band, page)))

    return {"leaving frees": Exists("publisher band page", is_freed)}


def _nobody_is_left(_: Subject, s: State) -> Sequence[Term]:
    nobody_holds = Forall("band page", lambda band, page: Not(Some(holders(s, band, page))))
    return ledger_wellformed.holds(s), conservation.holds(s), nobody_holds, Not(Some(publishers(s)))


def _all_may_move(subject: Subject, s: State) -> Mapping[str, Term]:
    return {
        "nothing-stays": Forall("band page", lambda band, page: Not(subject.stays(s, RELAYOUT, band, page))),
        "only-the-living-count": Forall(
            "band page", lambda band, page: Implies(in_use.holds(s, band, page), s.status[band, page] == LIVE)
        ),
    }


def _anything(_: Subject, __: State) -> Sequence[Term]:
    return ()


# --------------------------------------------------------------------------------------- what that means for layouts

Pair = tuple[State, State]


def _any_pair(subject: Subject) -> Pair:
    s = any_chain(subject.on_opaque_grids)
    fixed = z3.Function("other_fixed", z3.IntSort(), z3.IntSort(), z3.BoolSort())
    need = z3.Function("other_need", z3.IntSort(), z3.IntSort())
    return s, s.but(fixed=FunctionMap(fixed), need=FunctionMap(need))


def _small_pair(subject: Subject, numbers: Numbers) -> Pair:
    s = small_chain(subject.code, numbers)
    fixed = FunctionMap(lambda band, page: numbers(f"page {page} of band {band} stays in the other case", 0, 1) == 1)
    need = [numbers(f"other need of band {band}", 0, 4) for band in range(s.bands)]
    return s, s.but(fixed=fixed, need=need)


def _asks_less(_: Subject, pair: Pair) -> Sequence[Term]:
    return is_legal(pair[0]), asks_no_more(pair[1], pair[0])


def _still_legal(_: Subject, pair: Pair) -> Mapping[str, Term]:
    return {"legal": is_legal(pair[1])}


Emptying = tuple[State, Any, Any]
"""A chain, how many pages of each band live, and the demand."""


def _any_emptying(subject: Subject) -> Emptying:
    numbers = (z3.Function(name, z3.IntSort(), z3.IntSort()) for name in ("live", "demand"))
    live, demand = map(FunctionMap, numbers)
    return any_chain(subject.on_opaque_grids), live, demand


def _small_emptying(subject: Subject, numbers: Numbers) -> Emptying:
    s = small_chain(subject.code, numbers)
    live, demand = ([numbers(f"{name} of band {band}", 0, 3) for band in range(s.bands)] for name in ("live", "demand"))
    return s, live, demand


def _holds_that(_: Subject, case: Emptying) -> Sequence[Term]:
    s, live, demand = case
    needed = Forall("band", lambda band: And(live[band] >= 0, s.need[band] >= live[band] + demand[band]))
    return is_legal(s), needed


def _emptying(_: Subject, case: Emptying) -> Mapping[str, Term]:
    s, live, demand = case
    return {"released": is_legal(released(s, live, demand)), "emptied": is_legal(emptied(s, demand))}


def more_tickets(subject: Subject) -> Iterator[Question]:
    """Cases that differ by one more ticket settled: what was legal with fewer is legal with more."""
    s = any_chain(subject.on_opaque_grids)
    stays = z3.Function("stays_after", z3.IntSort(), z3.IntSort(), z3.IntSort(), z3.BoolSort())
    needed = z3.Function("needed_after", z3.IntSort(), z3.IntSort(), z3.IntSort())
    fewer, more = z3.Ints("fewer more")

    def after(tickets: Term) -> State:
        return s.but(
            fixed=FunctionMap(lambda band, page: stays(tickets, band, page)),
            need=FunctionMap(lambda band: needed(tickets, band)),
        )

    asks_less = Induction(
        "", lambda i: asks_no_more(after(i), after(fewer)), fewer, more, lambda i: asks_no_more(after(i + 1), after(i))
    )
    yield from by_induction(
        [], [asks_less], {"legal": Implies(And(fewer <= more, is_legal(after(fewer))), is_legal(after(more)))}
    )


def small_more_tickets(subject: Subject, numbers: Numbers) -> Question:
    """The same of up to two tickets."""
    s = small_chain(subject.code, numbers)
    cases = [
        s.but(need=[numbers(f"need of band {band} after {tickets} tickets", 0, 4) for band in range(s.bands)])
        for tickets in range(3)
    ]
    given = [asks_no_more(later, earlier) for earlier, later in pairwise(cases)]
    return Question("", (*given, is_legal(cases[0])), And(*map(is_legal, cases)))


THEOREMS = {
    "higher-steps-free": stated(
        "lowest-step",
        "What must stay in a step must stay in every lower one.",
        _anything,
        _higher_steps,
        any_state,
        small_state,
        STATE,
        _moved_by_each,
    ),
    "settling-frees": stated(
        "lowest-step",
        "Once a ticket more is settled, nothing more must stay, whatever the step, and nothing more is in use.",
        _anything,
        _settling,
        any_state,
        small_state,
        STATE,
        _freed_by_settling,
    ),
    "asking-less": stated(
        "lowest-step",
        "Where less must stay and less is needed, a legal layout stays legal.",
        _asks_less,
        _still_legal,
        _any_pair,
        _small_pair,
    ),
    "more-tickets": Theorem(
        "lowest-step",
        "What is feasible once some tickets are settled is feasible once more are.",
        more_tickets,
        small_more_tickets,
    ),
    "leaving-frees": stated(
        "honest-refusal",
        "Once a publisher more has left, nothing more must stay, whatever the step, and nothing more is in use.",
        _anything,
        _leaving,
        any_state,
        small_state,
        STATE,
        _freed_by_leaving,
    ),
    "nobody-left": stated(
        "honest-refusal",
        "When nobody holds anything and nobody has published an address, all may move and only live pages count.",
        _nobody_is_left,
        _all_may_move,
        any_state,
        small_state,
        STATE,
    ),
    "emptying-frees": stated(
        "honest-refusal",
        "What is feasible at all is feasible once everybody is gone, and in an empty arena.",
        _holds_that,
        _emptying,
        _any_emptying,
        _small_emptying,
    ),
}
