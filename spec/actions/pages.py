"""Virtual pages live from allocate or fork to free; in between they may be shared."""

from spec.catalog import Guard, action
from spec.logic import Not, Term, larger
from spec.ranges import Some
from spec.state import LIVE, READ, WITHHELD, WRITE, State
from spec.words import given, in_span, is_alive, overwrite, this_page, vacated, writers


@action("band page vid")
class allocate:
    """A hole becomes the home of a new virtual page, which has one reference and promises no contents."""

    @staticmethod
    def guard(s: State, band: Term, page: Term, vid: Term) -> Guard:
        yield "the page is inside its band's span", in_span(s, band, page), "outside-is-free"
        yield "the page is not live", s.status[band, page] != LIVE, "bijection"
        yield "the page is not withheld", s.status[band, page] != WITHHELD, "ledger-gated-reuse"
        yield "the id is not in use", Not(is_alive(s, band, vid)), "bijection"
        yield "no outstanding ticket was given the id", Not(Some(given(s, band, vid))), "ids-fresh"

    @staticmethod
    def effect(s: State, band: Term, page: Term, vid: Term) -> State:
        return s.but(
            status=s.status.set((band, page), LIVE),
            page_of=s.page_of.set((band, vid), page),
            vid_at=s.vid_at.set((band, page), vid),
            refs=s.refs.set((band, vid), 1),
            written=s.written.set((band, vid), s.bytes[band, page]),
        )


@action("band page vid value")
class allocate_wiped:
    """A hole becomes the home of a new virtual page, over all of which the allocator's stream writes one value."""

    @staticmethod
    def guard(s: State, band: Term, page: Term, vid: Term, value: Term) -> Guard:
        yield from allocate.guard(s, band, page, vid)

    @staticmethod
    def effect(s: State, band: Term, page: Term, vid: Term, value: Term) -> State:
        return allocate.effect(s, band, page, vid).but(
            bytes=overwrite(s, this_page(s, band, page), lambda *_: value),
            written=s.written.set((band, vid), value),
            queued=s.queued.set((band, page), larger(s.queued[band, page], WRITE)),
        )


@action("band page vid vid")
class fork:
    """A hole becomes the home of a new virtual page, which begins as a copy of another."""

    @staticmethod
    def guard(s: State, band: Term, page: Term, vid: Term, original: Term) -> Guard:
        yield from allocate.guard(s, band, page, vid)
        yield "the original is alive", is_alive(s, band, original), "content"
        yield (
            "no ticket holds the original for writing",
            Not(Some(writers(s, band, s.page_of[band, original]))),
            "content",
        )

    @staticmethod
    def effect(s: State, band: Term, page: Term, vid: Term, original: Term) -> State:
        source = s.page_of[band, original]
        return allocate.effect(s, band, page, vid).but(
            bytes=overwrite(s, this_page(s, band, page), lambda *_: s.bytes[band, source]),
            written=s.written.set((band, vid), s.written[band, original]),
            queued=s.queued.set((band, source), larger(s.queued[band, source], READ)).set(
                (band, page), larger(s.queued[band, page], WRITE)
            ),
        )


@action("band vid")
class share:
    """A virtual page gains a reference."""

    @staticmethod
    def guard(s: State, band: Term, vid: Term) -> Guard:
        yield "the virtual page is alive", is_alive(s, band, vid), "bijection"

    @staticmethod
    def effect(s: State, band: Term, vid: Term) -> State:
        return s.but(refs=s.refs.set((band, vid), s.refs[band, vid] + 1))


@action("band vid")
class unshare:
    """A virtual page loses a reference that is not its last."""

    @staticmethod
    def guard(s: State, band: Term, vid: Term) -> Guard:
        yield "another reference remains", s.refs[band, vid] > 1, "bijection"

    @staticmethod
    def effect(s: State, band: Term, vid: Term) -> State:
        return s.but(refs=s.refs.set((band, vid), s.refs[band, vid] - 1))


@action("band vid")
class free:
    """The last reference is given up; the page becomes a hole, or is withheld while a ticket holds it."""

    @staticmethod
    def guard(s: State, band: Term, vid: Term) -> Guard:
        yield "the virtual page is alive", is_alive(s, band, vid), "bijection"
        yield "nobody else refers to it", s.refs[band, vid] <= 1, "references-one-by-one"

    @staticmethod
    def effect(s: State, band: Term, vid: Term) -> State:
        page = s.page_of[band, vid]
        return s.but(
            refs=s.refs.set((band, vid), 0),
            status=s.status.set((band, page), vacated(s, band, page)),
        )
