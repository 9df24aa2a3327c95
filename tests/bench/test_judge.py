"""The judge's figures: the stream that is measured is legal, whole and always the same."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from typer.testing import CliRunner

from bandgap.cli import app
from bench import judge as bench_judge
from bench.judge import Round, Work, measure, rows, work
from bench.stream import REQUEST, Stream
from events import records as r
from spec.judge.judge import judge_records, judge_trace

SMALL = ("--pages", "1000", "--tickets", "2", "--cycles", "10")


@pytest.fixture(scope="module")
def given() -> Work:
    return work(1_000, 4, 24)


def test_the_stream_is_legal_and_agrees_with_its_snapshots(given: Work) -> None:
    assert judge_records(given.records).finding is None
    assert judge_trace(given.lines, whole=False).finding is None
    assert len(given.lines) == len(given.records)
    assert [type(record) for record in given.records[:2]] == [r.Header, r.Snapshot]
    assert isinstance(given.records[-1], r.Snapshot)
    assert sum(isinstance(record, r.Snapshot) for record in given.records) == 2


def test_the_stream_is_the_same_for_the_same_seed() -> None:
    one, same, other = (Stream(1_000, 2, seed) for seed in (0, 0, 1))
    for stream in (one, same, other):
        stream.cycle()
    assert one.snapshot() == same.snapshot() != other.snapshot()
    assert one.taken() == same.taken()


def test_the_mix_is_that_of_a_serving_engine(given: Work) -> None:
    counted = Counter(judge_records(given.records).by_action)
    cycles = 24
    assert sum(REQUEST) == 32
    assert counted["allocate"] == counted["free"] == 32 * cycles
    assert 32 * cycles < counted["hold"] < 34 * cycles
    assert counted["issue"] == counted["land"] == 17 * cycles
    assert counted["share"] == counted["unshare"] == 8 * cycles
    assert counted["grow-high"] == counted["absorb-high"] == 4 * cycles
    assert counted["complete"] + counted["settle"] == cycles
    assert counted["drain"] == cycles / 8
    assert 4 * cycles < counted["move"] <= 8 * cycles


def test_many_pages_stay_held_and_withheld(given: Work) -> None:
    last = given.records[-1]
    assert isinstance(last, r.Snapshot)
    assert len(last.tickets) == 4
    assert all(len(ticket.entries) > 20 for ticket in last.tickets)
    assert sum(len(band.withheld) for band in last.bands) > 3 * 16
    assert sum(len(band.pages) for band in last.bands) > 500


def test_a_round_judges_all_of_it_in_both_forms(given: Work) -> None:
    (one,) = measure(given, 1)
    assert one.lines.by_action == one.records.by_action == judge_records(given.records).by_action
    assert min(one.lines.opening, one.lines.middle, one.lines.agreeing) > 0


def test_a_judge_that_stops_early_is_not_measured(given: Work) -> None:
    spoiled = replace(given, records=(*given.records[:9], *given.records[10:]))
    with pytest.raises(AssertionError, match="not legal"):
        list(measure(spoiled, 1))


def test_the_rows_are_rates_and_seconds(given: Work) -> None:
    figures = list(rows(given, list(measure(given, 3))))
    assert [(row.name, row.unit) for row in figures] == [
        ("judge JSON lines", "page actions/s"),
        ("judge records", "page actions/s"),
        ("judge a first snapshot", "s"),
        ("judge a later snapshot", "s"),
    ]
    for row in figures:
        assert row.value > 0
        assert row.spread is not None
        assert (row.peer, row.peer_value, row.ratio) == (None, None, None)
        assert "No peer" in row.note


def test_the_verb_prints_rows_and_where_they_were_measured() -> None:
    done = CliRunner().invoke(app, ["bench", "judge", *SMALL, "--rounds", "2", "--json"])
    assert done.exit_code == 0, done.output
    printed: dict[str, Any] = json.loads(done.stdout)
    assert [row["name"] for row in printed["rows"]][:2] == ["judge JSON lines", "judge records"]
    assert set(printed["rows"][0]) == {"name", "value", "unit", "spread", "peer", "peer_value", "ratio", "note"}
    assert {"cpu", "python", "commit", "date"} <= set(printed["surroundings"])
    assert printed["by_action"]["allocate"] == 320
    told = CliRunner(env={"COLUMNS": "120"}).invoke(app, ["bench", "judge", *SMALL, "--rounds", "1"])
    assert told.exit_code == 0
    assert "judge JSON lines" in told.stdout


def test_an_interrupt_leaves_the_rounds_that_were_done(monkeypatch: pytest.MonkeyPatch) -> None:
    original = bench_judge.measure
    measured: list[int] = []

    def interrupted(given: Work, rounds: int) -> Iterator[Round]:
        if len(measured) == 2:
            raise KeyboardInterrupt
        measured.append(rounds)
        yield from original(given, rounds)

    monkeypatch.setattr(bench_judge, "measure", interrupted)
    done = CliRunner().invoke(app, ["bench", "judge", *SMALL, "--rounds", "5", "--json"])
    assert done.exit_code == 3
    assert len(json.loads(done.stdout)["rows"]) == 4
    assert "stopped after 2 of 5 rounds" in done.stderr


@pytest.mark.parametrize(
    ("option", "value"), [("--pages", "999"), ("--tickets", "0"), ("--cycles", "9"), ("--rounds", "101")]
)
def test_a_size_out_of_range_is_exit_2(option: str, value: str) -> None:
    done = CliRunner().invoke(app, ["bench", "judge", option, value])
    assert done.exit_code == 2
    assert f"{option} = {value}: is out of range; give " in done.stderr
