"""Faults of integrations, and by what they show; `bandgap faults --level serving` reads their declarations."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

Patch = pytest.MonkeyPatch


@dataclass(frozen=True)
class Fault:
    """A small, deliberate fault.

    Attributes:
        check: by which it must show.
        precedent: a public report of a fault of its class.
        apply: puts it into force until the patch is undone; its docstring says what is wrong.
    """

    check: str
    precedent: str
    apply: Callable[[Patch], None]

    @property
    def name(self) -> str:
        """Of the fault."""
        return self.apply.__name__.strip("_")


def fault(registry: list[Fault], check: str, precedent: str) -> Callable[[Callable[[Patch], None]], Fault]:
    """Put a fault into a list of its file."""

    def declare(apply: Callable[[Patch], None]) -> Fault:
        registry.append(Fault(check, precedent, apply))
        return registry[-1]

    return declare
