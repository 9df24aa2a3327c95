"""Headers and snapshots: the first is checked against every invariant, the later ones against the judged state."""

from typing import Any

import pytest

from events import records as r
from spec.catalog import INVARIANTS
from spec.judge.arena import JudgedArena
from spec.judge.judge import Judge
from spec.judge.opening import broken_invariants
from spec.judge.tables import Writes
from spec.judge.verdict import Finding
from spec.state import COMPLETED, LIVE, READ
from tests.spec.situation import (
    DONE,
    FIRST,
    FULL,
    SECOND,
    STATE,
    TRANSFER,
    WINDOW,
    full,
    header,
    judged,
    snapshot,
    state,
    ticket,
    window,
)


def opening(its_header: r.Header, its_snapshot: r.Snapshot) -> Finding | None:
    judge = Judge()
    return judge.take(its_header) or judge.take(its_snapshot)


def bands(**changed: r.BandState) -> r.Snapshot:
    return snapshot(bands=list({"state": state(), "window": window(), "full": full(), **changed}.values()))


def tickets(*changed: r.TicketState, **others: Any) -> r.Snapshot:
    by_number = {number: ticket(number) for number in (FIRST, TRANSFER, SECOND)}
    by_number.update({its.ticket: its for its in changed})
    return snapshot(tickets=list(by_number.values()), **others)


# ------------------------------------------------------------------------------------------------- broken invariants

ILLEGAL: dict[str, list[tuple[r.Header, r.Snapshot]]] = {
    "span": [(header(), bands(window=window(lo=24, hi=20)))],
    "band-order": [
        (header(), bands(window=window(hi=31))),
        (header(), bands(state=state(hi=7))),
        (header(), bands(full=full(lo=30))),
        # not only neighbours: with the window empty, the state band reaches into full attention
        (
            header(),
            snapshot(
                bands=[state(hi=10), window(lo=20, hi=20, pages=[], ids=[], references=[]), full()],
                tickets=[ticket(FIRST, entries=[r.Entry(STATE, 2, "read", 12)]), ticket(TRANSFER)],
                streams={"main": [FIRST]},
            ),
        ),
    ],
    "inside-arena": [
        (header(capacity=999), snapshot()),
        (header(base=1), snapshot()),
    ],
    "anchored-ends": [
        (header(bottom=-1), snapshot()),
        (header(top=51), snapshot()),
        (header(bottom=1), snapshot()),
    ],
    "outside-is-free": [
        (header(), bands(state=state(pages=[0, 7]))),
        (header(), bands(window=window(withheld=[24]))),
    ],
    "ledger-wellformed": [
        # a free page is held
        (header(), tickets(ticket(TRANSFER, entries=[r.Entry(FULL, 47, "read", 9)]))),
        # nobody holds a withheld page
        (header(), tickets(ticket(FIRST, entries=[r.Entry(WINDOW, 22, "write", 6)]))),
        # a writer and a reader that are not ordered
        (header(), tickets(ticket(SECOND, stream="other", after=[]), streams={"main": [FIRST], "other": [SECOND]})),
        (header(), tickets(ticket(TRANSFER, entries=[r.Entry(WINDOW, 22, "read", 6)]))),
    ],
    "transfers-meet-nothing": [
        (header(), bands(full=full(queued_write=[48]))),
        # at the same bytes, as a page of another band
        (header(), bands(window=window(queued_write=[32]))),
        (
            header(),
            snapshot(
                bands=[state(), window(), full(queued_read=[48])],
                tickets=[
                    ticket(FIRST),
                    ticket(TRANSFER, entries=[r.Entry(FULL, 48, "write", 0)]),
                    ticket(SECOND),
                ],
            ),
        ),
    ],
    "holders-know-tenant": [(header(), tickets(ticket(TRANSFER, entries=[r.Entry(FULL, 48, "read", 9)])))],
    "writers-aim-true": [
        # the writer was given a page that its virtual page has left; nobody lives there now
        (header(), tickets(ticket(FIRST, entries=[r.Entry(STATE, 2, "write", 10), r.Entry(WINDOW, 22, "write", 6)])))
    ],
    "references": [(header(), bands(state=state(references=[-1, 2])))],
    "bijection": [
        # a live page of which the id is dead, two ids at one page, one id at two, a page live and withheld
        (header(), bands(state=state(references=[0, 2]))),
        (header(), bands(state=state(pages=[0, 0]))),
        (header(), bands(state=state(ids=[10, 10]))),
        (header(), bands(full=full(withheld=[48]))),
    ],
}
"""Openings that break an invariant, the first of the catalogue that they break."""


@pytest.mark.parametrize(("name", "place"), [(name, i) for name, cases in ILLEGAL.items() for i in range(len(cases))])
def test_an_opening_that_breaks_an_invariant_is_found_by_its_name(name: str, place: int) -> None:
    finding = opening(*ILLEGAL[name][place])
    assert finding is not None
    assert (finding.check, finding.blame, finding.line) == (name, "allocator", 2)
    assert INVARIANTS[name].prose in finding.problem


def arena(*records: Any) -> JudgedArena:
    judge, finding = judged(*records)
    assert finding is None
    assert judge.state is not None
    return judge.state


def with_entry(s: JudgedArena, **entries: tuple[Any, Any]) -> JudgedArena:
    s.apply(s.but(**{name: Writes({key: value}) for name, (key, value) in entries.items()}))
    return s


WRITTEN = (r.Issue(FIRST, WINDOW, [22], [9]), DONE)

STATES: dict[str, tuple[tuple[Any, ...], dict[str, tuple[Any, Any]]]] = {
    "span": ((), {"hi": (WINDOW, 19)}),
    "band-order": ((), {"hi": (WINDOW, 31)}),
    "inside-arena": ((), {"hi": (FULL, 51)}),
    "anchored-ends": ((), {"lo": (STATE, -1)}),
    "outside-is-free": ((), {"hi": (STATE, 2)}),
    "ledger-wellformed": ((), {"status": ((WINDOW, 22), 0)}),
    "retired-hold-nothing": ((), {"ending": (FIRST, COMPLETED)}),
    "transfers-meet-nothing": ((), {"queued": ((FULL, 48), 2)}),
    "flights-are-held": (WRITTEN, {"held": ((FIRST, WINDOW, 22), READ)}),
    "holders-know-tenant": ((), {"name": ((FIRST, WINDOW, 22), 5)}),
    "writers-aim-true": ((), {"page_of": ((WINDOW, 6), 21)}),
    "references": ((), {"refs": ((WINDOW, 5), -1)}),
    "bijection": ((), {"vid_at": ((WINDOW, 20), 9)}),
    "content": ((), {"bytes": ((WINDOW, 20), 7)}),
    "conservation": ((), {"status": ((WINDOW, 21), 3)}),
}
"""For each invariant a legal history, and an entry that breaks it when it is changed behind the judge's back."""


def test_these_are_all_the_invariants() -> None:
    assert set(STATES) == set(INVARIANTS)
    # what a snapshot cannot even say: retired tickets, writes in flight, contents, other sorts of pages
    assert set(INVARIANTS) - set(ILLEGAL) == {"retired-hold-nothing", "flights-are-held", "content", "conservation"}


@pytest.mark.parametrize("name", STATES)
def test_each_invariant_is_evaluated(name: str) -> None:
    history, entries = STATES[name]
    assert [broken.name for broken in broken_invariants(arena(*history))] == []
    assert name in [broken.name for broken in broken_invariants(with_entry(arena(*history), **entries))]


def test_what_a_write_in_flight_will_leave_counts_as_content() -> None:
    s = with_entry(arena(*WRITTEN), arriving=((WINDOW, 22), 8))
    assert [broken.name for broken in broken_invariants(s)] == ["content"]
    assert s.status[WINDOW, 22] == LIVE


# --------------------------------------------------------------------------------- what is no header and no snapshot

UNREADABLE: dict[str, tuple[r.Header, r.Snapshot, str]] = {
    "another version": (header(version=3), snapshot(), "version 3"),
    "two bands of one name": (
        header(bands=[r.Band("a", 1, 0, 1), r.Band("b", 1, 0, 1), r.Band("a", 1, 0, 1)]),
        snapshot(),
        "same name",
    ),
    "an arena that ends before it begins": (header(base=1_001), snapshot(), "begins at byte 1001"),
    "too few bands": (header(), snapshot(bands=[state(), window()]), "2 bands, the header 3"),
    "a page without an id": (header(), bands(state=state(ids=[10])), "equally many"),
    "a page without references": (header(), bands(state=state(references=[1])), "equally many"),
    "a page twice with one id": (
        header(),
        bands(state=state(pages=[0, 0], ids=[10, 10])),
        "band state: a page with its id is listed twice",
    ),
    "a page withheld twice": (header(), bands(state=state(withheld=[2, 2])), "a withheld page is listed twice"),
    "a page queued in both ways": (header(), bands(full=full(queued_read=[49])), "a queued page is listed twice"),
    "a page queued twice": (header(), bands(full=full(queued_read=[46, 46])), "a queued page is listed twice"),
    "a page held twice": (
        header(),
        tickets(ticket(TRANSFER, entries=[r.Entry(FULL, 48, "read", 0), r.Entry(FULL, 48, "write", 0)])),
        "holds a page twice",
    ),
    "a page held in no band": (
        header(),
        tickets(ticket(TRANSFER, entries=[r.Entry(3, 48, "read", 0)])),
        "a band that the chain does not have",
    ),
    "a publisher twice": (header(), snapshot(publishers=["a", "a"]), "a publisher is listed twice"),
    "a ticket twice": (header(), snapshot(tickets=[ticket(FIRST), ticket(FIRST)]), "a ticket is listed twice"),
    "a ticket that was never opened": (header(), snapshot(next_ticket=5), "the next ticket is said to be 5"),
    "a transfer on a stream": (header(), tickets(ticket(TRANSFER, stream="main")), "on no stream"),
    "a transfer that runs after another": (header(), tickets(ticket(TRANSFER, after=[FIRST])), "after nothing"),
    "a forward on no stream": (header(), tickets(ticket(SECOND, stream=None)), "any other is on one"),
    "a ticket after one that is not there": (header(), tickets(ticket(SECOND, after=[FIRST, 1])), "after ticket 1"),
    "a ticket after a transfer": (header(), tickets(ticket(SECOND, after=[FIRST, TRANSFER])), "a transfer"),
    "a ticket after a younger one": (header(), tickets(ticket(FIRST, after=[SECOND])), "not older"),
    "a ticket after itself": (header(), tickets(ticket(FIRST, after=[FIRST])), "after ticket 3"),
    "a ticket not after all on its stream": (header(), tickets(ticket(SECOND, after=[])), "older on stream 'main'"),
    "a stream that ends in nothing": (
        header(),
        snapshot(streams={"main": [FIRST, SECOND], "host": [1]}),
        "ends in ticket 1",
    ),
    "a stream that ends in a transfer": (
        header(),
        snapshot(streams={"main": [FIRST, SECOND], "host": [TRANSFER]}),
        "ends in ticket 4",
    ),
    "a stream that ends in half": (
        header(),
        snapshot(streams={"main": [FIRST, SECOND], "host": [SECOND]}),
        "without ending in all",
    ),
    "a stream that does not end in its ticket": (header(), snapshot(streams={"main": [FIRST]}), "does not end in all"),
    "a stream that is missing": (header(), snapshot(streams={}), "does not end in all"),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_an_opening_that_cannot_be_read_is_found(name: str) -> None:
    its_header, its_snapshot, problem = UNREADABLE[name]
    finding = opening(its_header, its_snapshot)
    assert finding is not None
    assert finding.check == "trace"
    assert finding.blame == ("trace" if "version" in problem else "allocator")
    assert problem in finding.problem


def test_a_ticket_runs_after_all_that_those_before_it_run_after() -> None:
    # three in a row by streams and waits, of which the last forgets the first
    chain = [
        ticket(FIRST, entries=[r.Entry(STATE, 2, "read", 12)]),
        r.TicketState(5, "copy", "host", [FIRST], []),
        r.TicketState(6, "copy", "disk", [5], []),
    ]
    streams = {"main": [FIRST], "host": [FIRST, 5], "disk": [5, 6]}
    finding = opening(header(), snapshot(tickets=chain, streams=streams, next_ticket=7))
    assert finding is not None
    assert "ticket 6 runs after a ticket without" in finding.problem
    chain[2] = r.TicketState(6, "copy", "disk", [5, FIRST], [])
    finding = opening(header(), snapshot(tickets=chain, streams=streams, next_ticket=7))
    assert finding is not None
    assert "stream 'disk' ends in a ticket without" in finding.problem
    assert opening(header(), snapshot(tickets=chain, streams={**streams, "disk": [FIRST, 5, 6]}, next_ticket=7)) is None


# -------------------------------------------------------------------------------------------------- later snapshots

DIFFERENT: dict[str, tuple[r.Snapshot, str]] = {
    "a span": (bands(window=window(hi=23)), "band 1: the allocator's span is [20, 23), the judge's [20, 24)"),
    "a span elsewhere": (bands(window=window(lo=19, hi=23)), "the allocator's span is [19, 23), the judge's [20, 24)"),
    "a page more": (
        bands(window=window(pages=[20, 21, 22], ids=[5, 9, 6], references=[1, 1, 1])),
        "band 1: live pages as (page, id, references): only the allocator has [(21, 9, 1)]",
    ),
    "a page less": (
        bands(window=window(pages=[22], ids=[6], references=[1])),
        "band 1: live pages as (page, id, references): only the judge has [(20, 5, 1)]",
    ),
    "another id": (bands(full=full(ids=[0, 9])), "only the allocator has [(49, 9, 1)]"),
    "a reference more": (bands(state=state(references=[2, 2])), "only the allocator has [(0, 10, 2)]"),
    "a page that is not withheld": (bands(state=state(withheld=[])), "band 0: withheld pages: only the judge has [2]"),
    "a page that is not queued": (bands(full=full(queued_write=[])), "queued for writing: only the judge has [49]"),
    "a page that is queued": (
        bands(full=full(queued_read=[45, 46])),
        "queued for reading: only the allocator has [45]",
    ),
    "a publisher less": (snapshot(publishers=[]), "publishers: only the judge has ['rdma']"),
    "a publisher more": (snapshot(publishers=["rdma", "a"]), "publishers: only the allocator has ['a']"),
    "a ticket less": (
        snapshot(tickets=[ticket(FIRST), ticket(SECOND)]),
        "outstanding tickets: only the judge has [4]",
    ),
    "a ticket to come": (snapshot(next_ticket=9), "the allocator's next ticket is 9, the judge's 6"),
    "another user": (tickets(ticket(SECOND, user="copy")), "ticket 5: the allocator knows it as a copy"),
    "another mode": (
        tickets(ticket(TRANSFER, entries=[r.Entry(FULL, 48, "write", 0)])),
        "ticket 4: entries as (band, page, mode, id): only the allocator has [(2, 48, 2, 0)]",
    ),
    "an entry less": (tickets(ticket(SECOND, entries=[])), "ticket 5: entries"),
    "an entry more": (
        tickets(ticket(FIRST, entries=[*ticket(FIRST).entries, r.Entry(STATE, 0, "read", 10)])),
        "entries",
    ),
    "the end of a stream": (
        snapshot(streams={"main": [FIRST, SECOND], "host": [FIRST]}),
        "runs after, as (stream, ticket): only the allocator has [('host', 3)]",
    ),
    "another order": (
        tickets(
            ticket(SECOND, stream="host", after=[FIRST]),
            streams={"main": [FIRST, SECOND], "host": [FIRST, SECOND]},
        ),
        "only the allocator has [('host', 3), ('host', 5)]",
    ),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_a_later_snapshot_that_differs_is_found(name: str) -> None:
    its_snapshot, problem = DIFFERENT[name]
    _, finding = judged(r.Publish("rdma"), DONE, its_snapshot)
    assert finding is not None
    assert (finding.check, finding.blame, finding.line) == ("agreement", "allocator", 5)
    assert problem in finding.problem


def test_what_a_ticket_runs_after_is_compared() -> None:
    opened = (r.Open(6, "copy", "host", [SECOND]), DONE, r.Open(7, "copy", "disk"), DONE)
    new = [r.TicketState(6, "copy", "host", [FIRST, SECOND], []), r.TicketState(7, "copy", "disk", [], [])]
    streams = {"main": [FIRST, SECOND], "host": [FIRST, SECOND, 6], "disk": [7]}

    def later(*its: r.TicketState, **its_streams: list[int]) -> Finding | None:
        return judged(
            *opened,
            snapshot(
                tickets=[ticket(FIRST), ticket(TRANSFER), ticket(SECOND), *its],
                streams={**streams, **its_streams},
                next_ticket=8,
            ),
        )[1]

    assert later(*new) is None
    less = later(r.TicketState(6, "copy", "host", [FIRST], []), new[1])
    assert less is not None
    assert "ticket 6: runs after: only the judge has [5]" in less.problem


def test_the_stream_of_a_ticket_is_compared() -> None:
    opened = (r.Open(6, "copy", "host", [SECOND]), DONE, r.Open(7, "forward", "main", [6]), DONE)
    streams = {"main": [FIRST, SECOND, 6, 7], "host": [FIRST, SECOND, 6]}

    def later(stream: str) -> Finding | None:
        new = [
            r.TicketState(6, "copy", stream, [FIRST, SECOND], []),
            r.TicketState(7, "forward", "main", [FIRST, SECOND, 6], []),
        ]
        its = [ticket(FIRST), ticket(TRANSFER), ticket(SECOND), *new]
        return judged(*opened, snapshot(tickets=its, streams=streams, next_ticket=8))[1]

    assert later("host") is None
    moved = later("main")
    assert moved is not None
    assert moved.problem == "ticket 6: the allocator knows it as a copy on stream 'main'"


def test_a_later_snapshot_is_read_with_the_same_care() -> None:
    _, finding = judged(snapshot(publishers=["rdma", "rdma"]))
    assert finding is not None
    assert (finding.check, finding.problem) == ("trace", "a publisher is listed twice")


def test_contents_start_from_zero() -> None:
    s = arena()
    assert (s.bytes[STATE, 0], s.written[STATE, 10]) == (0, 0)


def test_where_both_tables_are_short_both_are_told_in_full() -> None:
    _, finding = judged(snapshot(publishers=["a"]))
    assert finding is not None
    assert finding.problem.endswith("; by the allocator it is ['a'], by the judge ['rdma']")
