"""Plays scenes: every step is judged by the specification on plain values, and what should not happen is refused."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from properties.examples import Arena, Entries, Example
from properties.known import weakenings
from properties.plain import Member, plain
from properties.specification import Specification, property_named

Act = tuple[str | int, ...]
"""An action and its arguments, such as ("allocate", 2, 5, 0)."""


@dataclass(frozen=True)
class Scene:
    """What happens: legal steps that lead up to it, and the step that is shown."""

    start: Arena
    before: Sequence[Act]
    shown: Act
    names: Sequence[str] = ()
    """The names of the bands, as they are drawn."""


@dataclass(frozen=True)
class Offence:
    """What must not happen: steps that a guard refuses, or that a seeded fault takes.

    Done all the same they break a property.
    """

    start: Arena
    before: Sequence[Act]
    wrong: Sequence[Act]
    fault: str = ""
    """The seeded fault of an effect with which the steps are taken; without one, a guard refuses the first of them."""
    names: Sequence[str] = ()


@dataclass(frozen=True)
class Shown:
    """A step as it was played."""

    example: Example
    names: Sequence[str]


@dataclass(frozen=True)
class Broken:
    """An offence as it was played: `examples` are its steps, done all the same."""

    examples: tuple[Example, ...]
    refused: tuple[tuple[str, str], ...]
    """The sentences that refuse the first step, each with the property that could fail without it."""
    fault: str
    culprits: tuple[Member, ...]
    """What the property is then false of."""
    names: Sequence[str]


class NotAsPlanned(Exception):
    """A scene that does not go as it is written down."""


def played(specification: Specification, scene: Scene) -> Shown:
    """Play a scene.

    Raises:
        NotAsPlanned: a step of it is not legal.
    """
    arena = _led_up(specification, scene.start, scene.before)
    example, refused = _done(specification, arena, scene.shown)
    if refused:
        raise NotAsPlanned(f"{scene.shown}: {'; '.join(text for text, _ in refused)}: not so")
    return Shown(example, scene.names)


def offended(specification: Specification, claim: str, offence: Offence) -> Broken:
    """Play an offence against a property.

    Raises:
        NotAsPlanned: what leads up to it is not legal, or it is, or the property holds of it all the same.
    """
    arena = _led_up(specification, offence.start, offence.before)
    if not _holds(specification, claim, [Example(arena, arena)])[0]:
        raise NotAsPlanned(f"{claim} is false of the legal state")
    acting = weakenings()[offence.fault].change(specification) if offence.fault else specification
    examples, refusals = [], []
    for act in offence.wrong:
        _, refused = _done(specification, arena, act)
        example, _ = _done(acting, arena, act)
        arena = example.after
        examples.append(example)
        refusals.append(refused)
    if bool(refusals[0]) == bool(offence.fault):
        raise NotAsPlanned(f"{offence.wrong[0]}: {'refused' if offence.fault else 'not refused'}")
    holds, culprits = _holds(specification, claim, examples)
    if holds:
        raise NotAsPlanned(f"{claim} holds all the same")
    return Broken(tuple(examples), tuple(refusals[0]), offence.fault, culprits, offence.names)


def _led_up(specification: Specification, start: Arena, steps: Sequence[Act]) -> Arena:
    with plain(start.shape):
        if specification.initial(start.state()) is not True:
            raise NotAsPlanned("the scene does not begin with a state at the start")
    arena = start
    for act in steps:
        example, refused = _done(specification, arena, act)
        if refused:
            raise NotAsPlanned(f"{act}: {'; '.join(text for text, _ in refused)}: not so")
        arena = example.after
    return arena


def _done(specification: Specification, arena: Arena, act: Act) -> tuple[Example, list[tuple[str, str]]]:
    """An action, be it legal or not, and the sentences that refuse it."""
    name, *given = act
    action, arguments = specification.actions[str(name)], tuple(map(int, given))
    with plain(arena.shape):
        s = arena.state()
        refused = [(text, protects) for text, holds, protects in action.guard(s, *arguments) if holds is not True]
        after = arena.became(action.effect(s, *arguments))
    return Example(arena, after, action.name, arguments), refused


def _holds(specification: Specification, claim: str, examples: Sequence[Example]) -> tuple[bool, tuple[Member, ...]]:
    """Whether a property holds after these steps, or of each of them; if not, of what it is false."""
    holds = property_named(claim).holds
    if claim not in specification.steps:
        with plain(examples[-1].after.shape) as culprits:
            return holds(examples[-1].after.state()) is True, tuple(culprits.found)
    for example in examples:
        with plain(example.after.shape) as culprits:
            if holds(example.before.state(), example.after.state()) is not True:
                return False, tuple(culprits.found)
    return True, ()


def with_tables(arena: Arena, tables: Mapping[str, Entries]) -> Arena:
    """The arena with these entries instead."""
    return replace(arena, tables={**arena.tables, **tables})
