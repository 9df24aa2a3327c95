"""Any state of an arena, and a small one."""

from collections.abc import Callable
from typing import Any

import z3

from properties.admission.chains import Numbers, Shape
from properties.admission.subject import Subject
from properties.unbounded import FunctionMap, Unbounded
from spec.logic import If
from spec.state import ARENA, Field, Signature, State

STATE = Shape((1, 1, 1), 2)
"""The shape of a state whose tables alone are spoken of."""

LAST = {
    "page": STATE.pages.stop - 1,
    "status": 2,
    "vid": 1,
    "count": 2,
    "mode": 2,
    "ending": 2,
    "ticket": 1,
    "value": 1,
    "band": len(STATE.sizes) - 1,
    "publisher": 1,
    "phase": 2,
    "access": 1,
}
"""The last number that an entry of a small state may have, by its sort."""


def any_state(_: Subject) -> State:
    """Any state whatever, also one that is not legal."""
    s, _ranges = Unbounded().any_state()
    return s


def small_state(_: Subject, numbers: Numbers, signature: Signature = ARENA) -> State:
    """A state of three bands, whatever is in its tables."""

    def table(name: str, field: Field) -> FunctionMap:
        sorts = field.keys.split()

        def entry(*key: Any) -> Any:
            unknown = next((place for place, part in enumerate(key) if isinstance(part, z3.ExprRef)), None)
            if unknown is not None:
                return _chosen(key, unknown, sorts[unknown], entry)
            called = f"{name} of {' '.join(map(str, key))}"
            return numbers(called, 0, 1) == 1 if field.value == "bool" else numbers(called, 0, LAST[field.value])

        return FunctionMap(entry)

    return State(
        bands=len(STATE.sizes),
        garbage=0,
        **{name: table(name, field) for name, field in signature.tables.items()},
    )


def _chosen(key: tuple[Any, ...], place: int, sort: str, entry: Callable[..., Any]) -> Any:
    """The entry of a key of which one part is not known: that of whichever number it is."""
    members = STATE.pages if sort == "page" else range(LAST[sort] + 1)
    *others, found = (entry(*key[:place], member, *key[place + 1 :]) for member in members)
    for member, other in zip(members, others, strict=False):
        found = If(key[place] == member, other, found)
    return found
