"""What is wrong with traffic, or with what was asked of a replay."""

import reprlib
from typing import Any

_SHORT = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 80


class ReplayError(ValueError):
    """Input that cannot be replayed.

    Args:
        field: the option, or the field of a line.
        value: what was found there.
        problem: a clause.
        remedy: a clause.
        line: of the file, from 1; None if it is not about a line.
    """

    def __init__(self, field: str, value: object, problem: str, remedy: str, line: int | None = None) -> None:
        self.field, self.value, self.problem, self.remedy, self.line = field, value, problem, remedy, line
        where = "" if line is None else f"line {line}: "
        super().__init__(f"{where}{field} = {_SHORT.repr(value)}: {problem}; {remedy}")

    # so that it can be raised in another process than the one it was made in
    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.field, self.value, self.problem, self.remedy, self.line)
