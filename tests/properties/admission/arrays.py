"""The definition of a legal layout, read of many layouts at once: terms are arrays with an entry for each layout."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from spec.admission.maps import Says
from spec.concrete import Domains
from spec.logic import install
from spec.ranges import universe
from spec.state import State

Term = Any


class ArrayConnectives:
    """Connectives over arrays of truth values."""

    def conjunction(self, parts: list[Term]) -> Term:
        return np.logical_and.reduce(parts)

    def disjunction(self, parts: list[Term]) -> Term:
        return np.logical_or.reduce(parts)

    def negation(self, part: Term) -> Term:
        return np.logical_not(part)

    def implication(self, condition: Term, conclusion: Term) -> Term:
        return np.logical_or(np.logical_not(condition), conclusion)

    def choice(self, condition: Term, yes: Term, no: Term) -> Term:
        return np.where(condition, yes, no)


@contextmanager
def reading_arrays(bands: int, pages: range) -> Iterator[None]:
    """Read the specification of many layouts at once inside the block."""
    install(ArrayConnectives())
    with universe(Domains({"band": range(bands), "page": pages})):
        yield


def every_layout(origins: Sequence[int], sizes: Sequence[int], base: int, capacity: int) -> State:
    """Every way to give each band a span of pages that are not beyond the arena; whether legal or not is not asked."""
    columns = []
    for origin, size in zip(origins, sizes, strict=True):
        pages = range((capacity - origin) // size + 2)
        columns.append([(lo, hi) for lo, hi in product(pages, pages) if lo <= hi])
    counts = [len(spans) for spans in columns]
    which = np.indices(counts).reshape(len(counts), -1)
    spans: list[npt.NDArray[np.int64]] = [
        np.array(column)[chosen] for column, chosen in zip(columns, which, strict=True)
    ]
    return State(
        bands=len(sizes),
        base=base,
        capacity=capacity,
        bottom=-((origins[0] - base) // sizes[0]),
        top=(capacity - origins[-1]) // sizes[-1],
        address=Says(lambda band, page: origins[band] + page * sizes[band]),
        lo=[span[:, 0] for span in spans],
        hi=[span[:, 1] for span in spans],
    )
