"""Writes the calls of a driver beside the steps of an allocator, which together are a trace."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import torch

from events import records
from impl.allocator import Allocator, Outstanding
from impl.arguments import LONGEST_NAME, is_text
from impl.chain import Chain
from impl.layout import Row
from impl.misuse import Misuse
from impl.numbers import Int64, as_unsigned, is_integer, is_plain, largest
from impl.originals import Originals
from impl.plan import Grant, Plan, Refusal
from impl.statistics import Statistics

Result = TypeVar("Result")

_DONE = records.End()


class RecordedAllocator:
    """An allocator whose calls are written down before they are made, and how each ended.

    The recorder keeps no tables and asks the allocator nothing about its pages: references and holdings in the trace
    come from the calls alone.  A call whose arguments are not even of the right type has no place in a trace; it is
    made nevertheless, so that the allocator rejects it.

    Args:
        allocator: writes its own steps to the same sink.
        record: takes every record; the header and a snapshot are written at once.
    """

    def __init__(self, allocator: Allocator, record: Callable[[records.AnyRecord], None]) -> None:
        self.allocator, self.record = allocator, record
        allocator.record = record
        record(allocator.header())
        record(allocator.snapshot())

    # ----------------------------------------------------------------------------------------------- calls on record

    def allocate(
        self,
        demand: Sequence[int] | Mapping[str, int],
        settle: Iterable[int] = (),
        originals: Originals | None = None,
        *,
        wipe: bool = False,
    ) -> Grant | Refusal:
        """As `Allocator.allocate`."""
        settle = _listed(settle)
        if type(demand) is not tuple:
            demand = _listed(demand)
        originals = _listed(originals)
        call = _typed(
            lambda: records.Allocate(
                self._by_band(demand, 0, _counts),
                _integers(settle),
                [] if originals is None else self._by_band(originals, (), _lists),
                bool(wipe),
            )
        )
        return self._call(self._if_memory(call), lambda: self.allocator.allocate(demand, settle, originals, wipe=wipe))

    def share(self, band: int, ids: Any) -> None:
        """As `Allocator.share`."""
        call = _typed(lambda: records.Share(_band(band), _integers(ids)))
        self._call(call, lambda: self.allocator.share(band, ids))

    def release(self, band: int, ids: Any) -> None:
        """As `Allocator.release`."""
        call = _typed(lambda: records.Release(_band(band), _integers(ids)))
        self._call(call, lambda: self.allocator.release(band, ids))

    def clear(self) -> None:
        """As `Allocator.clear`, on record as one call of `release` for each band.

        Which references there are the allocator is asked, against the recorder's habit.  Those that it forgot are alive
        by the trace, so that a later step or snapshot contradicts it.
        """
        for band in range(len(self.chain.bands)):
            named = self.allocator.references(band)
            if named.size:
                self.release(band, named)

    def open(self, user: records.User, stream: str | None = None, waits: Iterable[int] = ()) -> int:
        """As `Allocator.open`."""
        waits = _listed(waits)
        number = self.allocator.next_ticket
        known = user in ("forward", "copy", "transfer") and (stream is None or _is_name(stream))
        call = _typed(lambda: records.Open(number, user, stream, _integers(waits))) if known else None
        return self._call(call, lambda: self.allocator.open(user, stream, waits))

    def hold(self, ticket: int, band: int, ids: Any, mode: records.Mode) -> Int64:
        """As `Allocator.hold`."""
        known = mode in ("read", "write")
        call = _typed(lambda: records.Hold(_count(ticket), _band(band), mode, _integers(ids))) if known else None
        return self._call(self._if_memory(call), lambda: self.allocator.hold(ticket, band, ids, mode))

    def complete(self, ticket: int) -> None:
        """As `Allocator.complete`."""
        self._call(_typed(lambda: records.Complete(_count(ticket))), lambda: self.allocator.complete(ticket))

    def quarantine(self, ticket: int) -> None:
        """As `Allocator.quarantine`.  Not on record: what a ticket holds does not change until it is completed."""
        self.allocator.quarantine(ticket)

    def settle(self, ticket: int) -> None:
        """As `Allocator.settle`."""
        self._call(_typed(lambda: records.Settle(_count(ticket))), lambda: self.allocator.settle(ticket))

    def drain(self) -> None:
        """As `Allocator.drain`."""
        self._call(records.Drain(), self.allocator.drain)

    def publish(self, who: str) -> None:
        """As `Allocator.publish`."""
        call = records.Publish(who) if _is_name(who) else None
        self._call(self._if_memory(call), lambda: self.allocator.publish(who))

    def unpublish(self, who: str) -> None:
        """As `Allocator.unpublish`."""
        call = records.Unpublish(who) if _is_name(who) else None
        self._call(call, lambda: self.allocator.unpublish(who))

    def compact(self, budget_bytes: int) -> int:
        """As `Allocator.compact`."""
        call = _typed(lambda: records.Compact(_count(budget_bytes)))
        return self._call(self._if_memory(call), lambda: self.allocator.compact(budget_bytes))

    def release_memory(self) -> None:
        """As `Allocator.release_memory`.  Not on record: no page, id or holding changes.

        Nor are the calls that the allocator rejects until the memory is back, which by the trace are legal.
        """
        self.allocator.release_memory()

    def resume_memory(self) -> None:
        """As `Allocator.resume_memory`.  Not on record."""
        self.allocator.resume_memory()

    def issue(self, ticket: int, band: int, pages: Any, values: Any) -> None:
        """Write down that a ticket issues a write of a value to each of these physical pages."""
        self.record(records.Issue(ticket, band, _integers(pages), _integers(values)))
        self.record(records.End())

    def land(self, band: int, pages: Any) -> None:
        """Write down that the writes in flight to these physical pages arrive."""
        self.record(records.Land(band, _integers(pages)))
        self.record(records.End())

    def write_snapshot(self) -> None:
        """Write down everything that the allocator knows, for a reader to compare or to begin from."""
        self.record(self.allocator.snapshot())

    # ------------------------------------------------------------------------------------------- questions, unrecorded

    @property
    def chain(self) -> Chain:
        """As `Allocator.chain`."""
        return self.allocator.chain

    @property
    def next_ticket(self) -> int:
        """As `Allocator.next_ticket`."""
        return self.allocator.next_ticket

    def band(self, name: str) -> int:
        """As `Allocator.band`."""
        return self.allocator.band(name)

    def header(self) -> records.Header:
        """As `Allocator.header`."""
        return self.allocator.header()

    def snapshot(self) -> records.Snapshot:
        """As `Allocator.snapshot`."""
        return self.allocator.snapshot()

    def count_references(self, band: int, ids: Any) -> Int64:
        """As `Allocator.count_references`."""
        return self.allocator.count_references(band, ids)

    def references(self, band: int) -> Int64:
        """As `Allocator.references`."""
        return self.allocator.references(band)

    @property
    def has_memory(self) -> bool:
        """As `Allocator.has_memory`."""
        return self.allocator.has_memory

    def plan(
        self,
        demand: Sequence[int] | Mapping[str, int],
        settle: Iterable[int] = (),
        originals: Originals | None = None,
    ) -> Plan | Refusal:
        """As `Allocator.plan`."""
        return self.allocator.plan(demand, settle, originals)

    def translate(self, band: int, ids: Any) -> Int64:
        """As `Allocator.translate`."""
        return self.allocator.translate(band, ids)

    def page_table(self, band: int) -> torch.Tensor:
        """As `Allocator.page_table`."""
        return self.allocator.page_table(band)

    def view(self, row: Row) -> torch.Tensor:
        """As `Allocator.view`."""
        return self.allocator.view(row)

    def outstanding(self) -> tuple[Outstanding, ...]:
        """As `Allocator.outstanding`."""
        return self.allocator.outstanding()

    def statistics(self) -> Statistics:
        """As `Allocator.statistics`."""
        return self.allocator.statistics()

    def check(self) -> None:
        """As `Allocator.check`."""
        self.allocator.check()

    # ----------------------------------------------------------------------------------------------------------------

    def _by_band(self, given: Any, nothing: Any, typed: Callable[[Any], Result]) -> Result:
        """What was given in chain order or by names of kinds, in chain order."""
        if type(given) is not tuple and isinstance(given, Mapping):
            names = self.allocator.chain.names
            if not set(given) <= set(names):
                raise _Untypable
            given = [given.get(name, nothing) for name in names]
        return typed(given)

    def _if_memory(self, call: records.Call | None) -> records.Call | None:
        """The record of a call that needs bytes; none while there are no bytes."""
        return call if self.allocator.has_memory else None

    def _call(self, call: records.Call | None, make: Callable[[], Result]) -> Result:
        if call is None:
            make()
            raise AssertionError("the allocator took a call that no record can hold")
        self.record(call)
        try:
            result = make()
        except Misuse:
            self.record(records.End("failed"))
            raise
        if isinstance(result, Grant):
            self.record(records.End("done", [ids.tolist() for ids in result.ids]))
        elif isinstance(result, Refusal):
            self.record(records.End("refused"))
        else:
            self.record(_DONE)
        return result


class _Untypable(Exception):
    """An argument that no record can hold."""


def _typed(make: Callable[[], records.Call]) -> records.Call | None:
    try:
        return make()
    except _Untypable:
        return None


def _listed(values: Any) -> Any:
    """A list of what can be gone through only once; anything else as it is."""
    # asked first, since being an iterator is slow to find out
    is_whole = type(values) in (tuple, list)
    return values if is_whole or not isinstance(values, Iterator) else list(values)


def _integers(values: Any) -> list[int]:
    if is_plain(values) and (not values.size or largest(as_unsigned(values)) <= records.WIDEST):
        integers: list[int] = values.tolist()
        return integers
    try:
        items = values.tolist() if hasattr(values, "tolist") else list(values)
    except TypeError:
        raise _Untypable from None
    if not isinstance(items, list):
        raise _Untypable
    return [_integer(value) for value in items]


def _integer(value: Any) -> int:
    if not is_integer(value) or abs(int(value)) > records.WIDEST:
        raise _Untypable
    return int(value)


def _count(value: Any) -> int:
    if type(value) is int and 0 <= value <= records.WIDEST:
        return value
    if _integer(value) < 0:
        raise _Untypable
    return int(value)


def _counts(values: Any) -> list[int]:
    return [_count(value) for value in _integers(values)]


def _lists(values: Any) -> list[list[int]]:
    try:
        return [_integers(ids) for ids in values]
    except TypeError:
        raise _Untypable from None


def _band(value: Any) -> int:
    if _count(value) > 255:
        raise _Untypable
    return int(value)


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_NAME and is_text(value)
