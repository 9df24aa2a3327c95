"""What is true of every step of an arena and its device."""

from spec.device.catalog import step
from spec.device.words import is_at, is_on_stream, pending, touches
from spec.logic import And, Implies, Not, Or, Term
from spec.ranges import Exists, Forall
from spec.state import NONE, WRITE, State
from spec.words import ordered


@step
def held_memory_frozen(s: State, after: State) -> Term:
    """The memory of a held page changes only under a write that was issued: of a ticket that holds the page for writing
    and is ordered with the holder, or one on the allocator's stream, for which the holder's stream waits."""

    def allowed(access: Term, ticket: Term, band: Term, page: Term) -> Term:
        user = s.user[access]
        by_holder = And(
            is_at(s, access, band, page),
            s.held[user, band, page] == WRITE,
            Or(user == ticket, ordered(s, user, ticket)),
        )
        on_stream = And(is_on_stream(s, access), touches(s, access, band, page), Not(s.is_transfer[ticket]))
        return And(s.way[access] == WRITE, Or(on_stream, And(Not(s.is_own[access]), by_holder)))

    return Forall(
        "ticket band page",
        lambda ticket, band, page: Implies(
            And(s.held[ticket, band, page] != NONE, after.memory[band, page] != s.memory[band, page]),
            Exists(pending(s), lambda access: allowed(access, ticket, band, page)),
        ),
    )
