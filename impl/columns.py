"""The fewest bytes that a chain must move, band by band: tables over the pages at which a span may begin or end.

The cost of a span is the bytes of the live pages outside it: each of them is moved once. With `L(p)` the count of live
pages below p, of n in all, the least cost up to band b ending at hi is

    F_b(hi) = P_b (n - L(hi)) + min over lo <= hi - need of P_b L(lo) + min over ends at or below lo of F_(b-1)

The proofs run these very lines, so they are few: what can be said with numbers alone is in `impl.arithmetic`.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from impl.arithmetic.admission import Needs
from impl.arithmetic.grid import address, pages_until
from impl.numbers import Int64
from impl.pages import LIVE

NOWHERE: Final = 1 << 62
"""A cost that no layout has, in bytes."""


class Column(NamedTuple):
    """What is known about the spans of one band, for each page at which they may begin or end."""

    needs: Needs
    first_lo: int
    begun: Int64
    """Least bytes moved below and in the band by beginning at page first_lo + i, what lies above its end aside."""
    first_hi: int
    ended: Int64
    """Least bytes moved below and in the band by ending at page first_hi + i."""


def column(
    needs: Needs, states: npt.NDArray[np.uint8], live: int, ends: tuple[int, int, int, int], below: Column | None
) -> Column:
    """The column of a band that needs pages.

    Args:
        needs: of the band.
        states: what each of its pages is.
        live: how many of them live.
        ends: the first and the last page at which a span may begin, and those at which it may end.
        below: the column of the next band below that needs pages, if there is one.
    """
    lo_min, lo_max, hi_min, hi_max = ends
    begun = live_below(states, lo_min, lo_max) * needs.size
    if below is not None:
        begun += _cost_below(below, needs, lo_min, lo_max)
    best = np.minimum.accumulate(begun)
    reach = np.minimum(np.arange(hi_min, hi_max + 1) - needs.need, lo_max) - lo_min
    ended = best[reach] + np.subtract(live, live_below(states, hi_min, hi_max)) * needs.size
    return Column(needs, lo_min, begun, hi_min, ended)


def chosen(column: Column, end: int) -> tuple[int, int]:
    """The span of least cost that ends at a byte or below it.

    Of equally good ones it is that with the lowest end, and of those the one with the highest beginning, so that no
    page is in a span without need.
    """
    origin, size, need, *_ = column.needs
    last = pages_until(origin, size, end) - column.first_hi
    hi = column.first_hi + int(column.ended[: last + 1].argmin())
    begun = column.begun[: hi - need - column.first_lo + 1]
    lo = column.first_lo + begun.size - 1 - int(begun[::-1].argmin())
    return lo, hi


def live_below(states: npt.NDArray[np.uint8], first: int, last: int) -> Int64:
    """For each page first <= p <= last, how many live pages are below it."""
    counts = np.zeros(last - first + 1, np.int64)
    np.cumsum(states[first:last] == LIVE, out=counts[1:])
    counts += np.count_nonzero(states[:first] == LIVE)
    return counts


def _cost_below(below: Column, needs: Needs, lo_min: int, lo_max: int) -> Int64:
    """For each page at which a band may begin, the least cost of what lies below it."""
    starts = address(needs.origin, needs.size, np.arange(lo_min, lo_max + 1))  # type: ignore[arg-type]  # of each page
    fitting = pages_until(below.needs.origin, below.needs.size, starts) - below.first_hi + 1
    fitting = np.clip(fitting, 0, below.ended.size)
    costs = np.concatenate(([NOWHERE], np.minimum.accumulate(below.ended)))
    cost: Int64 = costs[fitting]
    return cost
