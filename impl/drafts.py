"""What the recorder notes while an allocator serves, and the records that are made of it, at once or later.

A draft is a record that is not finished: numbers from arrays stand in it as bytes, of 64-bit integers in the machine's
order, which takes half as long as a copy or a list; and what a caller passed is not checked. Like records, drafts are
nothing that the garbage collector looks at, however many of them wait.
"""

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any, Final, Protocol, TypeAlias, TypeVar

import numpy as np
from msgspec.structs import astuple

from events import records
from impl.arguments import LONGEST_NAME, MODES, is_text
from impl.numbers import as_unsigned, is_integer, is_plain, largest

Draft: TypeAlias = records.AnyRecord
Record: TypeAlias = Callable[[records.AnyRecord], None]

drafts: Final[Any] = records
"""The types of records, for drafts of them: with bytes, or anything else, where lists of numbers belong."""

DONE: Final = records.End()
REFUSED: Final = records.End("refused")
FAILED: Final = records.End("failed")

NO_INTEGERS: Final = "none"
"""Stands for what a caller passed where integers belong, and no record can hold."""

_INT: Final = {int}
_USERS: Final = ("forward", "copy", "transfer")

Result = TypeVar("Result")


class Checked(list[int]):
    """Integers that were checked when they were noted, in a list that nobody else has."""

    __slots__ = ()


def kept(values: Any) -> Any:
    """Ids as a caller passed them, so that they stay as they are now."""
    if type(values) is not list and is_plain(values):
        return values.tobytes()
    try:
        return Checked(_integers(values))
    except Untypable:
        return NO_INTEGERS


class Note(Protocol):
    """Takes a draft, and how many bytes one of its lists of numbers has."""

    def __call__(self, draft: Draft, numbers: int = 0) -> None:
        """See the class."""


class AtOnce:
    """Makes each record when its draft is noted, and passes it on.

    A call whose arguments are not even of the right type has no place in a trace, and neither has its end.
    """

    wants_snapshot: Final = False

    def __init__(self, record: Record) -> None:
        self._record = record
        self._unheard = False

    def note(self, draft: Draft, numbers: int = 0) -> None:
        """Take a draft; see `Note`.

        Raises:
            AssertionError: the allocator did not reject a call that no record can hold.
        """
        try:
            record = _FINISH.get(type(draft), _plainly)(draft)
        except Untypable:
            self._unheard = True
            return
        if not self._unheard:
            self._record(record)
            return
        self._unheard = False
        if record != FAILED:
            raise AssertionError("the allocator took a call that no record can hold")

    def begin_anew(self, header: records.Header, snapshot: records.Snapshot) -> None:
        """Begin, or begin again, from what there is."""
        self._record(header)
        self._record(snapshot)


class Untypable(Exception):
    """An argument that no record can hold."""


def by_band(given: Any, nothing: Any, names: tuple[str, ...]) -> Any:
    """What was given in chain order or by names of kinds, in chain order; it is not looked into."""
    if type(given) in (tuple, list) or not isinstance(given, Mapping):
        return given
    return [given.get(name, nothing) for name in names] if set(given) <= set(names) else NO_INTEGERS


def finished(draft: Draft) -> records.AnyRecord:
    """The record of a draft.

    Raises:
        Untypable: a caller passed what no record can hold.
    """
    record: records.AnyRecord = _FINISH.get(type(draft), _plainly)(draft)
    return record


def bytes_of_numbers(draft: Draft) -> int:
    """How long one of its lists of numbers is, if it has some."""
    numbers = _NUMBERS.get(type(draft))
    return 0 if numbers is None else len(numbers(draft))


def _plainly(draft: Any) -> Any:
    """The record of what an allocator noted: nothing needs to be checked."""
    fields = astuple(draft)
    if bytes not in map(type, fields):
        return draft
    return type(draft)(*[_numbers(field) if type(field) is bytes else field for field in fields])


def _numbers(noted: bytes) -> list[int]:
    return memoryview(noted).cast("q").tolist()


def _integers(values: Any) -> list[int]:
    kind = type(values)
    if kind is Checked:
        checked: list[int] = values
        return checked
    # a list as a caller would write it, checked faster than number by number
    if kind is list:
        if not values:
            return []
        if {*map(type, values)} == _INT and min(values) >= -records.WIDEST and max(values) <= records.WIDEST:
            copied: list[int] = values.copy()
            return copied
    elif kind is bytes:
        values = np.frombuffer(values, np.int64)
    if is_plain(values) and (not values.size or largest(as_unsigned(values)) <= records.WIDEST):
        integers: list[int] = values.tolist()
        return integers
    try:
        items = values.tolist() if hasattr(values, "tolist") else list(values)
    except TypeError:
        raise Untypable from None
    if not isinstance(items, list):
        raise Untypable
    return [_integer(value) for value in items]


def _integer(value: Any) -> int:
    if not is_integer(value) or abs(int(value)) > records.WIDEST:
        raise Untypable
    return int(value)


def _count(value: Any) -> int:
    if type(value) is int and 0 <= value <= records.WIDEST:
        return value
    if _integer(value) < 0:
        raise Untypable
    return int(value)


def _counts(values: Any) -> list[int]:
    counts = _integers(values)
    if counts and min(counts) < 0:
        raise Untypable
    return counts


def _lists(values: Any) -> list[list[int]]:
    try:
        return [_integers(ids) for ids in values]
    except TypeError:
        raise Untypable from None


def _band(value: Any) -> int:
    if type(value) is int and 0 <= value <= 255:
        return value
    if _count(value) > 255:
        raise Untypable
    return int(value)


def _name(value: Any) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_NAME or not is_text(value):
        raise Untypable
    return value


def _one_of(words: Any, value: Any) -> Any:
    if not isinstance(value, str) or value not in words:
        raise Untypable
    return value


# What a caller passed is checked field by field; what an allocator noted needs no entry here.
_FINISH: Final[Mapping[Any, Callable[[Any], Any]]] = {
    records.Allocate: lambda d: records.Allocate(
        _counts(d.demand), _integers(d.settle), _lists(d.originals), bool(d.wipe)
    ),
    records.Share: lambda d: records.Share(_band(d.band), _integers(d.ids)),
    records.Release: lambda d: records.Release(_band(d.band), _integers(d.ids)),
    records.Open: lambda d: records.Open(
        d.ticket, _one_of(_USERS, d.user), None if d.stream is None else _name(d.stream), _integers(d.waits)
    ),
    records.Hold: lambda d: records.Hold(_count(d.ticket), _band(d.band), _one_of(MODES, d.mode), _integers(d.ids)),
    records.Complete: lambda d: records.Complete(_count(d.ticket)),
    records.Settle: lambda d: records.Settle(_count(d.ticket)),
    records.Publish: lambda d: records.Publish(_name(d.who)),
    records.Unpublish: lambda d: records.Unpublish(_name(d.who)),
    records.Compact: lambda d: records.Compact(_count(d.budget)),
    records.End: lambda d: records.End(d.outcome, [_numbers(ids) for ids in d.ids]) if d.ids else d,
    # the steps that there are most of
    **dict.fromkeys((records.GrewLow, records.GrewHigh, records.AbsorbedLow, records.AbsorbedHigh), lambda d: d),
    records.Allocated: lambda d: records.Allocated(d.band, _numbers(d.pages), _numbers(d.ids)),
}

_NUMBERS: Final[Mapping[Any, Callable[[Any], Any]]] = {
    **dict.fromkeys(
        (records.Share, records.Release, records.Hold, records.Allocated, records.Wiped, records.Forked),
        attrgetter("ids"),
    ),
    **dict.fromkeys((records.Issue, records.Land), attrgetter("pages")),
    records.Moved: attrgetter("sources"),
}
