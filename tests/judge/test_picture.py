"""The arena where a judge stopped: the pages that the finding is about are marked."""

import io

import pytest
from rich.console import Console

from bandgap.pictures import Look, Mark
from bandgap.traces import progress
from bandgap.traces.input import trace_input
from bandgap.traces.picture import MOST_MARKED, Picture, picture_of
from bandgap.traces.report import Judged, report
from events import records as r
from spec.judge.judge import Judge
from tests.spec.situation import DONE, FULL, STATE, UNPUBLISH, WINDOW, header, judged, snapshot
from tests.spec.test_illegal import ALL, GUARDS


def picture(*records: r.AnyRecord) -> Picture:
    judge, finding = judged(*records)
    assert finding is not None
    drawn = picture_of(judge, finding)
    assert drawn is not None
    return drawn


def marked(drawn: Picture) -> list[tuple[int, int, int]]:
    return [(mark.band, mark.begin, mark.end) for mark in drawn.before.marks]


def test_the_pages_of_an_action_are_marked_before_and_after() -> None:
    drawn = picture(*UNPUBLISH, r.Compact(100), r.Moved(STATE, [0], [2]))
    assert drawn.before.marks == [Mark(0, 0, 100, Look.ACTED_ON), Mark(0, 200, 300, Look.ACTED_ON)]
    assert drawn.after is not None
    assert drawn.after.marks == [Mark(0, 0, 100, Look.WRONG), Mark(0, 200, 300, Look.WRONG)]
    assert [page.number for page in drawn.before.bands[0].pages] == [0, 1, 2]
    assert [page.label for page in drawn.after.bands[0].pages] == ["v11", "v10"]
    assert drawn.facts == ("ticket 3 (forward) holds page 2 of band 'state' to read, given for id 12",)


@pytest.mark.parametrize(
    ("step", "place"),
    [
        (r.GrewHigh(WINDOW, 7), (1, 900, 930)),
        (r.GrewLow(FULL, 10), (2, 700, 720)),
        (r.AbsorbedHigh(STATE, 2), (0, 200, 300)),
        (r.Appeared(WINDOW, 15), (1, 450, 480)),
    ],
    ids=lambda part: type(part).__name__,
)
def test_the_page_that_a_span_gains_or_loses_is_marked(step: r.Step, place: tuple[int, int, int]) -> None:
    assert place in marked(picture(*UNPUBLISH, r.Allocate([1, 1, 1]), step))


def test_the_home_of_an_id_is_marked() -> None:
    assert marked(picture(r.Hold(5, STATE, "write", [11]), DONE)) == [(0, 100, 200)]


def test_what_has_no_single_action_is_marked_as_its_record_says() -> None:
    drawn = picture(r.Share(FULL, [0]), r.Allocated(FULL, [45, 46], [8, 9]))
    assert marked(drawn) == [(2, 900, 920), (2, 920, 940)]
    assert drawn.after is None
    assert drawn.facts == (
        "the allocator's stream may still read page 46 of band 'full'",
        "addresses are published by 'rdma'",
    )


def test_no_more_is_marked_than_can_be_seen() -> None:
    assert len(marked(picture(r.Drain(), r.Allocated(FULL, list(range(1_000)), list(range(1_000)))))) == MOST_MARKED


def test_before_there_is_an_arena_there_is_no_picture() -> None:
    judge = Judge()
    finding = judge.take(snapshot())
    assert finding is not None
    assert picture_of(judge, finding) is None


@pytest.mark.parametrize("name", ALL)
def test_every_finding_can_be_drawn_and_told(name: str) -> None:
    judge, finding = judged(*ALL[name].records)
    assert finding is not None
    drawn = picture_of(judge, finding)
    assert drawn is not None
    if name in GUARDS and finding.action not in (None, "complete", "settle", "share", "free", "allocate"):
        assert marked(drawn) or "alive" in finding.problem or "not empty" in finding.problem
    console = Console(file=io.StringIO(), width=90)
    told = report(Judged("x", header(), judge.verdict(finding), judge.misuses, 1.0, picture=drawn), 90)
    console.print(*told, sep="\n", soft_wrap=True)
    assert isinstance(console.file, io.StringIO)
    assert finding.check in console.file.getvalue()


def test_an_opening_that_breaks_an_invariant_is_drawn() -> None:
    judge = Judge()
    assert judge.take(header(capacity=999)) is None
    finding = judge.take(snapshot())
    assert finding is not None
    drawn = picture_of(judge, finding)
    assert drawn is not None
    assert drawn.after is None


def test_progress_is_shown_on_a_terminal_and_changes_no_line(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    path = f"{tmp_path}/a.trace"
    with open(path, "wb") as file:
        file.write(b"line\n" * 10_000)
    for force in (True, False):
        console = Console(file=io.StringIO(), force_terminal=force, width=100)
        monkeypatch.setattr(progress, "err", lambda console=console: console)
        monkeypatch.setattr(progress, "EVERY_SECONDS", 0.0)
        with trace_input(path) as source, progress.watched_lines(source) as lines:
            assert list(lines) == [b"line\n"] * 10_000
        assert isinstance(console.file, io.StringIO)
        assert ("judging" in console.file.getvalue()) == force
