"""The state of an arena: what it is made of, and records of it that never change."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

FREE, LIVE, WITHHELD = 0, 1, 2
"""What a physical page is. A free page inside its band's span is a hole."""

NONE, READ, WRITE = 0, 1, 2
"""How a ticket holds a physical page, or what the allocator's stream may still do with it."""

OUTSTANDING, COMPLETED, SETTLED = 0, 1, 2
"""Whether and how a ticket has retired."""


@dataclass(frozen=True)
class Field:
    """A map from some sorts to a sort, or, without keys, one value; and what it says."""

    keys: str
    value: str
    prose: str


FIELDS = {
    "lo": Field("band", "page", "the first page of a band's span"),
    "hi": Field("band", "page", "the page after the last of a band's span; a span with lo = hi is empty"),
    "status": Field("band page", "status", "what a physical page is: free, live or withheld"),
    "page_of": Field("band vid", "page", "the page table: where a virtual page lives"),
    "vid_at": Field("band page", "vid", "its inverse: which virtual page lives at a physical page"),
    "refs": Field("band vid", "count", "the references to a virtual page; alive exactly while there is one"),
    "held": Field("ticket band page", "mode", "the ledger: how a ticket holds a physical page"),
    "name": Field("ticket band page", "vid", "the virtual page for which a ticket was given a physical page"),
    "ending": Field("ticket", "ending", "whether and how a ticket has retired"),
    "queued": Field(
        "band page",
        "mode",
        "what the allocator's own stream may still do with a page: its copies, and the work of tickets it waits for",
    ),
    "published": Field("publisher", "bool", "the gate: who has published addresses to a peer"),
    "bytes": Field("band page", "value", "the bytes of a physical page"),
    "written": Field("band vid", "value", "what was last written to a virtual page"),
    "flying": Field("band page", "bool", "whether a write to a physical page was issued and has not landed"),
    "flyer": Field("band page", "ticket", "whose write is in flight to a physical page"),
    "arriving": Field("band page", "value", "what the write in flight to a physical page will leave"),
}
"""What changes."""

CONSTANTS = {
    "bands": Field("", "count", "the number of bands; they are numbered in address order"),
    "base": Field("", "address", "the first byte of the arena"),
    "capacity": Field("", "address", "the byte after the last of the arena"),
    "bottom": Field("", "page", "the page at which the first band begins"),
    "top": Field("", "page", "the page at which the last band ends"),
    "address": Field("band page", "address", "the first byte of a page; it never falls as pages rise"),
    "before": Field(
        "ticket ticket", "bool", "the first is ahead of the second on a stream, or the second waits for it"
    ),
    "is_transfer": Field("ticket", "bool", "network transfers wait for no stream, and no stream can wait for them"),
    "garbage": Field("", "value", "what a page shows when something else was written over it"),
}
"""What never changes."""


@dataclass(frozen=True)
class Signature:
    """What a state is made of."""

    fields: Mapping[str, Field]
    constants: Mapping[str, Field]

    @property
    def tables(self) -> Mapping[str, Field]:
        """The fields, and those of the constants that have keys but are not computed."""
        return {
            **self.fields,
            **{name: field for name, field in self.constants.items() if field.keys and field.value != "address"},
        }


ARENA = Signature(FIELDS, CONSTANTS)
"""Fields and constants of an arena."""


class State:
    """A record of the fields and constants. `but` gives a copy in which some fields are replaced.

    `listings` names the words whose members this kind of state lists from an index; here none.
    """

    listings: dict[str, Any] = {}  # noqa: RUF012  # the one empty dictionary is never changed

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"the state has no field {name!r}")

    def but(self, **fields: Any) -> "State":
        """A copy in which these fields are replaced."""
        return State(**{**self.__dict__, **fields})
