"""What a guard could say: the sentences of the other actions, and all that the specification's words can say.

A candidate speaks of the action's own arguments, and of what they lead to: the page of an id, the ends of a span.
"""

import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import z3

from properties.readings import reading
from properties.specification import Specification
from properties.unbounded import FunctionMap, Unbounded, sort_of
from spec import words
from spec.catalog import Action
from spec.device import words as device_words
from spec.device.state import DEVICE
from spec.logic import And, Not, Or, Term
from spec.ranges import Exists, Some, Word
from spec.state import FREE, LIVE, NONE, OUTSTANDING, READ, WITHHELD, WRITE, State

Says = Callable[..., Term]
"""A term made of a state and the action's arguments."""


@dataclass(frozen=True)
class Candidate:
    """A sentence that could be added to a guard; `action` is the one that has it, if one has."""

    sentence: str
    holds: Says
    action: str = ""
    where: str = ""
    """What its arguments stand for, where they have other names."""

    speaks: bool = True
    """Whether it speaks of some argument, or of what an argument leads to."""


@dataclass(frozen=True)
class Named:
    """A term of some sort, made of an action's arguments."""

    sort: str
    name: str
    of: Says


def candidates(specification: Specification, stage: str) -> Iterator[Candidate]:
    """Everything that could be added to the guard of an action: first what other actions say, the plainest first."""
    action = specification.actions[stage]
    terms = terms_of(action)
    yield from _of_others(specification, action, terms)
    said = list(_of_words(specification, terms))
    said += _of_fields(specification, terms)
    said += _of_places(terms)
    yield from said
    for unless, exempt in _exemptions(terms):
        for each in said:
            yield Candidate(f"{unless}, or {each.sentence}", _either(exempt, each.holds))


def terms_of(action: Action) -> tuple[Named, ...]:
    """The arguments of an action, and what they lead to."""
    names = list(inspect.signature(action.guard).parameters)[1:]
    own = [Named(sort, name, _argument(i)) for i, (name, sort) in enumerate(zip(names, action.sorts, strict=True))]
    band = next((each for each in own if each.sort == "band"), None)
    if band is None:
        return tuple(own)
    return (*own, *_led_to(band, own))


def _led_to(band: Named, own: Sequence[Named]) -> Iterator[Named]:
    for each in own:
        if each.sort == "vid":
            yield Named("page", f"the page of {each.name}", _entry("page_of", band, each))
        if each.sort == "page":
            yield Named("vid", f"the id that lives at {each.name}", _entry("vid_at", band, each))
            yield Named("ticket", f"the ticket that writes to {each.name}", _entry("flyer", band, each))
    yield Named("page", "the lowest page", lambda s, *xs: s.lo[band.of(s, *xs)])
    yield Named("page", "the highest page", lambda s, *xs: s.hi[band.of(s, *xs)] - 1)
    yield Named("page", "the page below the span", lambda s, *xs: s.lo[band.of(s, *xs)] - 1)
    yield Named("page", "the page above the span", lambda s, *xs: s.hi[band.of(s, *xs)])


def _argument(i: int) -> Says:
    return lambda _, *arguments: arguments[i]


def _entry(field: str, *keys: Named) -> Says:
    return lambda s, *xs: getattr(s, field)[tuple(key.of(s, *xs) for key in keys)]


# ------------------------------------------------------------------------------------------ what other actions say


def _of_others(specification: Specification, action: Action, terms: Sequence[Named]) -> Iterator[Candidate]:
    unbounded = Unbounded(specification.signature)
    for other in specification.actions.values():
        if other.name == action.name:
            continue
        names = list(inspect.signature(other.guard).parameters)[1:]
        for i, (text, used) in enumerate(_sentences(unbounded, other)):
            for chosen in _chosen([other.sorts[at] for at in used], terms):
                stand_for = dict(zip(used, chosen, strict=True))
                where = ", ".join(
                    f"{names[at]} is {term.name}" for at, term in stand_for.items() if term.name != names[at]
                )
                yield Candidate(text, _sentence(other, i, stand_for), other.name, where, bool(used))


def _sentences(unbounded: Unbounded, action: Action) -> list[tuple[str, tuple[int, ...]]]:
    """The sentences of a guard, each with the arguments of which it speaks."""
    with reading(unbounded):
        s, _ = unbounded.any_state()
        arguments, _ = unbounded.any_arguments(action)
        guard = [(text, _constants(condition)) for text, condition, _ in action.guard(s, *arguments)]
    return [(text, tuple(i for i, x in enumerate(arguments) if x.get_id() in spoken_of)) for text, spoken_of in guard]


def _constants(term: Any) -> set[int]:
    found, seen, left = set(), set(), [term] if z3.is_expr(term) else []
    while left:
        part = left.pop()
        if part.get_id() in seen:
            continue
        seen.add(part.get_id())
        if z3.is_const(part):
            found.add(part.get_id())
        left += [part.body()] if z3.is_quantifier(part) else part.children()
    return found


def _chosen(sorts: Sequence[str], terms: Sequence[Named]) -> Iterator[tuple[Named, ...]]:
    yield from itertools.product(*[[term for term in terms if term.sort == sort] for sort in sorts])


def _sentence(other: Action, i: int, stand_for: Mapping[int, Named]) -> Says:
    def holds(s: State, *arguments: Term) -> Term:
        chosen = [
            stand_for[at].of(s, *arguments) if at in stand_for else _any(s, sort) for at, sort in enumerate(other.sorts)
        ]
        return next(itertools.islice(other.guard(s, *chosen), i, None))[1]

    return holds


def _any(s: State, sort: str) -> Term:
    """Something of a sort, of which nothing is said."""
    return z3.Const(f"any {sort}", sort_of(sort)) if isinstance(s.lo, FunctionMap) else 0


# ------------------------------------------------------------------------------------------------- what words can say

SORTS = {name: name for name in ("band", "page", "vid", "ticket", "mode", "access")}
SORTS |= {"other": "", "holder": "", "its_page": ""}
"""The sorts of what the words call their parameters; of others nothing is said."""


def _of_words(specification: Specification, terms: Sequence[Named]) -> Iterator[Candidate]:
    modules = (words, device_words) if specification.signature == DEVICE else (words,)
    for name, word in _vocabulary(modules):
        parameters = list(inspect.signature(word.holds if isinstance(word, Word) else word).parameters)[1:]
        given = parameters[: len(parameters) - len(word.sorts)] if isinstance(word, Word) else parameters
        sorts = [_sort(parameter) for parameter in given]
        if not all(sorts):
            continue
        for chosen in _chosen(sorts, terms):
            of = ", ".join(term.name for term in chosen)
            called = f"{name}({of})"
            if isinstance(word, Word):
                yield Candidate(f"nothing is in {called}", _none(word, chosen), speaks=bool(chosen))
                yield Candidate(f"something is in {called}", _some(word, chosen), speaks=bool(chosen))
                ticket = next((term for term in terms if term.sort == "ticket"), None)
                if word.sorts[0] == "ticket" and ticket is not None:
                    yield Candidate(f"nothing is in {called} but {ticket.name}", _none_but(word, chosen, ticket))
            else:
                yield Candidate(f"not {called}", _denied(word, chosen))
                yield Candidate(called, _said(word, chosen))


def _vocabulary(modules: Sequence[ModuleType]) -> Iterator[tuple[str, Any]]:
    for module in modules:
        for name, word in vars(module).items():
            # what a function of a module returns, its types do not say: those that say something are these
            says = name.startswith("is_") or name in ("in_span", "runs_before", "ordered", "conflict", "share_bytes")
            if isinstance(word, Word) or (says and inspect.isfunction(word)):
                yield name, word


def _sort(parameter: str) -> str:
    return SORTS.get(parameter, "")


def _some(word: Word, chosen: Sequence[Named]) -> Says:
    return lambda s, *xs: Some(word(s, *[term.of(s, *xs) for term in chosen]))


def _none(word: Word, chosen: Sequence[Named]) -> Says:
    return lambda s, *xs: Not(Some(word(s, *[term.of(s, *xs) for term in chosen])))


def _none_but(word: Word, chosen: Sequence[Named], ticket: Named) -> Says:
    return lambda s, *xs: Not(
        Exists(word(s, *[term.of(s, *xs) for term in chosen]), lambda other, *_: other != ticket.of(s, *xs))
    )


def _said(predicate: Says, chosen: Sequence[Named]) -> Says:
    return lambda s, *xs: predicate(s, *[term.of(s, *xs) for term in chosen])


def _denied(predicate: Says, chosen: Sequence[Named]) -> Says:
    return lambda s, *xs: Not(predicate(s, *[term.of(s, *xs) for term in chosen]))


# ------------------------------------------------------------------------------------------------ what fields can say

VALUES: Mapping[str, Mapping[str, Callable[[Term], Term]]] = {
    "bool": {"is true": lambda x: x, "is not true": Not},
    "status": {
        "is free": lambda x: x == FREE,
        "is not free": lambda x: x != FREE,
        "is live": lambda x: x == LIVE,
        "is not live": lambda x: x != LIVE,
        "is withheld": lambda x: x == WITHHELD,
        "is not withheld": lambda x: x != WITHHELD,
    },
    "mode": {
        "is nothing": lambda x: x == NONE,
        "is not nothing": lambda x: x != NONE,
        "is to read": lambda x: x == READ,
        "is to write": lambda x: x == WRITE,
        "is not to write": lambda x: x != WRITE,
    },
    "count": {
        "is 0": lambda x: x == 0,
        "is 1": lambda x: x == 1,
        "is at most 1": lambda x: x <= 1,
        "is more than 0": lambda x: x > 0,
        "is more than 1": lambda x: x > 1,
    },
    "ending": {"is outstanding": lambda x: x == OUTSTANDING, "is not outstanding": lambda x: x != OUTSTANDING},
}
"""What can be said of a value of a sort."""


def _of_fields(specification: Specification, terms: Sequence[Named]) -> Iterator[Candidate]:
    for name, field in specification.signature.tables.items():
        for chosen in _chosen(field.keys.split(), terms):
            read = _entry(name, *chosen)
            called = f"{name}[{', '.join(term.name for term in chosen)}]"
            for says, of in VALUES.get(field.value, {}).items():
                yield Candidate(f"{called} {says}", _of_entry(read, of))
            for term in terms:
                if term.sort == field.value and field.value in ("vid", "page", "ticket", "access"):
                    yield Candidate(f"{called} is {term.name}", _same(read, term.of))


def _of_entry(read: Says, of: Callable[[Term], Term]) -> Says:
    return lambda s, *xs: of(read(s, *xs))


def _same(one: Says, other: Says) -> Says:
    return lambda s, *xs: one(s, *xs) == other(s, *xs)


def _of_places(terms: Sequence[Named]) -> Iterator[Candidate]:
    """Where a band is in the chain, and where a page is among others."""
    for band in (term for term in terms if term.sort == "band"):
        yield Candidate(f"{band.name} is not the first", lambda s, *xs, b=band: b.of(s, *xs) > 0)
        yield Candidate(f"{band.name} is not the last", lambda s, *xs, b=band: b.of(s, *xs) < s.bands - 1)
        yield Candidate(
            f"{band.name} is neither the first nor the last",
            lambda s, *xs, b=band: And(b.of(s, *xs) > 0, b.of(s, *xs) < s.bands - 1),
        )
        for page in (term for term in terms if term.sort == "page"):
            yield Candidate(f"{page.name} is inside the arena", _on_page(words.in_arena, band, page))
            yield Candidate(f"{page.name} is clear of every other span", _on_page(words.clear_of_others, band, page))
    for one, other in itertools.combinations([term for term in terms if term.sort == "page"], 2):
        yield Candidate(f"{one.name} is not {other.name}", lambda s, *xs, a=one, b=other: a.of(s, *xs) != b.of(s, *xs))


def _on_page(says: Says, band: Named, page: Named) -> Says:
    return lambda s, *xs: says(s, band.of(s, *xs), page.of(s, *xs), page.of(s, *xs) + 1)


def _exemptions(terms: Sequence[Named]) -> Iterator[tuple[str, Says]]:
    for term in terms:
        if term.sort == "mode":
            yield f"{term.name} is not to write", lambda s, *xs, of=term.of: of(s, *xs) != WRITE
        if term.sort == "ticket":
            yield f"{term.name} is no transfer", lambda s, *xs, of=term.of: Not(s.is_transfer[of(s, *xs)])


def _either(one: Says, other: Says) -> Says:
    return lambda s, *xs: Or(one(s, *xs), other(s, *xs))
