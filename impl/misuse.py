"""The error of a call that breaks a rule of the interface."""

from typing import Any


class Misuse(Exception):  # it is the caller who errs
    """A call that the allocator rejects; nothing was changed.

    Attributes:
        field: the argument or the thing that is wrong.
        value: what it was.
        remedy: what to do instead.
    """

    def __init__(self, field: str, value: Any, problem: str, remedy: str) -> None:
        super().__init__(f"{field} = {_shown(value)}: {problem}; {remedy}")
        self.field, self.value, self.remedy = field, value, remedy
        self._problem = problem

    # so that it can be raised in another process than the one it was made in
    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.field, self.value, self._problem, self.remedy)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
