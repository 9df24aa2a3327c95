"""Moving pages, and the gate that forbids it."""

from spec.catalog import Guard, action
from spec.logic import Not, Term, larger
from spec.ranges import Some
from spec.state import LIVE, READ, WITHHELD, WRITE, State
from spec.words import in_span, overwrite, publishers, this_page, vacated, writers


@action("band page page")
class move:
    """A live page is copied into a hole of its own band; tickets keep the address they were given."""

    @staticmethod
    def guard(s: State, band: Term, source: Term, target: Term) -> Guard:
        yield "nobody has published an address", Not(Some(publishers(s))), "gate-holds"
        yield "the source is live", s.status[band, source] == LIVE, "bijection"
        yield "no ticket holds the source for writing", Not(Some(writers(s, band, source))), "writers-pin"
        yield "the target is inside its band's span", in_span(s, band, target), "outside-is-free"
        yield "the target is not live", s.status[band, target] != LIVE, "bijection"
        yield "the target is not withheld", s.status[band, target] != WITHHELD, "ledger-gated-reuse"

    @staticmethod
    def effect(s: State, band: Term, source: Term, target: Term) -> State:
        vid = s.vid_at[band, source]
        return s.but(
            status=s.status.set((band, target), LIVE).set((band, source), vacated(s, band, source)),
            page_of=s.page_of.set((band, vid), target),
            vid_at=s.vid_at.set((band, target), vid),
            bytes=overwrite(s, this_page(s, band, target), lambda *_: s.bytes[band, source]),
            queued=s.queued.set((band, target), larger(s.queued[band, target], WRITE)).set(
                (band, source), larger(s.queued[band, source], READ)
            ),
        )


@action("publisher")
class publish:
    """Someone gives addresses to a peer."""

    @staticmethod
    def guard(s: State, who: Term) -> Guard:
        yield from ()

    @staticmethod
    def effect(s: State, who: Term) -> State:
        return s.but(published=s.published.set(who, True))


@action("publisher")
class unpublish:
    """Someone takes the addresses back."""

    @staticmethod
    def guard(s: State, who: Term) -> Guard:
        yield from ()

    @staticmethod
    def effect(s: State, who: Term) -> State:
        return s.but(published=s.published.set(who, False))
