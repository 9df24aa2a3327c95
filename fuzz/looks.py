"""When two failures are taken for one: they break the same property at the same place."""

import re
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

Look: TypeAlias = tuple[str, str, str]
"""A property, the call at which it broke, and what was seen, without its numbers."""

_NUMBERS: Final = re.compile(r"\d+|\[[^]]*\]|\{[^}]*\}")


def look_of(property_name: str, call: str, problem: str) -> Look:
    """How a failure looks: the same for those that are taken for one."""
    return property_name, call, _NUMBERS.sub("#", problem)[:80]


def name_of_last(calls: Sequence[Any]) -> str:
    """The name of the last call of a script, or of a stage's log; `build` if there is none."""
    if not calls:
        return "build"
    last = calls[-1]
    kind = last[0] if isinstance(last, list) else type(last)
    return str(kind.__struct_config__.tag)
