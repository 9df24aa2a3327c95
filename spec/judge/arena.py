"""The judged arena: a state whose fields are tables and whose words are listed from indexes."""

from typing import Any

from events.records import Header
from spec import words
from spec.judge.indexes import WATCHES, Extents, Index, PageAddresses
from spec.judge.order import Before, Order
from spec.judge.tables import MEANT_WITH, Change, Table, Writes, default_of
from spec.state import FIELDS, READ, WRITE

GARBAGE = -1
"""What a page shows when something else was written over it; no driver may write it."""


class JudgedArena:
    """Tables and indexes. `but` only notes a change; `apply` makes it.

    The contents of a page are numbers that the driver chose; 0 is what every page holds at the start.
    """

    def __init__(self, header: Header) -> None:
        self.bands = len(header.bands)
        self.base, self.capacity = header.base, header.capacity
        self.bottom, self.top = header.bottom, header.top
        self.address = PageAddresses([b.origin for b in header.bands], [b.page_bytes for b in header.bands])
        self.garbage = GARBAGE
        self.order = Order()
        self.before, self.is_transfer = Before(self.order), self.order.is_transfer
        self.tables = {name: Table(default_of(name)) for name in FIELDS}
        self.__dict__.update(self.tables)
        self.listings: dict[str, Any] = {}
        self.watches = WATCHES
        self.extents = Extents(self)
        self.indexes: dict[str, Any] = {
            watch.name: Index(self, watch) if watch.is_index else self.extents for watch in self.watches
        }
        self.compiled: dict[Any, Any] = {}
        """What is made of actions for this arena, by their guards."""
        self._list_everything()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the state has no field {name!r}")

    def _list_everything(self) -> None:
        s = self
        self.listings |= {watch.name: self.indexes[watch.name] for watch in self.watches if watch.is_index}
        # a table keeps what differs from its default, so its keys are the members of these words
        for word, table in (
            (words.ledger, s.held),
            (words.in_flight, s.flying),
            (words.on_queue, s.queued),
            (words.in_use, s.status),
            (words.referenced, s.refs),
        ):
            self.listings[word.name] = lambda table=table: table.keys()
        self.listings["publishers"] = lambda: [(who,) for who in s.published]
        nobody: dict[Any, Any] = {}
        in_conflict = {READ: self.indexes["writers"].members, WRITE: self.indexes["holders"].members}
        self.listings["rivals"] = lambda mode, band, page: in_conflict.get(mode, nobody).get((band, page), ())
        pages_held = self.listings["pages_held"]
        self.listings["entries"] = lambda ticket: [(ticket, band, page) for band, page in pages_held(ticket)]
        self.listings["this_page"] = lambda band, page: ((band, page),)
        self.listings["spans_below"] = self.extents.below.__getitem__
        self.listings["spans_above"] = self.extents.above.__getitem__
        self.listings["struck"] = self.extents.struck
        self.listings["met"] = self._met

    def _met(self, ticket: int, mode: int, band: int, page: int) -> list[tuple[int, int]]:
        if not self.is_transfer[ticket] or not self.queued:
            return []
        first, end = self.address[band, page], self.address[band, page + 1]
        near = [(other, its) for other in range(self.bands) for its in self.address.pages(other, first, end)]
        on_queue = [place for place in near if place in self.queued]
        return [place for place in on_queue if words.met.holds(self, ticket, mode, band, page, *place)]

    def but(self, **fields: Writes) -> Change:
        """The change that replaces these fields."""
        return Change(fields)

    def apply(self, change: Change) -> None:
        """Put the writes of a change into the tables, and tell the indexes."""
        told: list[tuple[Any, set[Any]]] = []
        for watch in self.watches:
            writes = [its for name, its in change.fields.items() if name in watch.fields]
            told.append((self.indexes[watch.name], set().union(*writes)))
        for index, keys in told:
            index.forget(keys)
        for name in sorted(change.fields, key=MEANT_WITH.__contains__):
            self._write(name, change.fields[name])
        for index, keys in told:
            index.learn(keys)

    def _write(self, name: str, writes: Writes) -> None:
        table, leader = self.tables[name], self.tables.get(MEANT_WITH.get(name, ""))
        followers = [self.tables[other] for other, its in MEANT_WITH.items() if its == name]
        for key, value in writes.items():
            if value != table.default and (leader is None or key in leader):
                table[key] = value
            else:
                table.pop(key, None)
                for follower in followers:
                    follower.pop(key, None)
