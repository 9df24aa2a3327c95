"""What quantifiers run over.

A *range* is a line of sorts ("ticket band"), or one of the specification's words for "those that ..." (see `those`).
Such a word is a predicate, and stays one for the solver; a state that keeps an index for it lists its members instead.

A *universe* gives ranges that are not listed their meaning: a solver's quantifiers, or enumeration of small domains.
"""

import functools
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeAlias, runtime_checkable

from spec.logic import And, If, Implies, Term

Body: TypeAlias = Callable[..., Term]
"""A condition on the members of a range, one argument for each of its sorts."""


class Universe(Protocol):
    """The meaning of quantifiers over sorts."""

    def forall(self, sorts: list[str], body: Body) -> Term: ...
    def exists(self, sorts: list[str], body: Body) -> Term: ...


@runtime_checkable
class Countable(Protocol):
    """A universe that can be enumerated."""

    def tuples(self, sorts: Iterable[str]) -> Iterator[tuple[Any, ...]]: ...


_chosen: list[Universe] = []


@contextmanager
def universe(chosen: Universe) -> Iterator[None]:
    """Read every range inside the block in the chosen universe."""
    previous = _chosen[:]
    _chosen[:] = [chosen]
    try:
        yield
    finally:
        _chosen[:] = previous


def _universe() -> Universe:
    if not _chosen:
        raise LookupError("a quantifier over sorts was met outside of any universe")
    return _chosen[0]


class Those:
    """A range that is not listed: the tuples of some sorts that meet a condition."""

    def __init__(self, sorts: list[str], condition: Body) -> None:
        self.sorts, self.condition = sorts, condition

    def forall(self, body: Body) -> Term:
        """The body holds of all of them."""
        return _universe().forall(self.sorts, lambda *xs: Where(self.condition(*xs), lambda: body(*xs)))

    def exists(self, body: Body) -> Term:
        """The body holds of one of them."""
        return _universe().exists(self.sorts, lambda *xs: And(self.condition(*xs), body(*xs)))

    def union(self, word: "Word", s: Any) -> "Range":
        """All that is in word(s, *x) for some x of them."""
        return Those(word.sorts, lambda *ys: self.exists(lambda *xs: word.holds(s, *xs, *ys)))


UNLISTED = (str, Those)
"""The kinds of ranges that only a universe gives a meaning."""

Listed: TypeAlias = Collection[tuple[Any, ...]]
Range: TypeAlias = str | Those | Listed


class Word:
    """A word for "those that ...": `word(s, *given)` is the range of the members for which the predicate holds.

    `holds(s, *given, *member)` is the predicate itself, `sorts` the sorts of a member.
    """

    def __init__(self, sorts: str, predicate: Body) -> None:
        functools.update_wrapper(self, predicate)
        self.name: str = predicate.__name__
        self.holds, self.sorts = predicate, sorts.split()

    def __call__(self, s: Any, *given: Term) -> Range:
        listing = s.listings.get(self.name)
        if listing is not None:
            return listing(*given)  # type: ignore[no-any-return]  # a state may list its members in any collection
        return Those(self.sorts, functools.partial(self.holds, s, *given))


def those(sorts: str) -> Callable[[Body], Word]:
    """Turn a predicate `p(s, *given, *member)` into a word; `sorts` are the sorts of a member."""
    return functools.partial(Word, sorts)


def _those(among: str | Those) -> Those:
    return Those(among.split(), lambda *_: True) if isinstance(among, str) else among


def Forall(among: Range, body: Body) -> Term:
    """The body holds of all in the range."""
    if not isinstance(among, UNLISTED):
        return all([body(*member) for member in among])  # noqa: C419  # quicker for few members
    return _those(among).forall(body)


def Where(condition: Term, conclusion: Callable[[], Term]) -> Term:
    """The conclusion holds if the condition does; where that is plainly false it is not looked at."""
    return True if condition is False else Implies(condition, conclusion())


def Exists(among: Range, body: Body) -> Term:
    """The body holds of one in the range."""
    if not isinstance(among, UNLISTED):
        return any([body(*member) for member in among])  # noqa: C419  # quicker for few members
    return _those(among).exists(body)


def Total(sorts: str, of: Callable[..., Term]) -> Term:
    """The sum of what a function says of every tuple of some sorts; only where these can be enumerated."""
    chosen = _universe()
    if not isinstance(chosen, Countable):
        raise TypeError(f"a sum over {sorts} was met in a universe that cannot be enumerated")
    return sum(of(*member) for member in chosen.tuples(sorts.split()))


def Count(sorts: str, body: Body) -> Term:
    """Of how many tuples of some sorts the body holds; only where these can be enumerated."""
    return Total(sorts, lambda *member: If(body(*member), 1, 0))


def Some(among: Range) -> Term:
    """The range is not empty."""
    if not isinstance(among, UNLISTED):
        return len(among) > 0
    return Exists(among, lambda *_: True)


def union(word: Word, s: Any, among: Range) -> Range:
    """All that is in word(s, *x) for some x of a range."""
    if not isinstance(among, UNLISTED):
        return [member for x in among for member in _listed(word(s, *x))]
    return _those(among).union(word, s)


def _listed(among: Range) -> Iterable[tuple[Any, ...]]:
    if isinstance(among, UNLISTED):
        raise TypeError("a union of listed ranges needs a listed word")
    return among
