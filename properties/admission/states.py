"""Any state of an arena, and a small one."""

from typing import Any

from properties.admission.chains import Numbers, Shape
from properties.admission.subject import Subject
from properties.unbounded import FunctionMap, Unbounded
from spec.state import ARENA, State

STATE = Shape((1, 1, 1), 2)
"""Of a state of which only tables are spoken of."""

LAST = {
    "page": STATE.pages.stop - 1,
    "status": 2,
    "vid": 1,
    "count": 2,
    "mode": 2,
    "ending": 2,
    "ticket": 1,
    "value": 1,
}
"""Of each sort the last number that an entry of a small state may have."""


def any_state(_: Subject) -> State:
    """Any state whatever, also one that is not legal."""
    s, _ranges = Unbounded().any_state()
    return s


def small_state(_: Subject, numbers: Numbers) -> State:
    """A state of three bands, whatever is in its tables."""

    def table(name: str, value: str) -> FunctionMap:
        def entry(*key: Any) -> Any:
            called = f"{name} of {' '.join(map(str, key))}"
            return numbers(called, 0, 1) == 1 if value == "bool" else numbers(called, 0, LAST[value])

        return FunctionMap(entry)

    return State(
        bands=len(STATE.sizes), garbage=0, **{name: table(name, field.value) for name, field in ARENA.tables.items()}
    )
