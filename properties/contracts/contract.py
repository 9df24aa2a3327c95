"""A contract: what a function of `impl.arithmetic` must do whenever it is called as it may be, as CrossHair reads it.

It is a function that answers whether the arithmetic did right; its docstring has, after the prose, `pre:` and `post:`.
It calls the arithmetic through `code`, so that what is broken can take its place without a file being edited.
"""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from properties.admission.code import MODULES, Code, Edit, loaded

F = TypeVar("F", bound=Callable[..., bool])

PREFIX = "contracts/"
"""What the names of all contracts and of what breaks them begin with."""

PACKAGE = "impl.arithmetic"


@dataclass(frozen=True)
class Contract:
    """`of` is the function's name, `holds` the contract, `broken` the changes that it must notice, by name."""

    name: str
    of: str
    says: str
    holds: Callable[..., bool]
    broken: dict[str, Edit]


CONTRACTS: dict[str, Contract] = {}
"""All of them, by name."""


class _Arithmetic:
    """The functions of the arithmetic, as they are or with a change."""

    def __init__(self) -> None:
        self.changed: Code | None = None

    def __getattr__(self, name: str) -> Any:
        if self.changed is not None:
            return getattr(self.changed, name)
        return functions()[name]


code = _Arithmetic()
"""What the contracts call."""


def functions() -> dict[str, Callable[..., Any]]:
    """Every public function of the arithmetic, by name."""
    return {
        name: member
        for module in MODULES
        if module.__name__.startswith(f"{PACKAGE}.")
        for name, member in vars(module).items()
        if inspect.isfunction(member) and member.__module__ == module.__name__ and not name.startswith("_")
    }


def contract(of: str, **broken: tuple[str, str]) -> Callable[[F], F]:
    """A contract of the function of that name; each change is a text and what stands there instead.

    Raises:
        ValueError: there is no such function, or a contract of the same name.
    """
    if of not in functions():
        raise ValueError(f"{PACKAGE} has no function {of!r}")

    def registered(holds: F) -> F:
        name = f"{of.replace('_', '-')}.{holds.__name__.replace('_', '-')}"
        if name in CONTRACTS:
            raise ValueError(f"two contracts are named {name!r}")
        says = " ".join(inspect.getdoc(holds).split("\n\n")[0].split())  # type: ignore[union-attr]  # or CrossHair has nothing to read
        edits = {change.replace("_", "-"): Edit(*texts) for change, texts in broken.items()}
        CONTRACTS[name] = Contract(name, of, says, holds, edits)
        return holds

    return registered


@contextmanager
def changed(edit: Edit | None) -> Iterator[None]:
    """The contracts are of the arithmetic with this change inside the block."""
    code.changed = None if edit is None else loaded({}, edit)
    try:
        yield
    finally:
        code.changed = None


def without_contract() -> list[str]:
    """The public functions of the arithmetic that no contract is of."""
    covered = {each.of for each in CONTRACTS.values()}
    return [name for name in functions() if name not in covered]
