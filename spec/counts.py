"""How many pages of a band are live, withheld and holes: counters that every action keeps.

No state has them: they are what would have to be counted, and are shown to be what is there.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from spec.logic import And, If, Term
from spec.ranges import Count, Forall, Some
from spec.state import FREE, LIVE, WITHHELD, State
from spec.words import holders, in_span


def live_pages(s: State, band: Term) -> Term:
    """How many pages of the band are live."""
    return Count("page", lambda page: is_live(s, band, page))


def withheld_pages(s: State, band: Term) -> Term:
    """How many pages of the band are withheld."""
    return Count("page", lambda page: is_withheld(s, band, page))


def holes(s: State, band: Term) -> Term:
    """How many holes the band has."""
    return Count("page", lambda page: is_hole(s, band, page))


def adds_up(s: State) -> Term:
    """Live pages, withheld ones and holes are together as many as the pages of the span."""
    return Forall(
        "band",
        lambda band: live_pages(s, band) + withheld_pages(s, band) + holes(s, band) == s.hi[band] - s.lo[band],
    )


@dataclass(frozen=True)
class Change:
    """By how much the counters of one band change, and the pages because of which they do."""

    band: Term
    pages: tuple[Term, ...]
    live: Term
    withheld: Term
    holes: Term


def is_live(s: State, band: Term, page: Term) -> Term:
    """The page is one of the live ones."""
    return s.status[band, page] == LIVE


def is_withheld(s: State, band: Term, page: Term) -> Term:
    """The page is one of those that are withheld."""
    return s.status[band, page] == WITHHELD


def is_hole(s: State, band: Term, page: Term) -> Term:
    """The page is a hole."""
    return And(in_span(s, band, page), s.status[band, page] == FREE)


SETS: Mapping[str, Callable[[State, Term, Term], Term]] = {
    "live": is_live,
    "withheld": is_withheld,
    "holes": is_hole,
}
"""What each counter counts."""


def _handed_out(_: State, band: Term, page: Term, *__: Term) -> Change:
    return Change(band, (page,), 1, 0, -1)


def _appeared(_: State, band: Term, page: Term) -> Change:
    return Change(band, (page,), 0, 0, 1)


def _grown_low(s: State, band: Term) -> Change:
    return Change(band, (s.lo[band] - 1,), 0, 0, 1)


def _grown_high(s: State, band: Term) -> Change:
    return Change(band, (s.hi[band],), 0, 0, 1)


def _absorbed_low(s: State, band: Term) -> Change:
    return Change(band, (s.lo[band],), 0, 0, -1)


def _absorbed_high(s: State, band: Term) -> Change:
    return Change(band, (s.hi[band] - 1,), 0, 0, -1)


def _given_up(s: State, band: Term, vid: Term) -> Change:
    page = s.page_of[band, vid]
    held = Some(holders(s, band, page))
    return Change(band, (page,), -1, If(held, 1, 0), If(held, 0, 1))


def _moved(s: State, band: Term, source: Term, target: Term) -> Change:
    held = Some(holders(s, band, source))
    return Change(band, (source, target), 0, If(held, 1, 0), If(held, -1, 0))


COUNTED: Mapping[str, Callable[..., Change]] = {
    "grow-low": _grown_low,
    "grow-high": _grown_high,
    "appear": _appeared,
    "absorb-low": _absorbed_low,
    "absorb-high": _absorbed_high,
    **dict.fromkeys(("allocate", "allocate-wiped", "fork"), _handed_out),
    "free": _given_up,
    "move": _moved,
}
"""What each action of one page or two does to the counters; all others but `RETIRING` leave them as they are."""

RETIRING = frozenset({"complete", "settle"})
"""Of a band, withheld pages become holes, as many as no other ticket holds."""
