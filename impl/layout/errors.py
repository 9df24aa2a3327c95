"""Why a configuration has no layout."""

import reprlib
from typing import Any


class LayoutError(ValueError):
    """A configuration or an option that no layout follows from.

    Args:
        field: the field, by its path in the configuration (`text_config.head_dim`), or the option (`tp_size`).
        value: what was found there; None when it is missing.
        problem: what is wrong, a clause.
        remedy: what to do about it, a clause.
    """

    def __init__(self, field: str, value: object, problem: str, remedy: str) -> None:
        self.field = field
        self.value = value
        self.problem = problem
        self.remedy = remedy
        super().__init__(f"{field} = {reprlib.repr(value)}: {problem}; {remedy}")

    # so that it can be raised in another process than the one it was made in
    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.field, self.value, self.problem, self.remedy)


class UnsupportedModel(LayoutError):
    """A well-formed configuration of a model that unified memory does not serve; `problem` is the reason."""
