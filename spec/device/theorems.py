"""What follows for an arena and its device."""

from spec.device.catalog import theorem
from spec.device.words import clash, pending
from spec.logic import And, Implies, Not, Or, Term
from spec.ranges import Forall
from spec.state import OUTSTANDING, State


@theorem
def transfers_are_alone(s: State) -> Term:
    """While a transfer is outstanding, what it does clashes with nothing that anybody else may still do."""
    return Forall(
        "access access",
        lambda access, other: Implies(
            And(
                pending.holds(s, access),
                Not(s.is_own[access]),
                s.is_transfer[s.user[access]],
                s.ending[s.user[access]] == OUTSTANDING,
                pending.holds(s, other),
                Or(s.is_own[other], s.user[other] != s.user[access]),
            ),
            Not(clash(s, access, other)),
        ),
    )
