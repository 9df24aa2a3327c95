"""Violations that look alike, told as one symptom with its places: the shortest of them whole, the others in a line."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from bandgap.gate.lane import GateResult
from bandgap.gate.violation import Violation
from bandgap.phrases import counted
from fuzz.looks import look_of
from fuzz.violation import SYMPTOMS

_QUOTED: Final = re.compile(r"'[^']*'")

MOST_VALUES: Final = 6
"""Values that are named of a trait that differs."""

PLURALS: Final = {"band": "bands", "user": "users", "call": "calls", "layout": "layouts", "target": "targets"}


@dataclass(frozen=True)
class Seen:
    """A violation and the lane in which it was found."""

    lane: str
    violation: Violation


@dataclass(frozen=True)
class Symptom:
    """What broke in the same way, in one place or several; the first is the one that is shown whole."""

    seen: tuple[Seen, ...]

    @property
    def first(self) -> Seen:
        """The one with the fewest calls."""
        return self.seen[0]

    @property
    def others(self) -> tuple[Seen, ...]:
        """All places but the first."""
        return self.seen[1:]

    @property
    def title(self) -> str:
        """What was seen."""
        return self.first.violation.title

    @cached_property
    def lanes(self) -> tuple[str, ...]:
        """The lanes in which it was found."""
        return tuple(dict.fromkeys(each.lane for each in self.seen))

    @property
    def places(self) -> str:
        """How many, and in which lanes."""
        lanes = f"{'lane' if len(self.lanes) == 1 else 'lanes'} {', '.join(self.lanes)}"
        return f"{counted(len(self.seen), 'place')}, {lanes}"

    @cached_property
    def always(self) -> tuple[tuple[str, str], ...]:
        """What all places share: each trait and its values; nothing of one place."""
        return tuple(self._always())

    @cached_property
    def differed(self) -> tuple[tuple[str, str], ...]:
        """The traits in which they share nothing, with some of their values: it broke whatever these were."""
        return tuple(self._differed())

    def _traits(self) -> Iterator[tuple[str, list[frozenset[str]]]]:
        """The values of each trait in each place; nothing where it cannot be compared."""
        told = [{"lane": (each.lane,), **dict(each.violation.traits)} for each in self.seen]
        if len(told) < 2 or not all(each.violation.traits for each in self.seen):
            return
        for name in told[0]:
            values = [frozenset(traits.get(name, ())) for traits in told]
            if any(values):
                yield name, values

    def _always(self) -> Iterator[tuple[str, str]]:
        for name, values in self._traits():
            shared = frozenset.intersection(*values)
            if shared:
                yield (PLURALS.get(name, name) if len(shared) > 1 else name), ", ".join(sorted(shared))

    def _differed(self) -> Iterator[tuple[str, str]]:
        for name, values in self._traits():
            if not frozenset.intersection(*values):
                every = sorted(frozenset.union(*values))
                more = f" and {len(every) - MOST_VALUES} more" if len(every) > MOST_VALUES else ""
                yield name, ", ".join(every[:MOST_VALUES]) + more


def symptoms_of(result: GateResult) -> tuple[Symptom, ...]:
    """All of a gate: what says most directly what is wrong comes first.

    That is a property of the specification before what any fault may lead to, then the shortest calls, then what was
    seen most often.
    """
    alike: dict[tuple[str, str, str], list[Seen]] = {}
    for lane in result.lanes:
        for violation in lane.evidence.violations:
            problem = _QUOTED.sub("#", violation.problem)
            look = look_of(violation.check, violation.call, problem)
            alike.setdefault(look, []).append(Seen(lane.name, violation))
    found = [Symptom(tuple(sorted(seen, key=_shortest))) for seen in alike.values()]
    return tuple(sorted(found, key=_most_direct))


def said_of(symptoms: Sequence[Symptom]) -> str:
    """How many there are, and in how many places."""
    places = sum(len(symptom.seen) for symptom in symptoms)
    said = counted(len(symptoms), "symptom")
    return said if places == len(symptoms) else f"{said} in {counted(places, 'place')}"


def _shortest(seen: Seen) -> tuple[int, int, str]:
    return seen.violation.calls, len(seen.violation.code), seen.violation.where


def _most_direct(symptom: Symptom) -> tuple[bool, int, int, str]:
    first = symptom.first.violation
    return first.check in SYMPTOMS, first.calls, -len(symptom.seen), first.problem
