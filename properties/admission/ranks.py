"""Ranks agree: two copies of the state that agree on what a rank observes still do after the same action.

The two differ in everything else: in what bytes say, in which writes are on their way, and in what is written now.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import z3

from properties.admission.chains import Numbers
from properties.admission.few import few
from properties.admission.one_column import Below, any_band
from properties.admission.questions import Question
from properties.admission.states import LAST, STATE, small_state
from properties.admission.subject import Subject
from properties.admission.theorem import Theorem, stated
from properties.specification import ON_DEVICE, changed_actions
from properties.unbounded import FunctionMap, Quantifiers, sort_of
from spec.catalog import Action
from spec.device.state import DEVICE
from spec.logic import And, Implies, Not, Term
from spec.ranges import Exists
from spec.ranks import ALONE, AWAITED, OBSERVED, agree, same
from spec.specification import ACTIONS
from spec.state import READ, WRITE, Field, Signature, State


class Two(NamedTuple):
    """Two ranks, and an action on both: with the same arguments, but for what is written."""

    one: State
    other: State
    arguments: list[Any]
    its_arguments: list[Any]


def _any_two(action: Action) -> Callable[[Subject], Two]:
    def made(_: Subject) -> Two:
        one, other = (unknown_state(rank, DEVICE) for rank in ("one", "other"))
        arguments = [z3.Const(f"{sort}_{i}", sort_of(sort)) for i, sort in enumerate(action.sorts)]
        return Two(
            one, other, arguments, _with_other_values(action, arguments, z3.Const("other_value", sort_of("value")))
        )

    return made


def _small_two(action: Action) -> Callable[[Subject, Numbers], Two]:
    def made(subject: Subject, numbers: Numbers) -> Two:
        size = STATE.size
        one = small_state(subject, numbers, DEVICE).but(
            base=0, capacity=size, bottom=0, top=size, address=FunctionMap(lambda _, page: page)
        )
        another = small_state(subject, lambda name, first, last: numbers(f"the other's {name}", first, last), DEVICE)
        other = one.but(**{name: getattr(another, name) for name in DEVICE.fields if name not in OBSERVED})
        arguments = small_arguments(action, numbers)
        value = numbers("the other's value", 0, LAST["value"])
        return Two(one, other, arguments, _with_other_values(action, arguments, value))

    return made


def small_arguments(action: Action, numbers: Numbers) -> list[Any]:
    """What is a key is the same in every case, which loses nothing: all else is anything."""
    said = {"band": [1], "page": [1, 2], "vid": [0, 1], "ticket": [0], "publisher": [0], "access": [0, 1]}
    of_sort = {sort: itertools.cycle(values) for sort, values in said.items()}
    values = {"mode": lambda: numbers("mode", READ, WRITE), "value": lambda: numbers("value", 0, LAST["value"])}
    return [values[sort]() if sort in values else next(of_sort[sort]) for sort in action.sorts]


def _with_other_values(action: Action, arguments: Sequence[Any], value: Any) -> list[Any]:
    return [value if sort == "value" else x for sort, x in zip(action.sorts, arguments, strict=True)]


def unknown_state(called: str, signature: Signature) -> State:
    """A state of unknown functions; its constants are the same, whatever it is called."""
    constants = {name: _unknown(name, field) for name, field in signature.constants.items()}
    return State(**constants, **{name: _unknown(f"{called}_{name}", field) for name, field in signature.fields.items()})


def _unknown(called: str, field: Field) -> Any:
    keys = [sort_of(key) for key in field.keys.split()]
    if not keys:
        return z3.Const(called, sort_of(field.value))
    return FunctionMap(z3.Function(called, *keys, sort_of(field.value)))


def _agreeing(action: Action) -> Callable[[Subject, Two], Sequence[Term]]:
    def given(_: Subject, two: Two) -> Sequence[Term]:
        ranges = Quantifiers(two.one.bands)
        within = [ranges.within(sort, x) for sort, x in zip(action.sorts, two.arguments, strict=True)]
        return (agree(two.one, two.other), *within)

    return given


def _decisions(action: Action) -> Callable[[Subject, Two], Mapping[str, Term]]:
    def goals(subject: Subject, two: Two) -> Mapping[str, Term]:
        own = subject.actions[action.name]
        after = own.effect(two.one, *two.arguments)
        if _plain(action) in ALONE:
            return {"alone": agree(after, two.other)}
        its_after = own.effect(two.other, *two.its_arguments)
        changed = [name for name in OBSERVED if getattr(after, name) is not getattr(two.one, name)]
        if action.name != _plain(action):
            # what a device's guard adds is asked of the device
            return {"agree-after": And(*[same(after, its_after, name) for name in changed])}
        guards = zip(own.guard(two.one, *two.arguments), own.guard(two.other, *two.its_arguments), strict=True)
        decided = [_both_or_neither(mine[1], its[1]) for mine, its in guards if mine[0] not in AWAITED]
        return {
            "allowed-alike": And(*decided),
            "agree-after": And(*[same(after, its_after, name) for name in changed]),
        }

    return goals


def _both_or_neither(one: Term, other: Term) -> Term:
    return And(Implies(one, other), Implies(other, one))


def _unlike(_: Subject, two: Two) -> Mapping[str, Term]:
    one, other = two.one, two.other

    def landed_alone(band: Term, page: Term) -> Term:
        return And(one.flying[band, page], Not(other.flying[band, page]))

    return {
        "bytes differ": Exists("band page", lambda band, page: Not(one.bytes[band, page] == other.bytes[band, page])),
        "a write has landed on one alone": Exists("band page", landed_alone),
    }


def planner(subject: Subject) -> Iterator[Question]:
    """Two ranks that know the same of the spans of a band choose the same: the choice is the only one there is."""
    band = any_band(subject)
    column, byte = Below(band).column, z3.Int("byte")
    (lo, hi), (its_lo, its_hi) = (band.code.chosen(column, byte) for _ in range(2))
    known = [*band.facts.facts, *band.facts.demands]
    yield Question("same-end", tuple(known), hi == its_hi)
    yield Question("same-beginning", (*known, hi == its_hi), lo == its_lo)


def _plain(action: Action) -> str:
    """The name of an action, also of one of the device's."""
    return action.name.rpartition("/")[2]


def _of(action: Action) -> Theorem:
    on_device = " on the device" if action.name != _plain(action) else ""
    happened = f"one of them has had its {_plain(action)}" if _plain(action) in ALONE else f"the same {_plain(action)}"
    return stated(
        "rank-agreement",
        f"Ranks that agree still do after {happened}{on_device}.",
        _agreeing(action),
        _decisions(action),
        _any_two(action),
        _small_two(action),
        STATE,
        _unlike,
    )


EVERY = (*ACTIONS.values(), *changed_actions(ON_DEVICE).values())

THEOREMS = {
    **{f"ranks-agree.{action.name.replace('/', '-')}": _of(action) for action in EVERY},
    "the-choice-is-one": Theorem(
        "rank-agreement",
        "Of the spans that a band may have at the least cost, only one is chosen.",
        planner,
        few=few,
    ),
}
