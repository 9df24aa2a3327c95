"""The page actions of each record: a call or a step on many pages is that action on each of them, in order."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeAlias

from events import records as r
from spec.judge.opening import MODES
from spec.judge.verdict import Arguments

PageActions: TypeAlias = Iterator[tuple[str, Arguments]]


def _each(action: str, *columns: Iterable[Any]) -> PageActions:
    return ((action, arguments) for arguments in zip(*columns, strict=True))


def _repeated(action: str) -> Callable[[Any], PageActions]:
    return lambda record: ((action, (record.band,)) for _ in range(record.count))


def _same(value: Any, column: list[Any]) -> list[Any]:
    return [value] * len(column)


STEP_ACTIONS: dict[type[Any], Callable[[Any], PageActions]] = {
    r.GrewLow: _repeated("grow-low"),
    r.GrewHigh: _repeated("grow-high"),
    r.AbsorbedLow: _repeated("absorb-low"),
    r.AbsorbedHigh: _repeated("absorb-high"),
    r.Appeared: lambda a: iter([("appear", (a.band, a.page))]),
    r.Allocated: lambda a: _each("allocate", _same(a.band, a.ids), a.pages, a.ids),
    r.Moved: lambda a: _each("move", _same(a.band, a.sources), a.sources, a.targets),
    r.Settled: lambda a: iter([("settle", (a.ticket,))]),
    r.Refused: lambda a: iter(()),
}
"""The page actions of a step."""

CALL_ACTIONS: dict[type[Any], Callable[[Any], PageActions]] = {
    r.Allocate: lambda c: iter(()),
    r.Compact: lambda c: iter(()),
    r.Open: lambda c: iter(()),
    r.Share: lambda c: _each("share", _same(c.band, c.ids), c.ids),
    r.Hold: lambda c: _each("hold", _same(c.ticket, c.ids), _same(c.band, c.ids), c.ids, _same(MODES[c.mode], c.ids)),
    r.Complete: lambda c: iter([("complete", (c.ticket,))]),
    r.Settle: lambda c: iter([("settle", (c.ticket,))]),
    r.Drain: lambda c: iter([("drain", ())]),
    r.Issue: lambda c: _each("issue", _same(c.ticket, c.pages), _same(c.band, c.pages), c.pages, c.values),
    r.Land: lambda c: _each("land", _same(c.band, c.pages), c.pages),
    r.Publish: lambda c: iter([("publish", (c.who,))]),
    r.Unpublish: lambda c: iter([("unpublish", (c.who,))]),
}
"""The page actions of a call.  Within one call none changes whether another is legal, save for `Release`, see there."""
