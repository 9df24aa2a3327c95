"""Writes the calls of a driver beside the steps of an allocator, which together are a trace."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NoReturn, Protocol, TypeVar

import numpy as np
import torch

from events import records
from impl.allocator import Allocator, Outstanding
from impl.chain import Chain
from impl.drafts import DONE, FAILED, NO_INTEGERS, REFUSED, AtOnce, Draft, Record, by_band, drafts, kept
from impl.layout import Row
from impl.misuse import Misuse
from impl.numbers import Int64
from impl.originals import Originals
from impl.plan import Grant, Plan, Refusal
from impl.statistics import Statistics

Result = TypeVar("Result")

_BYTES_OF = np.ndarray.tobytes


class Keeper(Protocol):
    """Takes drafts of records while an allocator serves.

    Attributes:
        wants_snapshot: whether it asks to begin anew between two calls.
    """

    wants_snapshot: bool

    def note(self, draft: Draft, numbers: int = 0) -> None:
        """Take a draft; see `Note`."""

    def begin_anew(self, header: records.Header, snapshot: records.Snapshot) -> None:
        """Begin, or begin again, from what there is."""


class RecordedAllocator:
    """An allocator whose calls are written down before they are made, and how each ended.

    The recorder keeps no tables and asks the allocator nothing about its pages: references and holdings in the trace
    come from the calls alone. A call whose arguments are not even of the right type has no place in a trace; it is
    made nevertheless, so that the allocator rejects it.

    Args:
        allocator: writes its own steps to the same place.
        record: takes every record at once, the header and a snapshot first; or keeps them for later, as a `TraceFile`.
    """

    def __init__(self, allocator: Allocator, record: Record | Keeper) -> None:
        self.allocator = allocator
        # a snapshot does not say what is in flight, so that none may be taken to begin from meanwhile
        self._in_flight: dict[tuple[int, int], int] = {}
        self._keeper: Keeper = AtOnce(record) if callable(record) else record  # type: ignore[assignment]  # a constant will do
        self._note = self._keeper.note
        allocator.record_as_drafts(self._note)
        self._begin_anew()

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
        allocator = self.allocator
        asked: Any = demand
        if type(demand) is not tuple:
            demand = _listed(demand)
            asked = kept(by_band(demand, 0, allocator.chain.names))
        settling: Any = settle
        if type(settle) is not tuple:
            settle = _listed(settle)
            settling = kept(settle)
        copying: Any = ()
        if originals is not None:
            originals = _listed(originals)
            copying = _copied(by_band(originals, (), allocator.chain.names))
        if not allocator.has_memory:
            self._unheard(allocator.allocate, demand, settle, originals, wipe=wipe)
        self._note(drafts.Allocate(asked, settling, copying, wipe))
        try:
            result = allocator.allocate(demand, settle, originals, wipe=wipe)
        except Misuse:
            self._note(FAILED)
            raise
        if isinstance(result, Refusal):
            self._note(REFUSED)
        else:
            self._note(drafts.End("done", [*map(_BYTES_OF, result.ids)]))
            if self._in_flight and result.plan.settle:
                self._have_landed(result.plan.settle)
        if self._keeper.wants_snapshot and not self._in_flight:
            self._begin_anew()
        return result

    def share(self, band: int, ids: Any) -> None:
        """As `Allocator.share`."""
        named = kept(ids)
        self._call(drafts.Share(band, named), len(named), self.allocator.share, band, ids)

    def release(self, band: int, ids: Any) -> None:
        """As `Allocator.release`."""
        named = kept(ids)
        self._note(drafts.Release(band, named), len(named))
        try:
            self.allocator.release(band, ids)
        except Misuse:
            self._note(FAILED)
            raise
        self._done()

    def clear(self) -> None:
        """As `Allocator.clear`, on record as one call of `release` for each band.

        Which references there are the allocator is asked, against the recorder's habit. Those that it forgot are alive
        by the trace, so that a later step or snapshot contradicts it.
        """
        for band in range(len(self.chain.bands)):
            named = self.allocator.references(band)
            if named.size:
                self.release(band, named)

    def open(self, user: records.User, stream: str | None = None, waits: Iterable[int] = ()) -> int:
        """As `Allocator.open`."""
        if type(waits) is not tuple:
            waits = _listed(waits)
        number = self.allocator.next_ticket
        draft = drafts.Open(number, user, stream, waits if type(waits) is tuple else kept(waits))
        return self._call(draft, 0, self.allocator.open, user, stream, waits)

    def hold(self, ticket: int, band: int, ids: Any, mode: records.Mode) -> Int64:
        """As `Allocator.hold`."""
        allocator = self.allocator
        if not allocator.has_memory:
            self._unheard(allocator.hold, ticket, band, ids, mode)
        named = kept(ids)
        self._note(drafts.Hold(ticket, band, mode, named), len(named))
        try:
            pages = allocator.hold(ticket, band, ids, mode)
        except Misuse:
            self._note(FAILED)
            raise
        self._done()
        return pages

    def complete(self, ticket: int) -> None:
        """As `Allocator.complete`."""
        self._call(drafts.Complete(ticket), 0, self.allocator.complete, ticket)

    def quarantine(self, ticket: int) -> None:
        """As `Allocator.quarantine`. Not on record: what a ticket holds does not change until it is completed."""
        self.allocator.quarantine(ticket)

    def settle(self, ticket: int) -> None:
        """As `Allocator.settle`."""
        in_flight = self._in_flight
        if in_flight:
            self._have_landed((ticket,))
        try:
            self._call(drafts.Settle(ticket), 0, self.allocator.settle, ticket)
        except Misuse:
            self._in_flight = in_flight
            raise

    def drain(self) -> None:
        """As `Allocator.drain`."""
        self._call(records.Drain(), 0, self.allocator.drain)

    def publish(self, who: str) -> None:
        """As `Allocator.publish`."""
        if not self.allocator.has_memory:
            self._unheard(self.allocator.publish, who)
        self._call(drafts.Publish(who), 0, self.allocator.publish, who)

    def unpublish(self, who: str) -> None:
        """As `Allocator.unpublish`."""
        self._call(drafts.Unpublish(who), 0, self.allocator.unpublish, who)

    def compact(self, budget_bytes: int) -> int:
        """As `Allocator.compact`."""
        if not self.allocator.has_memory:
            self._unheard(self.allocator.compact, budget_bytes)
        return self._call(drafts.Compact(budget_bytes), 0, self.allocator.compact, budget_bytes)

    def release_memory(self) -> None:
        """As `Allocator.release_memory`. Not on record: no page, id or holding changes.

        Nor are the calls that the allocator rejects until the memory is back, which by the trace are legal.
        """
        self.allocator.release_memory()

    def resume_memory(self) -> None:
        """As `Allocator.resume_memory`. Not on record."""
        self.allocator.resume_memory()

    def issue(self, ticket: int, band: int, pages: Any, values: Any) -> None:
        """Write down that a ticket issues a write of a value to each of these physical pages."""
        named = kept(pages)
        self._note(drafts.Issue(ticket, band, named, kept(values)), len(named))
        self._note(DONE)
        self._in_flight.update({(band, int(page)): ticket for page in pages})

    def land(self, band: int, pages: Any) -> None:
        """Write down that the writes in flight to these physical pages arrive."""
        named = kept(pages)
        self._note(drafts.Land(band, named), len(named))
        self._note(DONE)
        for page in pages:
            self._in_flight.pop((band, int(page)), None)

    def write_snapshot(self) -> None:
        """Write down everything that the allocator knows, for a reader to compare or to begin from."""
        self._note(self.allocator.snapshot())

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

    def view(self, row: Row, band: int | None = None) -> torch.Tensor:
        """As `Allocator.view`."""
        return self.allocator.view(row, band)

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

    def _begin_anew(self) -> None:
        """A header and a snapshot, between two calls."""
        self._keeper.begin_anew(self.allocator.header(), self.allocator.snapshot())

    def _call(self, draft: Draft, numbers: int, make: Callable[..., Result], *arguments: Any) -> Result:
        self._note(draft, numbers)
        try:
            result = make(*arguments)
        except Misuse:
            self._note(FAILED)
            raise
        self._done()
        return result

    def _done(self) -> None:
        self._note(DONE)
        if self._keeper.wants_snapshot and not self._in_flight:
            self._begin_anew()

    def _have_landed(self, tickets: Iterable[int]) -> None:
        """Whatever these tickets wrote has landed."""
        over = frozenset(tickets)
        self._in_flight = {place: ticket for place, ticket in self._in_flight.items() if ticket not in over}

    def _unheard(self, make: Callable[..., Any], *arguments: Any, **named: Any) -> NoReturn:
        """A call that needs bytes, while there are no bytes, is not on record."""
        make(*arguments, **named)
        raise AssertionError("the allocator took a call for which it needs its memory")


def _listed(values: Any) -> Any:
    """A list of what can be gone through only once; anything else as it is."""
    # asked first, since being an iterator is slow to find out
    is_whole = type(values) in (tuple, list)
    return values if is_whole or not isinstance(values, Iterator) else list(values)


def _copied(lists: Any) -> Any:
    """Ids of each band as a caller passed them."""
    try:
        return [kept(ids) for ids in lists]
    except TypeError:
        return NO_INTEGERS
