"""The proof of an obligation for any arena: its negation has no model."""

from enum import StrEnum

import z3

from properties.limits import Limits
from properties.obligations import Obligation
from properties.readings import reading
from properties.scenes import goal, scene
from properties.specification import Specification
from properties.unbounded import Unbounded, as_term


class Proof(StrEnum):
    """How an attempt at a proof ended."""

    FOUND = "found"
    REFUTED = "refuted"
    """The solver claims a counterexample; one is believed only once it has been judged again in plain values."""

    MISSING = "missing"
    """A limit was reached."""


class Prover:
    """Proves the obligations of one stage."""

    def __init__(self, specification: Specification, stage: str) -> None:
        self.specification = specification
        self.unbounded = Unbounded(specification.signature)
        self.given = z3.Solver()
        with reading(self.unbounded):
            self.scene = scene(self.unbounded, specification, stage)
            self.given.add(*[as_term(formula) for _, formula in self.scene.given])

    def denied(self, obligation: Obligation) -> z3.BoolRef:
        """What says that the goal is false: it has to be impossible together with what is given."""
        with reading(self.unbounded):
            return z3.Not(as_term(goal(self.specification, obligation, self.scene)))

    def proof(self, obligation: Obligation, limits: Limits) -> Proof:
        """Try to prove it within the limits, on top of what the solver has understood of the stage."""
        self.given.push()
        try:
            self.given.add(self.denied(obligation))
            return _attempt(self.given, limits)
        finally:
            self.given.pop()

    def proof_afresh(self, obligation: Obligation, limits: Limits) -> Proof:
        """Try to prove it with a solver of its own, which reads the whole question at once."""
        solver = z3.Solver()
        solver.add(*self.given.assertions(), self.denied(obligation))
        return _attempt(solver, limits)


def _attempt(solver: z3.Solver, limits: Limits) -> Proof:
    solver.set("rlimit", limits.effort)
    solver.set("timeout", limits.milliseconds)
    answer = solver.check()
    if answer == z3.unsat:
        return Proof.FOUND
    return Proof.REFUTED if answer == z3.sat else Proof.MISSING
