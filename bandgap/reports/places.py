"""Where in the source a property is written: the sentence of a guard that was not so, or the definition."""

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from spec.admission import properties as admission
from spec.device.specification import ACTIONS as DEVICE_ACTIONS
from spec.device.specification import INVARIANTS as DEVICE_INVARIANTS
from spec.device.specification import STEPS as DEVICE_STEPS
from spec.judge import checks
from spec.specification import ACTIONS, INVARIANTS, STEPS, THEOREMS

ROOT: Final = Path(checks.__file__).parents[2]

_NOT_SO: Final = re.compile(r"\b([a-z][a-z/-]*)(?: [^:]*)?: not so: (.+)$")
"""How the judge says which sentence of which action's guard is not so."""


@dataclass(frozen=True)
class Place:
    """A line of a file, whose path is relative to the root of the source."""

    file: str
    line: int


def place_of(check: str, problem: str) -> Place:
    """The line of the guard sentence that a problem names, else of the property, else of the checks."""
    said = _NOT_SO.search(problem)
    actions = {**DEVICE_ACTIONS, **ACTIONS}
    if said is not None and said[1] in actions:
        return _of_text(actions[said[1]].guard, said[2])
    for table in (INVARIANTS, STEPS, THEOREMS, DEVICE_INVARIANTS, DEVICE_STEPS):
        if check in table:
            return _of_text(table[check].holds, "def ")
    return _of_key(admission if check in admission.PROPERTIES else checks, check)


def _of_text(function: Callable[..., Any], text: str) -> Place:
    """The first line of a function that has this text; else its first line."""
    function = inspect.unwrap(function)
    lines, first = inspect.getsourcelines(function)
    within = next((number for number, line in enumerate(lines) if text in line), 0)
    return Place(_relative(inspect.getsourcefile(function) or ""), first + within)


def _of_key(module: Any, key: str) -> Place:
    """The first line of a module that has this key of a table; else the first line."""
    file = inspect.getsourcefile(module) or ""
    lines = Path(file).read_text().splitlines()
    return Place(_relative(file), next((number for number, line in enumerate(lines, 1) if f'"{key}"' in line), 1))


def _relative(file: str) -> str:
    return Path(file).resolve().relative_to(ROOT.resolve()).as_posix()
