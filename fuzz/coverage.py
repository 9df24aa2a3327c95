"""What a run exercised of the specification, counted."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

Pairs = Counter[tuple[str, str]]


@dataclass(frozen=True)
class Coverage:
    """How often each thing happened.

    Attributes:
        actions: page actions of the specification, by name.
        outcomes: calls by name and how they ended: allocations by the step that met them or the reason of their
            refusal, what tickets do by who uses them, misuses as rejected.
        operations: of the engine, by name and what came of them.
        rejections: calls that were no legal ones, by the action or call and the sentence of its guard that was not so.
        boundaries: states and calls at the edge of something, by name; see `fuzz.boundaries`.
        pairs: page actions that followed each other, each on any number of pages; of one release that does both, those
            that leave a reference come first.
        calls: calls that followed each other, by the names that scripts have for them.
        events: what happened besides, by name, where more than an allocator is driven.
    """

    actions: Counter[str] = field(default_factory=Counter)
    outcomes: Pairs = field(default_factory=Counter)
    operations: Pairs = field(default_factory=Counter)
    rejections: Pairs = field(default_factory=Counter)
    boundaries: Counter[str] = field(default_factory=Counter)
    pairs: Pairs = field(default_factory=Counter)
    calls: Pairs = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)

    def __add__(self, other: "Coverage") -> "Coverage":
        return Coverage(*(_sum(getattr(self, each.name), getattr(other, each.name)) for each in fields(Coverage)))

    @property
    def page_actions(self) -> int:
        """Page actions of all sorts."""
        return self.actions.total()

    def named(self) -> Iterator[tuple[str, int]]:
        """Everything under a name of its own, which begins with what it is."""
        for name, times in self.actions.items():
            yield action(name), times
        for (name, how), times in self.outcomes.items():
            yield call(name, how), times
        done: Counter[str] = Counter()
        for (name, _), times in self.operations.items():
            done[name] += times
        for name, times in done.items():
            yield operation(name), times
        for (name, sentence), times in self.rejections.items():
            yield rejected(name, sentence), times
        for name, times in self.boundaries.items():
            yield boundary(name), times
        for (first, second), times in self.pairs.items():
            yield pair(first, second), times
        for (first, second), times in self.calls.items():
            yield calls(first, second), times


def _sum(more: Counter[Any], fewer: Counter[Any]) -> Counter[Any]:
    # in time proportional to what differs: `+` would look at all of both, which after a long run is much
    added = more.copy()
    added.update(fewer)
    return added


def action(name: str) -> str:
    """The name of a page action in a table of what was exercised."""
    return f"action {name}"


def call(name: str, outcome: str) -> str:
    """Of a call and how it ended."""
    return f"call {name}: {outcome}"


def operation(name: str) -> str:
    """Of an operation of the engine."""
    return f"operation {name}"


def rejected(name: str, sentence: str) -> str:
    """Of a sentence that made a call a misuse."""
    return f"rejected {name}: {sentence}"


def boundary(name: str) -> str:
    """Of a boundary state."""
    return f"boundary {name}"


def pair(first: str, second: str) -> str:
    """Of a page action and the next."""
    return f"pair {first}, {second}"


def calls(first: str, second: str) -> str:
    """Of a call and the next."""
    return f"calls {first}, {second}"
