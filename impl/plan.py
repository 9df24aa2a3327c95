"""What is decided before anything is done: a plan, or a refusal; and what an allocation gives."""

from typing import Final, Literal, TypeAlias, get_args

from msgspec import Struct

from impl.ledger import Extent
from impl.numbers import Int64

IN_PLACE = 1
"""Fill holes, grow into gaps; no page moves."""
COMPACT_ENDS = 2
"""Pages of the two end bands move, within their own band."""
RELAYOUT = 3
"""Pages of the floats move too."""


Reason: TypeAlias = Literal["never", "after-release", "evict"]
"""Of a refusal."""

REASONS: Final[tuple[str, ...]] = get_args(Reason)


class Move(Struct, frozen=True, eq=False):
    """Live pages of one band and, pairwise, the holes into which they are copied."""

    band: int
    sources: Int64
    targets: Int64


class Plan(Struct, frozen=True, eq=False):
    """How a joint demand will be met."""

    step: int
    """IN_PLACE, COMPACT_ENDS or RELAYOUT."""
    demand: tuple[int, ...]
    """Pages of each band."""
    settle: tuple[int, ...]
    """Tickets to settle first, in this order."""
    spans: tuple[Extent, ...]
    """The span of each band after moving and growing, before its pages are handed out."""
    moves: tuple[Move, ...]
    """At most one for each band; `spans` say in which order they are legal."""
    bytes_moved: int
    originals: tuple[Int64, ...] = ()
    """Of each band the virtual pages of which its first new pages are copies; () if there are no copies."""


class Refusal(Struct, frozen=True):
    """Why a joint demand cannot be met; the first reason that applies."""

    demand: tuple[int, ...]
    """Pages of each band."""
    reason: Reason
    """`never`: an empty arena could not hold it. `after-release`: it fits once these tickets retire and these
    publishers leave. `evict`: it fits once live pages of some kind are given up, when nothing is held."""
    tickets: tuple[int, ...] = ()
    publishers: tuple[str, ...] = ()
    evict: tuple[int | None, ...] = ()
    """For each band the least count of pages that suffices if only that band gives way; None if it cannot."""


class Grant(Struct, frozen=True, eq=False):
    """What an allocation gave."""

    ids: tuple[Int64, ...]
    """New virtual pages of each band, with one reference each; copies come first, in the order of their originals."""
    plan: Plan
    """How it was done."""
