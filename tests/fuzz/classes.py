"""The classes of fault that the field has had, and for each some seeded faults of it."""

from collections.abc import Mapping
from typing import Final

CLASSES: Final[Mapping[str, tuple[str, ...]]] = {
    "overlap": ("each-kind-counts-the-gap-for-itself", "grow-high.asks-only-the-neighbour"),
    "premature reuse": (
        "free-ignores-holders",
        "withheld-pages-are-handed-out",
        "allocate.hands-out-what-is-only-read",
    ),
    "stale translation": (
        "page-table-on-the-device-is-stale-after-a-move",
        "device/move.tells-the-table-the-old-page",
        "ids-come-back-before-their-holders-retire",
    ),
    "lost page": ("only-the-last-withheld-page-comes-back", "free.loses-the-page"),
    "double free": ("releasing-twice-is-taken", "the-first-release-frees", "unshare.counts-down-twice"),
    "over-promise": ("a-promise-outlives-the-gate", "admission/packs-a-page-too-few"),
    "under-promise": ("floats-never-move", "a-kind-never-gets-more-than-its-share", "admission/packs-a-page-too-many"),
    "starvation": ("every-ticket-is-waited-for", "never-is-said-too-early"),
    "accounting drift": (
        "refused-demands-settle-tickets",
        "clearing-gives-up-each-page-once",
        "admission/loses-the-last-page",
    ),
    "stale memo": ("a-promise-outlives-the-gate",),
    "out-of-range index": ("translate-looks-up-any-id", "update-writes-beyond-the-table", "ids-are-taken-for-pages"),
    "32-bit overflow": ("move-multiplies-in-32-bits", "device/land.writes-over-the-next-page"),
    "foreign bytes": ("resumed-memory-is-not-cleared", "pages-are-wiped-but-for-the-last"),
    "move during transfer": ("senders-do-not-pin", "writers-do-not-pin", "move.waits-only-for-what-is-in-flight"),
    "write race": ("rivals-are-not-looked-for", "moves-run-on-a-stream-of-their-own"),
    "ignored gate": ("admission-ignores-the-gate", "one-band-ignores-the-gate", "move.asks-the-gate-of-one-band-only"),
    "non-atomic joint allocation": ("refused-demands-keep-what-they-got",),
    "relayout order": ("relayout-goes-the-wrong-way-round", "admission/lowest-turns-first"),
    "livelock": ("admission/asks-for-nothing", "admission/turns-that-tie"),
    "late binding": ("device/issue-read.fills-nothing-in", "device/look-up.looks-before-the-table-is-told"),
    "sentinel free": ("the-sink-is-free-for-all", "update-writes-entry-0-without-an-id"),
    "lost completion": ("complete.leaves-pages-withheld", "only-the-last-transfer-of-a-ticket-counts"),
    "premature completion": ("transfers-are-over-when-they-begin", "events-are-recorded-before-the-last-kernel"),
}
"""By what goes wrong."""
