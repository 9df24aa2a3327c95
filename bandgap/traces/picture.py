"""The arena where a judge stopped, with the pages that the finding is about marked."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from bandgap.pictures import Arena, Band, Look, Mark, Page, Status, in_words
from events import records as r
from spec.judge.arena import JudgedArena
from spec.judge.judge import Judge
from spec.judge.tables import Change, Writes
from spec.judge.verdict import Finding
from spec.specification import ACTIONS
from spec.state import LIVE, READ, WITHHELD

MOST_MARKED = 64
"""Pages of one record that are marked; a call may be about thousands."""

MOST_FACTS = 12

Place = tuple[int, int]
"""A band and a page of it."""


@dataclass(frozen=True)
class Picture:
    """The arena before what was found; after it, if it is one action that shows; and what neither shows."""

    before: Arena
    after: Arena | None
    facts: tuple[str, ...]

    @property
    def bytes(self) -> tuple[str, ...]:
        """The bytes of the pages that the finding is about, in words."""
        return tuple(in_words(self.before, mark) for mark in self.before.marks)


def picture_of(judge: Judge, finding: Finding) -> Picture | None:
    """The arena at the line of a finding; none if there was no arena yet. Nothing more may be judged after this."""
    s, header = judge.state, judge.header
    if s is None or header is None:
        return None
    places = list(islice(dict.fromkeys(_named(s, finding)), MOST_MARKED))
    effect = ACTIONS[finding.action].effect(s, *finding.arguments) if finding.action else None
    if effect is not None and not places:
        places = sorted(_crossing(s, effect))
    facts = tuple(islice(_facts(header, s, places), MOST_FACTS))
    before = _arena(header, s, [_mark(header, place, Look.ACTED_ON) for place in places])
    if effect is None:
        return Picture(before, None, facts)
    s.apply(effect)
    after = _arena(header, s, [_mark(header, place, Look.WRONG) for place in places])
    return Picture(before, after if after.bands != before.bands else None, facts)


def _arena(header: r.Header, s: JudgedArena, marks: list[Mark]) -> Arena:
    pages: list[list[Page]] = [[] for _ in header.bands]
    for (band, page), status in sorted(s.status.items()):
        holders = sorted(ticket for (ticket,) in s.listings["holders"](band, page))
        held = ", ".join(f"ticket {ticket} to {_mode(s.held[ticket, band, page])}" for ticket in holders)
        if status == LIVE:
            looks = Status.HELD if holders else Status.LIVE
            pages[band].append(Page(page, looks, f"v{s.vid_at[band, page]}", held))
        elif status == WITHHELD:
            pages[band].append(Page(page, Status.WITHHELD, f"t{holders[0]}" if holders else "", held))
    bands = [
        Band(band.name, band.origin, band.page_bytes, s.lo[number], s.hi[number], pages[number])
        for number, band in enumerate(header.bands)
    ]
    return Arena(header.base, header.capacity, bands, marks)


def _named(s: JudgedArena, finding: Finding) -> Iterator[Place]:
    """The pages that the action names, or the whole record where the finding is about no single action."""
    if finding.action is not None:
        band = 0
        for sort, value in zip(ACTIONS[finding.action].sorts, finding.arguments, strict=True):
            if sort == "band":
                band = value
            elif sort == "page":
                yield band, value
            elif sort == "vid" and s.refs[band, value]:
                yield band, s.page_of[band, value]
        return
    band = getattr(finding.record, "band", s.bands)
    if band >= s.bands:
        return
    for name in ("pages", "sources", "targets"):
        yield from ((band, page) for page in getattr(finding.record, name, ()))
    if isinstance(finding.record, r.Appeared):
        yield band, finding.record.page
    if isinstance(finding.record, r.Hold | r.Share | r.Release):
        yield from ((band, s.page_of[band, vid]) for vid in finding.record.ids if s.refs[band, vid])


def _crossing(s: JudgedArena, change: Change) -> Iterator[Place]:
    """The pages that enter or leave a span by one action, which changes it at its sides only."""
    for band in range(s.bands):
        was = range(s.lo[band], s.hi[band])
        lo, hi = (change.fields.get(name, Writes()).get(band, getattr(s, name)[band]) for name in ("lo", "hi"))
        sides = {page for side in (*was[:1], *was[-1:], lo, hi - 1) for page in (side - 1, side, side + 1)}
        yield from ((band, page) for page in sides if (page in was) != (lo <= page < hi))


def _facts(header: r.Header, s: JudgedArena, places: list[Place]) -> Iterator[str]:
    """What a picture does not show of these pages."""
    for band, page in places:
        where = f"page {page:,} of band {header.bands[band].name!r}" if band < s.bands else f"page {page:,}"
        for (ticket,) in sorted(s.listings["holders"](band, page)):
            mode = _mode(s.held[ticket, band, page])
            name, user = s.name[ticket, band, page], s.order.user.get(ticket, "ticket")
            yield f"ticket {ticket} ({user}) holds {where} to {mode}, given for id {name:,}"
        if s.flying[band, page]:
            yield f"a write of ticket {s.flyer[band, page]} is in flight to {where}"
        if s.queued[band, page]:
            yield f"the allocator's stream may still {_mode(s.queued[band, page])} {where}"
    if s.published:
        yield f"addresses are published by {', '.join(sorted(map(repr, s.published)))}"


def _mode(mode: int) -> str:
    return "read" if mode == READ else "write"


def _mark(header: r.Header, place: Place, look: Look) -> Mark:
    number, page = place
    band = header.bands[number]
    begin = band.origin + page * band.page_bytes
    return Mark(number, begin, begin + band.page_bytes, look)
