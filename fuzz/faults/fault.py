"""What a seeded fault is, and the registry of all of them."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Final, Literal

from fuzz.targets.own import OWN

Level = Literal["allocator", "device", "recorder", "kernel", "judge"]


@dataclass(frozen=True)
class Fault:
    """A small, deliberate fault.

    Attributes:
        name: of the fault.
        prose: what is wrong, in a sentence.
        level: where it is.
        property: the one that must catch it.
        precedent: a public report of a fault of its class; or the class alone.
        apply: puts it into force inside a `with` block, by replacing functions; no file is touched.
        target: on which it is hunted, by name.
    """

    name: str
    prose: str
    level: Level
    property: str
    precedent: str
    apply: Callable[[], AbstractContextManager[None]]
    target: str = OWN.name


FAULTS: Final[dict[str, Fault]] = {}


Apply = Callable[[], AbstractContextManager[None]]


def fault(
    level: Level, property_name: str, precedent: str, target: str = OWN.name
) -> Callable[[Callable[[], Iterator[None]]], Apply]:
    """Register a generator function that puts a fault into force and takes it back; its docstring says what."""

    def register(force: Callable[[], Iterator[None]]) -> Apply:
        name = force.__name__.replace("_", "-")
        assert force.__doc__, f"{name} says nothing of itself"
        apply = contextmanager(force)
        FAULTS[name] = Fault(name, " ".join(force.__doc__.split()), level, property_name, precedent, apply, target)
        return apply

    return register


@contextmanager
def replaced(owner: Any, name: str, make: Callable[[Any], Any]) -> Iterator[None]:
    """Replace an attribute by `make(what it was)` inside a `with` block; AttributeError if the owner lacks it."""
    if name not in vars(owner):
        raise AttributeError(f"{owner!r} has no {name!r} of its own to replace")
    original = vars(owner)[name]
    setattr(owner, name, make(original))
    try:
        yield
    finally:
        setattr(owner, name, original)
