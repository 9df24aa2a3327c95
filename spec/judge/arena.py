"""The judged arena: a state whose fields are tables and whose words are listed from indexes."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from events.records import Header
from spec import words
from spec.judge.indexes import Extents, Index, PageAddresses, Place
from spec.judge.order import Before, Order
from spec.judge.tables import Change, Table, Writes
from spec.ranges import Word
from spec.state import FIELDS, READ, WRITE

MEANT_WITH = {"name": "held", "page_of": "refs", "written": "refs"}
"""An entry of the first table means nothing while that of the second is the default: it is not kept then.

A long stream mints ever new ids and tickets; without this the tables would grow with every one of them.
"""

GARBAGE = -1
"""What a page shows when something else was written over it; no driver may write it."""


@dataclass(frozen=True)
class Plan:
    """How the writes to a set of fields are put into the tables, and which indexes are told of them."""

    tables: tuple[tuple[str, Table, Any, tuple[Table, ...]], ...]  # with its default, and the tables meant with it
    meant: tuple[tuple[str, Table, Any, Table], ...]  # those meant with another table, which has its writes already
    watchers: tuple[tuple[Any, tuple[str, ...]], ...]  # an index, and those of the fields that it watches


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
        self.before, self.is_transfer = Before(self.order), self.order.is_transfer
        self.tables = {name: Table(False if field.value == "bool" else 0) for name, field in FIELDS.items()}
        self.__dict__.update(self.tables)
        self.listings: dict[str, Any] = {}
        self.watched: list[tuple[Any, frozenset[str]]] = []  # each index, and the fields that it watches
        self.plans: dict[tuple[str, ...], Plan] = {}
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
        self._watch(self.extents, "lo hi")
        self.listings["spans_below"] = self.extents.below.__getitem__
        self.listings["spans_above"] = self.extents.above.__getitem__
        self.listings["struck"] = self.extents.struck
        self.listings["met"] = self._met

    def _met(self, ticket: int, mode: int, band: int, page: int) -> list[tuple[int, int]]:
        if not self.is_transfer[ticket] or not self.queued:
            return []
        first, end = self.address[band, page], self.address[band, page + 1]
        near = [(other, its) for other in range(self.bands) for its in self.address.pages(other, first, end)]
        return [place for place in near if words.met.holds(self, ticket, mode, band, page, *place)]

    def _index(self, word: Word, fields: str, place: Place) -> None:
        """List a word from an index of the first of these fields' table, which is told when any of them changes."""
        index = self.listings[word.name] = Index(self, word, self.tables[fields.split()[0]], place)
        self._watch(index, fields)

    def _watch(self, index: Any, fields: str) -> None:
        self.watched.append((index, frozenset(fields.split())))

    def but(self, **fields: Writes) -> Change:
        """The change that replaces these fields."""
        return Change(fields)

    def apply(self, change: Change) -> None:
        """Put the writes of a change into the tables, and tell the indexes."""
        fields = change.fields
        plan = self.plans.get(tuple(fields)) or self._planned(fields)
        for name, table, default, followers in plan.tables:
            for key, value in fields[name].items():
                if value != default:
                    table[key] = value
                else:
                    table.pop(key, None)
                    for follower in followers:
                        follower.pop(key, None)
        for name, table, default, leader in plan.meant:
            for key, value in fields[name].items():
                if value != default and key in leader:
                    table[key] = value
                else:
                    table.pop(key, None)
        for index, names in plan.watchers:
            keys: Any = fields[names[0]].keys()
            for name in names[1:]:
                if fields[name].keys() != keys:
                    keys |= fields[name].keys()
            index.update(keys)

    def _planned(self, fields: Iterable[str]) -> Plan:
        tables = self.tables

        def followers(name: str) -> tuple[Table, ...]:
            return tuple(tables[other] for other, leader in MEANT_WITH.items() if leader == name)

        plan = self.plans[tuple(fields)] = Plan(
            tuple((n, tables[n], tables[n].default, followers(n)) for n in fields if n not in MEANT_WITH),
            tuple((n, tables[n], tables[n].default, tables[MEANT_WITH[n]]) for n in fields if n in MEANT_WITH),
            tuple(
                (index, tuple(name for name in fields if name in watched))
                for index, watched in self.watched
                if not watched.isdisjoint(fields)
            ),
        )
        return plan
