"""Whether a state that refutes a proof comes about: legal actions from an empty arena, in plain values.

A proof by induction is refuted by any state in which the invariants hold, also by one that never comes about. So ways
are looked for: states are visited by turns, the nearest to the refuting one and the nearest to the start, and any state
from which the action breaks the property will do. What is not found within the bound may still exist.
"""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from properties.examples import Arena, Entries, Example
from properties.failing.budget import Budget
from properties.failing.playing import is_legal, legal, plainly
from properties.judging import Counterexample, NotConfirmed, confirm_legal, counterexample
from properties.obligations import Obligation
from properties.scenes import Scene, goal
from properties.shapes import Shape
from properties.specification import Specification
from spec.state import NONE, State

ACTIONS = 10
"""A way has no more of them."""

STATES = 4000
"""No more are visited."""

Step = tuple[str, tuple[int, ...]]
"""An action and its arguments."""


@dataclass(frozen=True)
class Route:
    """A way to a state that refutes the proof, or that none was found."""

    steps: tuple[Example, ...] = ()
    """The actions before the one that breaks the property, or before the state of which it is false."""

    found: Counterexample | None = None
    """What the way ends in."""

    states: int = 0
    """How many were visited."""

    bound: int = ACTIONS
    """How many actions a way could have had."""

    is_whole: bool = False
    """Every state within the bound was visited."""


def route(specification: Specification, known: Counterexample, budget: Budget) -> Route:
    """A way from an empty arena to a state that refutes the obligation; its spans are the same, if they may be.

    It is looked for with no more ids, tickets and pages than the state has, and then with one more of each.
    """
    first = _Walk(specification, known, known.example.before.shape).route(budget.part(0.5))
    if first.found is not None or not first.states:
        return first
    shape = known.example.before.shape
    larger = replace(shape, pages=shape.pages + 1, vids=shape.vids + 1, tickets=shape.tickets + 1)
    second = _Walk(specification, known, larger).route(budget)
    return replace(second, states=first.states + second.states)


def emptied(arena: Arena) -> Arena:
    """The arena with its spans, and nothing in it."""
    return replace(
        arena,
        tables={
            name: entries
            for name, entries in arena.tables.items()
            if name in ("lo", "hi") or name not in arena.signature.fields
        },
    )


def closed(arena: Arena) -> Arena:
    """The empty arena whose spans have no page: the first band's is at the bottom, any other's at the top."""
    bands = range(len(arena.origins))
    low: Entries = {(band,): arena.top if band else arena.bottom for band in bands}
    # of one band both ends are anchored
    high: Entries = {(band,): arena.top if band == bands[-1] else low[band,] for band in bands}
    return replace(emptied(arena), tables={**emptied(arena).tables, "lo": low, "hi": high})


def _start(specification: Specification, arena: Arena) -> Arena:
    """An empty arena with the same spans, if such a one may be at the start."""
    same = emptied(arena)
    with plainly(arena.shape.domains):
        return same if specification.initial(same.state()) is True else closed(arena)


class _Walk:
    def __init__(self, specification: Specification, known: Counterexample, shape: Shape) -> None:
        self.specification, self.known = specification, known
        self.obligation: Obligation = known.obligation
        self.start = replace(_start(specification, known.example.before), shape=shape)
        self.domains = self.start.shape.domains
        self.parents: dict[Any, tuple[Any, Step] | None] = {}
        self.states: dict[Any, State] = {}
        self.depth: dict[Any, int] = {}

    def route(self, budget: Budget) -> Route:
        with plainly(self.domains):
            begin = self.start.state()
            if self.specification.initial(begin) is not True:
                return Route()
            target = _facts(self.known.example.before.state(), self.start)
            visited, whole = 0, True
            for key in self._in_turns(begin, target):
                if visited >= STATES or budget.is_spent:
                    whole = False
                    break
                visited += 1
                last = self._breaking(self.states[key])
                if last is not None:
                    steps = self._shortened(self._way(key), last)
                    found = self._confirmed(steps, last)
                    if found is not None:
                        return Route(*found, visited)
        return Route((), None, visited, ACTIONS, whole)

    def _in_turns(self, begin: State, target: frozenset[Any]) -> Iterator[Any]:
        """States, each once: by turns the one nearest to the target, and the one nearest to the start."""
        near: list[tuple[int, int, Any]] = []
        early: list[tuple[int, int, Any]] = []
        done: set[Any] = set()

        def add(s: State, parent: tuple[Any, Step] | None, depth: int) -> None:
            key = _key(s, self.start)
            if key in self.parents:
                return
            self.parents[key], self.states[key], self.depth[key] = parent, s, depth
            order = len(self.parents)
            heapq.heappush(near, (len(_facts(s, self.start) ^ target) + depth, order, key))
            heapq.heappush(early, (depth, order, key))

        add(begin, None, 0)
        turn = 0
        while near or early:
            queue = near if turn % 2 == 0 else early
            turn += 1
            while queue and queue[0][2] in done:
                heapq.heappop(queue)
            if not queue:
                if len(done) == len(self.parents):
                    return
                continue
            key = heapq.heappop(queue)[2]
            done.add(key)
            yield key
            if self.depth[key] < ACTIONS:
                for step, after in self._next(self.states[key]):
                    add(after, (key, step), self.depth[key] + 1)

    def _next(self, s: State) -> Iterator[tuple[Step, State]]:
        """What may happen, and what it leaves; a step that itself breaks an invariant leads nowhere legal."""
        for name, action in self.specification.actions.items():
            for arguments in legal(action, s, self.domains):
                after = action.effect(s, *arguments)
                if name != self.obligation.stage or self._keeps_all(after):
                    yield (name, arguments), after

    def _keeps_all(self, s: State) -> bool:
        return all(invariant.holds(s) is True for invariant in self.specification.invariants.values())

    def _breaking(self, s: State) -> Step | None:
        """What breaks the property in this state; of a property of states, that it is false there."""
        action = self.specification.actions.get(self.obligation.stage)
        if action is None:
            return ("", ()) if self._breaks(s, s, ()) else None
        for arguments in legal(action, s, self.domains):
            if self._breaks(s, action.effect(s, *arguments), arguments):
                return self.obligation.stage, arguments
        return None

    def _breaks(self, s: State, after: State, arguments: tuple[int, ...]) -> bool:
        said = goal(self.specification, self.obligation, Scene(s, after, arguments, ()))
        return said is False and self._keeps_all(s)

    def _way(self, key: Any) -> list[Step]:
        steps = []
        while (parent := self.parents[key]) is not None:
            key, step = parent
            steps.append(step)
        return steps[::-1]

    def _shortened(self, steps: list[Step], last: Step) -> list[Step]:
        """The way without any step that can be left out."""
        at = len(steps) - 1
        while at >= 0:
            fewer = steps[:at] + steps[at + 1 :]
            end = self._played(fewer)
            if end is not None and self._breaking_by(end, last):
                steps = fewer
            at -= 1
        return steps

    def _breaking_by(self, s: State, last: Step) -> bool:
        name, arguments = last
        if not name:
            return self._breaks(s, s, ())
        action = self.specification.actions[name]
        return is_legal(action, s, arguments) and self._breaks(s, action.effect(s, *arguments), arguments)

    def _played(self, steps: list[Step]) -> State | None:
        s = self.start.state()
        for name, arguments in steps:
            action = self.specification.actions[name]
            if not is_legal(action, s, arguments):
                return None
            s = action.effect(s, *arguments)
        return s

    def _confirmed(self, steps: list[Step], last: Step) -> tuple[tuple[Example, ...], Counterexample] | None:
        """Every step of the way and its end, judged again over wider domains."""
        arena, examples = self.start, []
        try:
            for step in steps:
                example = self._happened(arena, step)
                confirm_legal(self.specification, step[0], example)
                examples.append(example)
                arena = example.after
            return tuple(examples), counterexample(self.specification, self.obligation, self._happened(arena, last))
        except NotConfirmed:
            return None

    def _happened(self, arena: Arena, step: Step) -> Example:
        name, arguments = step
        if not name:
            return Example(arena, arena)
        after = arena.became(self.specification.actions[name].effect(arena.state(), *arguments))
        return Example(arena, after, name, arguments)


Entry = tuple[str, tuple[int, ...], int]


def _key(s: State, arena: Arena) -> frozenset[Entry]:
    """All that is told apart of a state."""
    return frozenset(
        (name, key, value)
        for name in arena.signature.fields
        for table in (getattr(s, name),)
        for key, value in table.entries.items()
        if value != table.default
    )


def _facts(s: State, arena: Arena) -> frozenset[Entry]:
    """What matters of a state: not where a dead id once lived, nor what was to arrive where nothing is in flight."""
    return frozenset(entry for entry in _key(s, arena) if _matters(s, *entry))


def _matters(s: State, name: str, key: tuple[int, ...], _: int) -> bool:
    match name:
        case "vid_at":
            return bool(s.status[key])
        case "page_of" | "written":
            return bool(s.refs[key])
        case "name":
            return bool(s.held[key] != NONE)
        case "flyer" | "arriving":
            return bool(s.flying[key])
    return True
