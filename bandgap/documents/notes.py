"""What formulas do not say of themselves: why they are written as they are, by the action or property."""

import re
from collections.abc import Callable, Mapping

NOTES: Mapping[str, str] = {
    "allocate": "Why not simply that the page is free: each sentence is there for a property of its own, and by "
    "[[conservation]] what is neither live nor withheld *is* free. That the page promises no contents is said by "
    "`written\N{PRIME}`: what was last written to it is whatever lies there, so that [[content]] asks nothing of "
    "it before somebody writes.",
    "complete": "A ticket that completes was observed to be over, so nothing of it is left to be done: nothing becomes "
    "queued, as it does with [[settle]].",
    "settle": "Why `bytes` change at once: they are what a reader finds that is ordered behind the allocator's stream, "
    "and for it the ticket's writes have landed. On the device they may land later; `memory`, which "
    "[[device/land]] changes, is what really lies there. For a transfer, which waits for no stream, `queued` keeps on "
    "record what may still happen.",
    "device/complete": "This is [[complete]], with one sentence more; the other two are the arena's.",
    "move": "A page that is only read may be moved, too: who reads it keeps the old address, and the old page is "
    "withheld until nobody holds it. No span gets smaller by that, so admission takes a page that anybody holds as "
    "*pinned*, and Bandgap's allocator never moves one.",
    "conservation": "The proofs let a status be any value; this property says that only three occur. A page that is "
    "not in use is free, and a free page inside a span is a hole; that nothing outside a span is in use is "
    "[[outside-is-free]]. So a span is its live pages, its withheld ones and its holes.",
    "ledger-gated-reuse": "A ticket that was settled holds nothing any more, though its work may still run on the "
    "device. Only what is ordered behind that work may then touch the page: [[transfers-meet-nothing]] keeps transfers "
    "away from it, and [[race-free]] says so of every access.",
}
"""What a reader may wonder about, by the name; `[[name]]` is a link to an action or a property."""

NAMED = re.compile(r"\[\[([a-z/-]+)\]\]")


def note_of(name: str, link: Callable[[str], str]) -> str:
    """The note of an action or property, with its links; empty if it has none."""
    return NAMED.sub(lambda found: link(found[1]), NOTES.get(name, ""))
