"""Puts deliberate faults into an allocator by replacing its methods; no file is touched."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from fuzz.peers.inside.driver import Fault

Force = Callable[[], Iterator[None]]
"""Puts a fault into force, yields, and takes it back; its docstring says what is wrong then."""

Registering = Callable[[str, str, Sequence[str]], Callable[[Force], Callable[[], "AbstractContextManager[None]"]]]


def faults_into(faults: dict[str, Fault]) -> Registering:
    """A decorator that registers a fault under its function's name.

    It is given the property that must catch the fault, a public report of its class, and the setups on which it is
    tried.
    """

    def fault(
        property_name: str, precedent: str, setups: Sequence[str] = ()
    ) -> Callable[[Force], Callable[[], AbstractContextManager[None]]]:
        def register(force: Force) -> Callable[[], AbstractContextManager[None]]:
            assert force.__doc__, f"{force.__name__} says nothing of itself"
            apply = contextmanager(force)
            prose = " ".join(force.__doc__.split())
            faults[force.__name__.replace("_", "-")] = Fault(property_name, prose, precedent, apply, setups)
            return apply

        return register

    return fault


@contextmanager
def replaced(owner: Any, name: str, make: Callable[[Any], Any]) -> Iterator[None]:
    """Let an owner's attribute, or what it inherits, be `make(what it was)` inside a `with` block."""
    own = vars(owner).get(name)
    setattr(owner, name, make(getattr(owner, name) if own is None else own))
    try:
        yield
    finally:
        if own is None:
            delattr(owner, name)
        else:
            setattr(owner, name, own)
