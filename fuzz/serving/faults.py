"""The seeded fault that the gate's lane must catch; those of each integration lie beside the tests that show them."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, Final

from fuzz.faults.fault import Apply, replaced
from impl.serving.prefix.cache import PrefixCache


@dataclass(frozen=True)
class Fault:
    """A small, deliberate fault.

    Attributes:
        name: of the fault.
        prose: what is wrong, in a sentence.
        property: the check that must catch it.
        sort: of the scenes in which it shows.
        apply: puts it into force inside a `with` block.
    """

    name: str
    prose: str
    property: str
    sort: str
    apply: Apply


@contextmanager
def _force() -> Iterator[None]:
    def make(is_sole: Any) -> Any:
        return lambda self, band, ids: is_sole(self, band, ids) | True

    with replaced(PrefixCache, "_is_sole", make):
        yield


CANARY: Final = Fault(
    "the-cache-gives-up-what-is-in-use",
    "Pages that requests still use are counted among those that are free to go.",
    "gives-way-enough",
    "prefix",
    _force,
)

FAULTS: Final = {CANARY.name: CANARY}


def in_force(name: str | None) -> AbstractContextManager[None]:
    """A fault by name; nothing if there is none."""
    return _nothing() if name is None else FAULTS[name].apply()


@contextmanager
def _nothing() -> Iterator[None]:
    yield
