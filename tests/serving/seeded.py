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


def shows(check: str, precedent: str) -> Callable[[Callable[[Patch], None]], Callable[[Patch], None]]:
    """Say of a fault by what it shows and whence it is, where a test of its own sees to it; it stays as it is."""
    assert check, precedent
    return lambda apply: apply
