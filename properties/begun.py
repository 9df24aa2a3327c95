"""Readings in small arenas in which what every task leans on is written down already, where tasks are copied from.

Elsewhere there are none, and each is begun anew: what is found depends on nothing that was asked before.
"""

from properties.readings import reading
from properties.shapes import Shape
from properties.small import Small
from properties.specification import Specification
from spec.state import Signature

_BEGUN: dict[tuple[int, Shape], Small] = {}
"""What was begun, by the identity of the signature, and the shape."""


def small(shape: Shape, signature: Signature) -> Small:
    """The reading in arenas of a shape."""
    return _BEGUN.get((id(signature), shape)) or Small(shape, signature)


def begin(specification: Specification, shape: Shape) -> None:
    """Write down the axioms and the invariants of a specification, for all tasks to come."""
    begun = _BEGUN[id(specification.signature), shape] = Small(shape, specification.signature)
    with reading(begun):
        s, ranges = begun.any_state()
        claims = [*specification.axioms.values(), *specification.invariants.values()]
        for term in (*ranges, *[begun.said(claim, s) for claim in claims]):
            begun.pool.asked(term)
