"""What streams and events promise: which accesses the device runs before one that is issued now.

These are the only sentences about the order of accesses. None mentions the ledger: they hold under any allocator, on
any device whose streams run in order and whose events hold back what waits for them. Two are for the driver to keep: a
transfer must not clash with itself, and what comes first on a stream is issued first.
"""

from collections.abc import Sequence

from spec.catalog import Guard
from spec.device.state import UNISSUED
from spec.device.words import clash, issued, own_work, settled_work, work_after, work_before, work_of
from spec.logic import And, Implies, Not, Or, Term
from spec.ranges import Forall, Range
from spec.state import State


def runs_after(s: State, access: Term, others: Range) -> Term:
    """The device runs all of these before the access."""
    return Forall(others, lambda other: s.ahead[other, access])


def is_next(s: State, access: Term) -> Term:
    """The device runs nothing that was issued already after the access."""
    return Forall(issued(s), lambda other: Not(s.ahead[access, other]))


def of_look_up(s: State, ticket: Term, access: Term) -> Guard:
    """A ticket issues an access, of which it only matters what the allocator's own stream does."""
    yield "the access is a new one", s.phase[access] == UNISSUED, "pages-hold-the-latest"
    yield "nothing that was issued before runs after it", is_next(s, access), "over-in-order"
    yield (
        "a ticket's stream waits for the allocator's stream",
        Or(s.is_transfer[ticket], runs_after(s, access, own_work(s))),
        "race-free",
    )


def of_ticket(s: State, after: State, ticket: Term, access: Term) -> Guard:
    """A ticket issues an access to a page, and `after` is what that leaves."""
    yield from of_look_up(s, ticket, access)
    has_stream = Not(s.is_transfer[ticket])
    yield (
        "and so for the tickets for which that waits",
        Implies(has_stream, runs_after(s, access, settled_work(s))),
        "race-free",
    )
    yield "it runs after the work of the tickets before", runs_after(s, access, work_before(s, ticket)), "race-free"
    yield (
        "the work of one ticket runs in the order in which it is issued",
        Implies(has_stream, runs_after(s, access, work_of(s, ticket))),
        "race-free",
    )
    yield (
        "a transfer, whose work runs in no order, does not clash with its own",
        Or(has_stream, Forall(work_of(s, ticket), lambda other: Not(clash(after, other, access)))),
        "race-free",
    )
    yield (
        "no ticket that runs after it has issued what it would clash with",
        Forall(work_after(s, ticket), lambda other: Not(clash(after, other, access))),
        "race-free",
    )


def of_allocator(states: Sequence[State], accesses: Sequence[Term]) -> Guard:
    """The allocator issues accesses on its own stream, one by one, each in the state that the last one left."""
    each = list(zip(states, accesses, strict=True))
    yield (
        "the accesses are new ones",
        And(*[s.phase[access] == UNISSUED for s, access in each]),
        "pages-hold-the-latest",
    )
    yield "nothing that was issued before runs after them", And(*[is_next(*one) for one in each]), "over-in-order"
    yield (
        "the allocator's stream runs in the order in which work is issued",
        And(*[runs_after(s, access, own_work(s)) for s, access in each]),
        "race-free",
    )
    yield (
        "it waits for the tickets that were settled",
        And(*[runs_after(s, access, settled_work(s)) for s, access in each]),
        "race-free",
    )
