"""What made a page what it was when something broke: no line too many, none too few."""

from typing import Any

import pytest

from bandgap.history import History, history_of
from bandgap.history.telling import lines
from events import records as r
from fuzz.faults.all import FAULTS
from fuzz.seeded import run_seeded
from fuzz.setups import setup_of
from tests.spec.situation import DONE, FAILED, FULL, STATE, UNPUBLISH, WINDOW, header, judged, snapshot
from tests.spec.test_illegal import ALL

GIVE = (r.Allocate([1, 0, 0]), r.Allocated(STATE, [3], [13]), r.End(ids=[[13], [], []]))
"""Page 3 of the state band becomes the home of id 13."""


def history(*records: Any) -> History:
    _, finding = judged(*records)
    assert finding is not None
    return history_of([header(), snapshot(), *records], finding, finding.check, finding.problem)


def told(history: History) -> list[tuple[int, str]]:
    return [(entry.line, entry.bears) for entry in history.entries]


def test_a_withheld_page_that_is_handed_out_has_its_tenant_its_holder_and_its_release() -> None:
    found = history(
        *GIVE,
        r.Open(6, "forward", "main"),
        DONE,
        r.Hold(6, STATE, "read", [13]),
        DONE,
        r.Release(STATE, [13]),
        DONE,
        r.Allocate([1, 0, 0]),
        r.Allocated(STATE, [3], [14]),
    )
    assert told(found) == [
        (4, "id 13 is handed out"),
        (6, "ticket 6 is still outstanding"),
        (8, "ticket 6 holds page 3 from here on, to read"),
        (10, "page 3 is withheld from here on, for ticket 6 still holds it"),
        (12, "the call in which it breaks"),
        (13, "here ledger-gated-reuse breaks: required is that the page is not withheld"),
    ]
    assert (found.line, found.call) == (13, 5)
    assert found.request == "the driver asks for pages, 1 of band 'state', 0 of band 'window' and 0 of band 'full'"
    assert found.event == "the allocator hands out page 3 of band 'state' as id 14"
    assert found.tickets == ("ticket 6, a forward on stream 'main', outstanding since line 6",)


def test_what_was_over_or_rejected_or_concerns_other_pages_is_no_part_of_it() -> None:
    over = [r.Open(6, "copy", "host"), DONE, r.Hold(6, STATE, "read", [13]), DONE, r.Complete(6), DONE]
    others = [r.Share(WINDOW, [5]), DONE, r.Release(WINDOW, [5]), DONE]
    rejected = [r.Release(STATE, [99]), FAILED, r.Hold(7, STATE, "write", [99]), FAILED]
    found = history(
        *GIVE, *over, *others, *rejected, r.Release(STATE, [13]), DONE, *GIVE, r.Allocate([1, 0, 0]), GIVE[1]
    )
    # the second tenant of page 3 is all that matters
    assert [line for line, _ in told(found)] == [23, 25, 26]


def test_pages_are_narrowed_to_those_of_concern() -> None:
    found = history(r.Hold(5, STATE, "write", [10, 11]), DONE)
    assert found.event == "the driver gives ticket 5 id 11 of band 'state' to write, with 1 other"


def test_a_move_under_published_addresses_has_who_published_them() -> None:
    found = history(r.Compact(100), r.Moved(STATE, [0], [3]))
    assert (2, "id 10 is handed out; addresses are with 'rdma' from here on, so no page may move") in told(found)


def test_a_move_is_followed_to_where_the_page_is_now() -> None:
    moved = (*UNPUBLISH, r.Compact(100), r.Moved(STATE, [0], [3]), DONE)
    found = history(*moved, r.Hold(5, STATE, "write", [10]), DONE, r.Compact(100), r.Moved(STATE, [3], [0]))
    bears = dict(told(found))
    assert "id 10 lives at page 3 from here on" in bears[6]
    assert bears[8] == "ticket 5 holds page 3 from here on, to write"


def test_queued_work_has_the_ticket_that_was_settled() -> None:
    found = history(
        *GIVE,
        r.Open(6, "forward", "side"),
        DONE,
        r.Hold(6, STATE, "write", [13]),
        DONE,
        r.Settle(6),
        DONE,
        r.Open(7, "transfer"),
        DONE,
        r.Hold(7, STATE, "read", [13]),
        DONE,
    )
    assert told(found)[1:4] == [
        (6, "the work of ticket 6 may not be over yet"),
        (8, "ticket 6 was given page 3, to write"),
        (10, "the allocator's stream waits for ticket 6, and with it for its work on page 3"),
    ]
    assert found.tickets[0] == "ticket 6, a forward on stream 'side', settled in line 10"


def test_a_span_that_grows_into_another_has_what_put_both_there() -> None:
    grown = (r.Allocate([0, 0, 9]), r.GrewLow(FULL, 8))
    assert told(history(*grown, r.GrewLow(FULL, 2))) == [
        (
            2,
            "the span of band 'full' ends with page 49 from here on; "
            "the span of band 'window' is pages 20 to 23 from here on",
        ),
        (3, "the call in which it breaks"),
        (4, "the span of band 'full' begins at page 37 from here on"),
        (5, "here band-order breaks: required is that the grown span is clear of every other"),
    ]


def test_a_span_that_gives_up_a_page_in_use_has_what_put_it_to_use() -> None:
    found = history(*GIVE, r.Release(STATE, [11]), DONE, r.Release(STATE, [11]), r.AbsorbedHigh(STATE, 2))
    assert told(found)[:2] == [
        (4, "id 13 is handed out"),
        (8, "the call in which it breaks"),
    ]


def test_what_the_call_itself_did_before_it_broke_is_part_of_it() -> None:
    found = history(
        *GIVE,
        r.Open(6, "copy", "host"),
        DONE,
        r.Hold(6, STATE, "read", [13]),
        DONE,
        r.Release(STATE, [13]),
        r.AbsorbedHigh(STATE, 1),
    )
    assert told(found)[-2] == (10, "page 3 is withheld from here on, for ticket 6 still holds it")


def test_what_was_lost_is_not_guessed() -> None:
    records = [*GIVE, r.Lost(9), snapshot(), r.Hold(5, STATE, "write", [11]), DONE]
    _, finding = judged(*records)
    assert finding is not None
    found = history_of([header(), snapshot(), *records], finding, finding.check, finding.problem)
    assert [line for line, _ in told(found)] == [7, 8]


@pytest.mark.parametrize("name", ALL)
def test_every_finding_has_a_history_that_ends_where_it_breaks(name: str) -> None:
    records = ALL[name].records
    _, finding = judged(*records)
    assert finding is not None
    found = history_of([header(), snapshot(), *records], finding, finding.check, finding.problem)
    assert (found.entries[-1].line, found.line) == (finding.line, finding.line)
    assert finding.check in found.entries[-1].bears
    assert [entry.line for entry in found.entries] == sorted({entry.line for entry in found.entries})


@pytest.mark.parametrize(
    ("fault", "first", "bears"),
    [
        ("moves-copy-half-of-a-page", "hands out page", "ought to show this write"),
        ("ids-come-back-before-their-holders-retire", "opens ticket", "was given page"),
    ],
)
def test_a_planted_fault_is_followed_to_its_beginning(fault: str, first: str, bears: str) -> None:
    with FAULTS[fault].apply():
        run = run_seeded([setup_of("toy-three")], 3, calls=40_000, fault=fault)
    failure = run.failure
    assert failure is not None
    found = history_of(failure.records, failure.finding, failure.property, failure.problem)
    assert any(first in entry.says for entry in found.entries[:2])
    assert any(bears in entry.bears for entry in found.entries)
    assert len(found.entries) <= len(failure.records)


def test_hostile_names_reach_the_terminal_harmless() -> None:
    evil = "\x1b[31m[bold]\u202e"
    records = [header(model=evil), snapshot(publishers=[evil]), r.Compact(100), r.Moved(STATE, [0], [3])]
    judge_records = records[2:]
    _, finding = judged(*judge_records)
    assert finding is not None
    text = "\n".join(lines(history_of(records, finding, finding.check, finding.problem)))
    assert not set(text) & {"\x1b", "\u202e"}
    assert "\\x1b[31m\\[bold]" in text
