"""Arrays of ids as callers give them: checked once, then 64-bit integers throughout."""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias, TypeGuard

import numpy as np
import numpy.typing as npt

from events.records import WIDEST
from impl.misuse import Misuse

Int64: TypeAlias = npt.NDArray[np.int64]

NOTHING: Final[Int64] = np.empty(0, np.int64)
NOTHING.flags.writeable = False

# as arrays, since numpy takes twice as long where it has to convert a number first
ZERO: Final[Int64] = np.array(0)
ONE: Final[Int64] = np.array(1)

_ORDER: Final[npt.NDArray[np.int32]] = np.arange(4096, dtype=np.int32)
_UINT64 = np.dtype(np.uint64)
_INT64 = np.dtype(np.int64)


def as_ids(value: Any, field: str, below: int) -> Int64:
    """A one-dimensional int64 array of numbers 0 <= id < below; not copied if it already is one.

    Raises:
        Misuse: it has another shape, other numbers, or one outside the range.
    """
    ids: Int64 = value if is_plain(value) else _converted(value, field)
    if not ids.size:
        return NOTHING
    # so that one comparison checks both ends
    unsigned = ids.view(_UINT64)
    worst = int(unsigned.argmax())
    if unsigned[worst] >= below:
        raise Misuse(
            field, int(ids[worst]), f"there are ids from 0 to {below - 1} only", "give ids that were handed out"
        )
    return ids


def is_plain(value: Any) -> TypeGuard[Int64]:
    """Whether it is what ids are kept in: a flat int64 array."""
    return type(value) is np.ndarray and value.dtype is _INT64 and value.ndim == 1


def as_unsigned(ids: Int64) -> npt.NDArray[np.uint64]:
    """The same bytes as unsigned numbers, of which the negative ones are the largest."""
    return ids.view(_UINT64)


def _converted(value: Any, field: str) -> Int64:
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:
        raise Misuse(field, value, f"not an array of ids ({error})", "give a sequence of integers") from None
    if array.ndim != 1:
        raise Misuse(field, value, f"has {array.ndim} dimensions", "give a flat sequence of integers")
    if type(value) is list and array.dtype is _INT64:
        return array
    if not array.size:
        return NOTHING
    if array.dtype.kind not in "iu" or (array.dtype.kind == "u" and int(array.max()) > np.iinfo(np.int64).max):
        raise Misuse(field, value, f"has elements of type {array.dtype}", "give integers below 2**63")
    return array.astype(np.int64)


def is_integer(value: Any) -> bool:
    """Whether it is an integer of Python's or of numpy's; truth values are none."""
    return type(value) is int or (isinstance(value, int | np.integer) and not isinstance(value, bool))


def as_count(value: Any, field: str) -> int:
    """A number that is neither negative nor beyond all bounds.

    Raises:
        Misuse: it is no integer, or out of range.
    """
    if not is_integer(value):
        raise Misuse(field, value, "not an integer", f"give an integer from 0 to {WIDEST}")
    count = int(value)
    if not 0 <= count <= WIDEST:
        problem = "negative" if count < 0 else "beyond all bounds"
        raise Misuse(field, value, problem, f"give an integer from 0 to {WIDEST}")
    return count


def largest(array: Int64 | npt.NDArray[np.uint64]) -> int:
    """The largest element of an array that is not empty. Twice as fast as `max` on short arrays."""
    return int(array[array.argmax()])


def smallest(array: Int64) -> int:
    """The smallest element of an array that is not empty."""
    return int(array[array.argmin()])


class Sieve:
    """Finds repeated and common numbers below a limit, in time proportional to the batches.

    It remembers nothing from one question to the next, so one is enough for all bands.
    """

    __slots__ = ("_mark", "_place")

    def __init__(self, limit: int) -> None:
        # places in a batch, which are fewer than 2**31
        self._place: npt.NDArray[np.int32] = np.empty(limit, np.int32)
        self._mark: npt.NDArray[np.bool_] = np.zeros(limit, np.bool_)

    def once(self, batch: Int64) -> Int64:
        """The batch itself if no number in it is repeated; otherwise each number once."""
        if batch.size < 2:
            return batch
        order = _ORDER[: batch.size] if batch.size <= _ORDER.size else np.arange(batch.size, dtype=np.int32)
        self._place[batch] = order
        kept = self._place[batch] == order
        return batch if np.count_nonzero(kept) == batch.size else batch[kept]

    def counted(self, batches: Sequence[Int64]) -> tuple[Int64, npt.NDArray[np.int32]]:
        """Each number that is in any of the batches, and in how many; in each of them it is once."""
        place, joined = self._place, np.concatenate(batches)
        place[joined] = 0
        for batch in batches:
            place[batch] += 1
        times = place[joined]
        order = np.arange(joined.size, dtype=np.int32)
        place[joined] = order
        kept = place[joined] == order
        return joined[kept], times[kept]

    def among(self, batch: Int64, others: Int64) -> npt.NDArray[np.bool_]:
        """Which numbers of the batch are among the others."""
        self._mark[others] = True
        found: npt.NDArray[np.bool_] = self._mark[batch]
        self._mark[others] = False
        return found
