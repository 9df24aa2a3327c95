"""What a reading of the specification has to provide: its terms, its quantifiers, any state and any arguments."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

from spec.catalog import Action, Property
from spec.logic import Connectives, Term, install
from spec.ranges import Universe, universe
from spec.state import State


class Frame(Protocol):
    """What formulas mean: how they are connected, and what their quantifiers run over."""

    @property
    def connectives(self) -> Connectives:
        """And, or, not, if."""

    @property
    def universe(self) -> Universe:
        """For all, there is."""


class Reading(Frame, Protocol):
    """A frame with states and arguments to read; what it makes is meant for use inside `reading`."""

    def any_state(self) -> tuple[State, list[Term]]:
        """A state of unknowns, and the ranges of those that have one."""

    def said(self, of: Property, s: State) -> Term:
        """What a property says of a state."""

    def with_computed_addresses(self, s: State) -> tuple[State, list[Term]]:
        """The state with addresses that are origin + page * size, and the ranges of the sizes."""

    def any_arguments(self, action: Action) -> tuple[list[Term], list[Term]]:
        """Unknown arguments of an action, and their ranges."""


@contextmanager
def reading(chosen: Frame) -> Iterator[None]:
    """Read the specification this way inside the block."""
    install(chosen.connectives)
    with universe(chosen.universe):
        yield


def key_of(key: Term) -> tuple[Term, ...]:
    """The key of a map as a tuple, however many sorts it has."""
    return key if isinstance(key, tuple) else (key,)


def same(key: Sequence[Term], other: Sequence[Term]) -> list[Term]:
    """The conditions under which two keys are the same."""
    return [a == b for a, b in zip(key, other, strict=True)]
