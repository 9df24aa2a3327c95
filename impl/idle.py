"""Whether an arena is idle, so that its bytes can be given back."""

from collections.abc import Iterable, Sequence

from impl.band import Band
from impl.ledger import Ledger
from impl.misuse import Misuse


def check_idle(bands: Sequence[Band], ledger: Ledger, publishers: Iterable[str]) -> None:
    """See that nobody and nothing needs the bytes of any page.

    Raises:
        Misuse: a page is live, a ticket is outstanding, somebody has published addresses, or the allocator's stream may
            still have work to do on pages.
    """
    live = {band.geometry.name: band.pages.live for band in bands if band.pages.live}
    if live:
        raise Misuse("pages", live, "are live", "release them, or call `clear`")
    if ledger.tickets:
        raise Misuse("tickets", list(ledger.tickets), "are outstanding", "complete or settle them first")
    names = list(publishers)
    if names:
        raise Misuse("publishers", names, "have published addresses", "let them `unpublish` first")
    queued = {band.geometry.name: count for band in bands if (count := band.holders.count_queued())}
    if queued:
        raise Misuse("queued", queued, "pages have work queued on them", "call `drain` once the stream has caught up")


def without_memory() -> Misuse:
    """The error of a call that needs the arena's bytes while they are given back."""
    return Misuse("memory", "released", "the arena has no bytes now", "call `resume_memory` first")
