"""The smallest arena that refutes an obligation.

Bands count first, then pages, tickets, ids, publishers, accesses, values and the bytes of pages. Each is as low as it
can be while those after it are what they were; then there is as little in the arena as can be.
"""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from properties.examples import Example
from properties.failing.budget import QUESTION, Budget, Spent
from properties.judging import Counterexample, NotConfirmed
from properties.ladder import refutation
from properties.obligations import Obligation
from properties.plain import Member
from properties.search import GaveUp, Search
from properties.shapes import Shape
from properties.specification import Specification

COUNTS = ("pages", "tickets", "vids", "publishers", "accesses", "values")
"""What is made small after the bands, in this order."""

LEAST = {"values": 2, "pages": 1, "vids": 1}
"""The value that nobody wrote and another; a page and an id, without which nothing could be said."""

SIZES_TRIED = 6
"""How many smaller sets of page bytes are tried."""


@dataclass(frozen=True)
class Smallest:
    """A counterexample, and whether all that is smaller was looked at in vain: a limit may have been reached before."""

    counterexample: Counterexample
    is_least: bool


def smallest(specification: Specification, known: Counterexample, budget: Budget) -> Smallest:
    """The smallest counterexample to the obligation that a known one refutes."""
    least, whole = known.example.before.shape, True
    for axis in ("bands", *COUNTS, "sizes"):
        for shape in _smaller(least, axis):
            try:
                budget.check()
                if _refuted(specification, known.obligation, shape) is None:
                    continue
            except (Spent, GaveUp, NotConfirmed):
                whole = False
                continue
            least = shape
            break
    try:
        found = _refuted(specification, known.obligation, least, tightest=True)
    except (GaveUp, NotConfirmed):
        found = None
    return Smallest(known, False) if found is None else Smallest(found, whole)


def used(example: Example, named: Member) -> Mapping[str, int]:
    """How many bands there are, and pages in their spans, and how many there must be of what is spoken of besides."""
    arena, shape = example.before, example.before.shape
    keys = [(of.keys.split(), arena.table(name)) for name, of in arena.signature.tables.items()]
    spoken_of = {sort for sorts, entries in keys if entries for sort in sorts} | {sort for sort, _ in named}
    spans = [
        arena.table("hi").get((band,), 0) - arena.table("lo").get((band,), 0) for band in range(len(arena.origins))
    ]
    counts = {"ticket": shape.tickets, "vid": shape.vids, "publisher": shape.publishers, "access": shape.accesses}
    return {
        "band": len(spans),
        "page": sum(spans),
        **{sort: count if sort in spoken_of else 0 for sort, count in counts.items()},
    }


def _smaller(shape: Shape, axis: str) -> Iterator[Shape]:
    """The shapes that are smaller along an axis, the smallest first."""
    if axis == "bands":
        yield from (replace(shape, sizes=shape.sizes[:bands]) for bands in range(1, len(shape.sizes)))
    elif axis == "sizes":
        every = itertools.product(range(1, max(shape.sizes) + 1), repeat=len(shape.sizes))
        smaller = sorted(
            (sizes for sizes in every if sum(sizes) < sum(shape.sizes)), key=lambda sizes: (sum(sizes), sizes)
        )
        yield from (replace(shape, sizes=sizes) for sizes in smaller[:SIZES_TRIED])
    else:
        counts: list[dict[str, Any]] = [{axis: n} for n in range(LEAST.get(axis, 0), getattr(shape, axis))]
        yield from (replace(shape, **fewer) for fewer in counts)


def _refuted(
    specification: Specification, obligation: Obligation, shape: Shape, *, tightest: bool = False
) -> Counterexample | None:
    search = Search(specification, obligation.stage, shape, QUESTION)
    return refutation(search, obligation, tightest=tightest)
