"""A chain and what it needs: as the specification reads it, and as the arithmetic takes it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from properties.admission.code import Code
from properties.unbounded import FunctionMap
from spec.admission.layouts import asks, is_arena
from spec.logic import And, Implies, Term
from spec.ranges import Forall
from spec.state import State

Numbers = Callable[[str, int, int], Any]
"""A number of a name, from the first to the last that it may be."""


@dataclass(frozen=True)
class Shape:
    """How small a small case is: the page bytes of its bands, in chain order, and the bytes of its arena."""

    sizes: tuple[int, ...]
    size: int

    @property
    def pages(self) -> range:
        """All pages that are ever spoken of."""
        return range(-1, self.size + 2)


CHAIN = Shape((2, 3, 1), 10)
"""The shape of most chains: the middle band is a float, which may be empty."""


def any_chain(code: Code) -> State:
    """Any number of bands, anywhere, of any page sizes, with any needs, and any layout."""

    def numbers(name: str, *keys: str) -> FunctionMap:
        return FunctionMap(z3.Function(name, *[z3.IntSort() for _ in keys], z3.IntSort()))

    columns = {name: numbers(name, "band") for name in ("origin", "size", "need", "pin_lo", "pin_hi", "lo", "hi")}
    constants = {name: z3.Int(name) for name in ("bands", "base", "capacity", "bottom", "top")}
    fixed = FunctionMap(z3.Function("fixed", z3.IntSort(), z3.IntSort(), z3.BoolSort()))
    return _chain(code, **columns, **constants, fixed=fixed)


def small_chain(code: Code, numbers: Numbers, shape: Shape = CHAIN) -> State:
    """Few bands in few bytes; what must stay are the pages of an extent."""
    size = shape.size

    def column(name: str, last: int) -> list[Any]:
        return [numbers(f"{name} of band {band}", 0, last) for band, _ in enumerate(shape.sizes)]

    most = {"origin": 2, "need": 4, "pin_lo": size, "pin_hi": size, "lo": size + 1, "hi": size + 1}
    columns = {name: column(name, last) for name, last in most.items()}
    constants = {name: numbers(name, 0, size) for name in ("base", "capacity", "bottom", "top")}
    pins = list(zip(columns["pin_lo"], columns["pin_hi"], strict=True))
    fixed = FunctionMap(lambda band, page: And(pins[band][0] <= page, page < pins[band][1]))
    return _chain(code, bands=len(shape.sizes), size=list(shape.sizes), **columns, **constants, fixed=fixed)


def _chain(code: Code, **fields: Any) -> State:
    s = State(**fields)
    return s.but(address=FunctionMap(lambda band, page: code.address(s.origin[band], s.size[band], page)))


def given(s: State) -> list[Term]:
    """What is known of any chain: it shares an arena, nobody asks for less than nothing, and the pins are extents."""
    return [is_arena(s), asks(s), have_size(s), *are_extents(s)]


def have_size(s: State) -> Term:
    """Every page has at least one byte."""
    return Forall("band", lambda band: s.size[band] > 0)


def are_extents(s: State) -> list[Term]:
    """The pins of each band are the extent of what must stay there: from the first such page to the last."""
    return [
        Forall("band page", lambda band, page: Implies(s.fixed[band, page], _in_pins(s, band, page))),
        Forall(
            "band",
            lambda band: Implies(
                s.pin_lo[band] < s.pin_hi[band],
                And(s.fixed[band, s.pin_lo[band]], s.fixed[band, s.pin_hi[band] - 1]),
            ),
        ),
    ]


def _in_pins(s: State, band: Term, page: Term) -> Term:
    return And(s.pin_lo[band] <= page, page < s.pin_hi[band])


def needs(code: Code, s: State, band: Term) -> Any:
    """What the arithmetic is told of a band."""
    return code.Needs(s.origin[band], s.size[band], s.need[band], s.pin_lo[band], s.pin_hi[band])


def chain_of(code: Code, s: State) -> list[Any]:
    """The same of all bands of a small chain."""
    return [needs(code, s, band) for band in range(s.bands)]


@dataclass(frozen=True)
class EndsOf(Sequence[Any]):
    """A chain of which only the last band is asked for, or the first, by a function whose loop was taken apart."""

    last: Any
    first: Any = None

    def __len__(self) -> int:
        raise TypeError("nobody knows how many bands there are")

    def __getitem__(self, index: Any) -> Any:
        if index == 0 and self.first is not None:
            return self.first
        if index != -1:
            raise IndexError(f"only what is at the ends is known, not {index}")
        return self.last
