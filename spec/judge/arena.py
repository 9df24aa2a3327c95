"""The judged arena: a state whose fields are tables and whose words are listed from indexes."""

from typing import Any

from events.records import Header
from spec import words
from spec.judge.indexes import Extents, Index, PageAddresses
from spec.judge.order import Before, IsTransfer, Order
from spec.judge.tables import Change, Table, Writes
from spec.ranges import Word
from spec.state import FIELDS, READ, WRITE

LAPSES = {"held": "name"}
"""An entry of the second has no meaning once the first is the default: it is dropped with it."""

GARBAGE = -1
"""What a page shows when something else was written over it; no driver may write it."""


class JudgedArena:
    """Tables and indexes.  `but` only notes a change; `apply` makes it.

    The contents of a page are numbers that the driver chose; 0 is what every page holds at the start.
    """

    def __init__(self, header: Header) -> None:
        self.bands = len(header.bands)
        self.base, self.capacity = header.base, header.capacity
        self.bottom, self.top = header.bottom, header.top
        self.address = PageAddresses([b.origin for b in header.bands], [b.page_bytes for b in header.bands])
        self.garbage = GARBAGE
        self.order = Order()
        self.before, self.is_transfer = Before(self.order), IsTransfer(self.order)
        self.tables = {name: Table(False if field.value == "bool" else 0) for name, field in FIELDS.items()}
        self.__dict__.update(self.tables)
        self.listings: dict[str, Any] = {}
        self.watchers: dict[str, tuple[Any, ...]] = dict.fromkeys(FIELDS, ())
        self._index_everything()

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the state has no field {name!r}")

    def _index_everything(self) -> None:
        s = self
        self._index(words.holders, "held", lambda ticket, band, page: ((band, page), (ticket,)))
        self._index(words.writers, "held", lambda ticket, band, page: ((band, page), (ticket,)))
        self._index(words.pages_held, "held", lambda ticket, band, page: ((ticket,), (band, page)))
        self._index(
            words.given,
            "held name",
            lambda ticket, band, page: ((band, s.name[ticket, band, page]), (ticket, page)),
        )
        self._index(words.flights, "flying flyer", lambda band, page: ((s.flyer[band, page],), (band, page)))
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
        holders, writers, pages_held = (self.listings[name] for name in ("holders", "writers", "pages_held"))
        self.listings["rivals"] = lambda mode, band, page: (
            holders(band, page) if mode == WRITE else writers(band, page) if mode == READ else ()
        )
        self.listings["entries"] = lambda ticket: [(ticket, band, page) for band, page in pages_held(ticket)]
        self.listings["this_page"] = lambda band, page: ((band, page),)
        self.extents = Extents(self)
        self.watchers["lo"] = self.watchers["hi"] = (self.extents,)
        self.listings["spans_below"] = self.extents.below.__getitem__
        self.listings["spans_above"] = self.extents.above.__getitem__
        self.listings["struck"] = self.extents.struck

    def _index(self, word: Word, tables: str, place: Any) -> None:
        index = self.listings[word.name] = Index(self, word, place)
        for name in tables.split():
            self.watchers[name] += (index,)

    def but(self, **fields: Writes) -> Change:
        """The change that replaces these fields."""
        return Change(fields)

    def apply(self, change: Change) -> None:
        """Put the writes of a change into the tables, and tell the indexes."""
        for name, writes in change.fields.items():
            table, watchers = self.tables[name], self.watchers[name]
            default, lapsing = table.default, self.tables.get(LAPSES.get(name, ""))
            for key, value in writes.items():
                for watcher in watchers:
                    watcher.forget(key)
                if value == default:
                    table.pop(key, None)
                    if lapsing is not None:
                        lapsing.pop(key, None)
                else:
                    table[key] = value
                for watcher in watchers:
                    watcher.recall(key)
