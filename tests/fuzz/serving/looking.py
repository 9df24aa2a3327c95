"""In which life a seeded fault is met first."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import TypeVar

from bandgap.matrix.row import Seeded
from fuzz.serving.living import Life

Place = TypeVar("Place")


def line_about(
    name: str,
    fault: Seeded,
    in_force: Callable[[str], AbstractContextManager[None]],
    places: Iterable[Place],
    life: Callable[[Place], Life],
) -> str:
    """A line for a table of lives in which faults are met; a comment where this one is not, by the property it names.

    Args:
        name: of the fault in that table.
        fault: as the matrix has it.
        in_force: puts the fault of a name into force, inside a `with` block.
        places: of lives, in turn.
        life: of a place.
    """
    seen: set[str] = set()
    for place in places:
        with in_force(name):
            violation = life(place).violation
        if violation is not None and violation.property == fault.property:
            return f'    "{name}": {place!r},'
        seen |= set() if violation is None else {violation.property}
    return f"    # {name}: not by {fault.property}, but by {sorted(seen)}"
