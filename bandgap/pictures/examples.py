"""Examples of the proofs as pictures."""

from collections.abc import Iterable, Iterator

from bandgap.pictures.arena import Arena, Band, Look, Mark, Page, Status
from properties.examples import Arena as Small
from properties.examples import Example
from properties.plain import Member
from properties.specification import written
from spec.state import FREE, LIVE, WITHHELD

SEEN_CHANGES = ("status", "vid_at", "bytes")
"""The fields whose change is marked at the page to which it happened."""


def picture(arena: Small, marks: Iterable[Mark] = ()) -> Arena:
    """The arena, with these marks."""
    return Arena(arena.base, arena.capacity, [_band(arena, band) for band in range(len(arena.origins))], list(marks))


def before_and_after(example: Example, culprits: Iterable[Member]) -> tuple[Arena, Arena]:
    """The arena before, with what the action is about marked, and after, with what changed and what is wrong."""
    about = _named(example.before, _arguments(example), Look.ACTED_ON)
    wrong = [mark for member in culprits for mark in _named(example.after, member, Look.WRONG)]
    return picture(example.before, about), picture(example.after, [*_changed(example), *wrong])


def _band(arena: Small, band: int) -> Band:
    pages = [
        _shown(arena, band, page, status)
        for (of, page), status in sorted(arena.table("status").items())
        if of == band and status != FREE
    ]
    return Band(f"band {band}", arena.origins[band], arena.shape.sizes[band], *_ends(arena, band), pages)


def _shown(arena: Small, band: int, page: int, status: int) -> Page:
    """A page in use; a status that has no meaning, which proofs do not rule out beforehand, is a lost one."""
    holders = [key[0] for key, mode in sorted(arena.table("held").items()) if mode and key[1:] == (band, page)]
    if status == LIVE:
        vid = arena.table("vid_at").get((band, page), 0)
        return Page(page, Status.HELD if holders else Status.LIVE, f"v{vid}")
    if status == WITHHELD:
        return Page(page, Status.WITHHELD, f"t{holders[0]}" if holders else "")
    return Page(page, Status.LOST)


def _ends(arena: Small, band: int) -> tuple[int, int]:
    """The band's span."""
    return arena.table("lo").get((band,), 0), arena.table("hi").get((band,), 0)


def _arguments(example: Example) -> Member:
    if example.action is None:
        return ()
    return tuple(zip(written(example.action).actions[example.action].sorts, example.arguments, strict=True))


def _changed(example: Example) -> Iterator[Mark]:
    old, new = example.before, example.after
    tables = [(old.table(name), new.table(name)) for name in SEEN_CHANGES]
    pages = {key for was, now in tables for key in {*was, *now} if was.get(key, 0) != now.get(key, 0)}
    for band in range(len(old.origins)):
        pages |= {(band, page) for page in {*range(*_ends(old, band))} ^ {*range(*_ends(new, band))}}
    return (_page(new, band, page, Look.CHANGED) for band, page in sorted(pages))


def _named(arena: Small, member: Member, look: Look) -> Iterator[Mark]:
    """The bytes of each page that the member names, of the home of each living id, or of each band's span alone."""
    band = 0
    # an action may be about nothing in particular, and a member is then one longer
    for (sort, value), (following, _) in zip(member, (*member[1:], ("", 0)), strict=False):
        if sort == "band":
            band = value
            if following not in ("page", "vid"):
                yield _span(arena, band, look)
        elif sort == "page":
            yield _page(arena, band, value, look)
        elif sort == "vid" and arena.table("refs").get((band, value)):
            yield _page(arena, band, arena.table("page_of").get((band, value), 0), look)


def _page(arena: Small, band: int, page: int, look: Look) -> Mark:
    begin = arena.origins[band] + page * arena.shape.sizes[band]
    return Mark(band, begin, begin + arena.shape.sizes[band], look)


def _span(arena: Small, band: int, look: Look) -> Mark:
    ends = [arena.origins[band] + page * arena.shape.sizes[band] for page in _ends(arena, band)]
    return Mark(band, min(ends), max(ends), look)
