"""Broken specifications, and what helps with them."""

from properties.failing.budget import Budget
from properties.failing.helping import Help, help_with
from properties.failing.repairs import Repair, repair
from properties.failing.smallest import smallest
from properties.judging import Counterexample
from properties.ladder import answers
from properties.limits import Limits
from properties.obligations import Obligation
from properties.specification import AS_WRITTEN, Specification, changed, with_action
from spec.catalog import Property
from spec.logic import Implies, Term
from spec.ranges import Forall
from spec.state import State

ENOUGH = 600.0
"""Processor seconds: no test is about what a budget cuts off, but those that say so."""


def refuted(specification: Specification, obligation: Obligation) -> Counterexample:
    # it is known to be false: nothing is gained by trying to prove it
    (answer,) = answers(specification, [obligation], Limits(effort=1))
    assert answer.counterexample is not None
    return answer.counterexample


def helped(specification: Specification, obligation: Obligation) -> Help:
    return help_with(specification, refuted(specification, obligation), Budget(ENOUGH))


def way(found: Help) -> list[str]:
    """The actions of the way that was found, with the one that breaks the property last."""
    assert found.route is not None
    assert found.route.found is not None
    return [str(step.action) for step in (*found.route.steps, found.route.found.example)]


def repaired(specification: Specification, obligation: Obligation) -> Repair:
    known = smallest(specification, refuted(specification, obligation), Budget(ENOUGH)).counterexample
    return repair(specification, [known], Budget(ENOUGH))


def grows_by_two() -> Specification:
    """The effect of grow-high is off by one."""
    action = AS_WRITTEN.actions["grow-high"]
    return with_action(
        AS_WRITTEN, changed(action, lambda s, after, band: after.but(hi=after.hi.set(band, after.hi[band] + 1)))
    )


def shares_twice() -> Specification:
    """The effect of share is off by one."""
    action = AS_WRITTEN.actions["share"]
    return with_action(
        AS_WRITTEN,
        changed(action, lambda s, after, band, vid: after.but(refs=after.refs.set((band, vid), s.refs[band, vid] + 2))),
    )


def address_falls(s: State) -> Term:
    """The address of a page never rises as pages rise."""
    return Forall(
        "band page page",
        lambda band, page, later: Implies(page <= later, s.address[band, page] >= s.address[band, later]),
    )


FALSE_LEMMA = Property("address-falls", "It falls.", address_falls)
