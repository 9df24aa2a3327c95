"""Draws `docs/arena.svg`, the picture in the README, from an allocator that has really served these requests.

`python -m bandgap.reports.readme_picture > docs/arena.svg`
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from bandgap.reports.templating import templates
from events.records import BandState, Header, Snapshot
from impl.allocator import Allocator
from impl.device.metadata import MetadataDevice
from impl.layout import Options, layout_of
from impl.plan import Grant

MODEL = "inkling-small"
PAGE_TOKENS = 16
ARENA_BYTES = 40_000_000
LEFT, WIDTH = 20.0, 920.0


@dataclass(frozen=True)
class Block:
    """A page, or a stretch of bytes that is no page, as it is drawn."""

    status: str
    """live, held, withheld, hole, gap or sink."""
    x: float
    width: float
    title: str

    @property
    def middle(self) -> float:
        """The place where a line to it ends."""
        return self.x + self.width / 2


@dataclass(frozen=True)
class Span:
    """A band's span, as it is drawn."""

    name: str
    x: float
    width: float
    page_bytes: int


def served() -> Allocator:
    """An allocator in the middle of its work: a request has gone whose pages a forward pass still reads."""
    layout = layout_of(MODEL, Options(page_tokens=PAGE_TOKENS))
    allocator = Allocator(layout, ARENA_BYTES, device=MetadataDevice)
    state, window, full = range(3)

    def grant(*demand: int) -> Grant:
        given = allocator.allocate(demand)
        assert isinstance(given, Grant), "the picture's requests fit its arena"
        return given

    first, second, third = grant(1, 1, 8), grant(1, 1, 6), grant(1, 2, 12)
    forward = allocator.open("forward", "compute")
    allocator.hold(forward, full, first.ids[full][2:5], "read")
    allocator.hold(forward, window, second.ids[window], "read")
    allocator.hold(forward, full, third.ids[full][-1:], "write")
    for band in (state, window, full):
        allocator.release(band, second.ids[band])
    allocator.release(full, first.ids[full][:5])
    return allocator


def blocks(header: Header, snapshot: Snapshot) -> Iterator[Block]:
    """Every byte of the arena once, in address order."""
    scale = WIDTH / header.capacity

    def block(status: str, begins: int, ends: int, title: str) -> Block:
        return Block(status, LEFT + begins * scale, (ends - begins) * scale, title)

    at = header.base
    yield block("sink", 0, at, "sink: padded writes land here")
    for number, (band, state) in enumerate(zip(header.bands, snapshot.bands, strict=True)):
        begins = band.origin + state.lo * band.page_bytes
        if begins > at:
            yield block("gap", at, begins, f"gap: {begins - at:,} free bytes")
        holders = _holders(snapshot, number)
        for page in range(state.lo, state.hi):
            at = band.origin + page * band.page_bytes
            status, title = _page(state, page, holders.get(page, ""))
            yield block(status, at, at + band.page_bytes, f"{band.name} page {page}: {title}")
        at = band.origin + state.hi * band.page_bytes


def spans(header: Header, snapshot: Snapshot) -> Iterator[Span]:
    """The bands' spans, in address order."""
    scale = WIDTH / header.capacity
    for band, state in zip(header.bands, snapshot.bands, strict=True):
        x = LEFT + (band.origin + state.lo * band.page_bytes) * scale
        yield Span(band.name, x, (state.hi - state.lo) * band.page_bytes * scale, band.page_bytes)


def picture() -> str:
    """The picture as SVG."""
    allocator = served()
    header, snapshot = allocator.header(), allocator.snapshot()
    return (
        templates()
        .get_template("arena.svg.jinja")
        .render(
            model=header.model,
            capacity=header.capacity,
            blocks=list(blocks(header, snapshot)),
            spans=list(spans(header, snapshot)),
            left=LEFT,
            width=WIDTH,
        )
    )


def _holders(snapshot: Snapshot, band: int) -> dict[int, str]:
    return {
        entry.page: f"ticket {ticket.ticket} ({ticket.user}) holds it to {entry.mode}"
        for ticket in snapshot.tickets
        for entry in ticket.entries
        if entry.band == band
    }


def _page(state: BandState, page: int, holder: str) -> tuple[str, str]:
    if page in state.withheld:
        return "withheld", f"withheld, {holder}"
    if page in state.pages:
        return ("held", f"live, {holder}") if holder else ("live", "live")
    return "hole", "a hole"


if __name__ == "__main__":
    sys.stdout.write(picture())
