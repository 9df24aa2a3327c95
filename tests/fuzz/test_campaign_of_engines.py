"""Campaigns about engines: the same as of allocators, whatever ends them."""

import json
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from bandgap.campaigns.terms import Terms
from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.verbs import fuzz, reproduce
from crew.engines import crew_of
from fuzz.campaign import engines
from fuzz.campaign.campaign import Head, opened
from fuzz.campaign.engines import ENGINES
from fuzz.campaign.plan import Plan, code_now
from fuzz.campaign.unit import run_unit
from fuzz.campaign.work import Unit
from fuzz.coverage import Coverage
from fuzz.serving.faults import CANARY
from fuzz.serving.floors import EVER, PARTS, floors
from fuzz.serving.scene import SORTS
from tests.fuzz.campaigns import failures, journal, killed_once, worked_off

UNITS: Final = 4
UNIT_CALLS: Final = 60
SEED: Final = 25
"""With which the first life in the scenes of the fault is short and breaks."""


def _head(corpus: Path, units: int = UNITS, fault: str | None = CANARY.name) -> Head:
    """Two lanes, of which the second begins with the scenes in which the fault shows."""
    return Head(Plan(ENGINES, SEED, 2, UNIT_CALLS, fault, code_now(ENGINES)), (str(corpus),), None, units)


@pytest.fixture(autouse=True)
def _few_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "TRIES", 4)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("uninterrupted")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines, "TRIES", 4)
        worked_off(folder, _head(folder / "corpus"))
    return folder


def test_a_campaign_of_engines_finds_a_fault_once_and_counts_what_it_did(uninterrupted: Path, tmp_path: Path) -> None:
    first, second = journal(uninterrupted).values()
    assert [record.setup for record in (*first, *second)] == [SORTS[0], SORTS[0], SORTS[1], SORTS[1]]
    assert [record.kind for record in first] == ["driver", "machine"]
    assert all(record.lives and record.calls and record.actions and record.done for record in (*first, *second))
    assert not any(record.met for record in first)
    met = [met for record in second for met in record.met]
    assert [one.finding is not None for one in met].count(True) == len(failures(uninterrupted)) >= 1
    assert {one.look[0] for one in met} == {CANARY.property}


def test_a_campaign_of_engines_that_was_cut_off_comes_to_the_same(uninterrupted: Path, tmp_path: Path) -> None:
    worked_off(tmp_path, _head(tmp_path / "corpus", units=2))
    with (tmp_path / "journal" / "lane-0001.jsonl").open("ab") as lane:
        lane.write(b'[1234,{"lane":1,"in')
    with opened(tmp_path, _head(tmp_path / "corpus")) as campaign:
        assert campaign.resumed == 2
    worked_off(tmp_path, _head(tmp_path / "corpus"))
    assert journal(tmp_path) == journal(uninterrupted)
    assert failures(tmp_path) == failures(uninterrupted)


def test_a_failure_of_engines_that_is_known_is_counted_and_not_looked_into_again(uninterrupted: Path) -> None:
    (_, second) = journal(uninterrupted).values()
    look = next(met.look for record in second for met in record.met)
    (met, *_) = run_unit(_head(uninterrupted).plan, Unit(1, 0, frozenset({look}))).met
    assert (met.look, met.finding) == (look, None)
    assert met.times >= 1


def test_a_failure_of_a_campaign_of_engines_is_lived_again(uninterrupted: Path) -> None:
    (name, *_) = failures(uninterrupted)
    assert reproduce.run(uninterrupted / "failures" / name) is Exit.VIOLATED


def test_a_worker_that_is_killed_loses_no_unit_about_engines(tmp_path: Path) -> None:
    head, marks = _head(tmp_path / "corpus", fault=None), tmp_path / "marks"
    marks.mkdir()
    with opened(tmp_path / "campaign", head) as campaign:
        with crew_of("local", partial(killed_once, marks, head.plan), 2) as crew:
            campaign.run(crew)
        assert campaign.is_over
    assert (marks / "1-1").read_text() == "done\ndone\n"
    assert {name: len(records) for name, records in journal(tmp_path / "campaign").items()} == {
        "lane-0000.jsonl": 2,
        "lane-0001.jsonl": 2,
    }
    assert not campaign.summary.broken
    assert not campaign.summary.found


def test_a_cluster_lives_the_same_lives_of_engines(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    head = _head(tmp_path / "corpus", units=1, fault=None)
    with opened(tmp_path / "there", head) as campaign:
        with crew_of("ray", campaign.work(), 1) as crew:
            campaign.run(crew)
        assert campaign.is_over
    worked_off(tmp_path / "here", head)
    assert journal(tmp_path / "there") == journal(tmp_path / "here")
    assert not campaign.summary.broken


def test_what_was_exercised_of_engines_is_told(uninterrupted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = fuzz.run(resume=uninterrupted, units=UNITS, as_json=True)
    said = json.loads(capsys.readouterr().out)
    assert answer is Exit.VIOLATED
    assert said["target"] == ENGINES
    assert [part["what"] for part in said["coverage"]["parts"]] == [part.what for part in PARTS]
    assert all(part["reached"] for part in said["coverage"]["parts"])
    assert said["coverage"]["events"]
    (failure,) = said["failures"]
    assert "from fuzz.serving.stage import Stage" in failure["code"]


def test_a_campaign_that_did_nothing_lacks_everything_that_is_asked_for() -> None:
    terms = Terms(target=ENGINES)
    assert terms.missing(Coverage(), 0) == tuple(floors(quick=True))
    assert terms.missing(Coverage(), 10**9) == tuple(floors(quick=False))
    assert set(floors(quick=False)) < set(EVER)
    assert not any(reached.number for reached in terms.parts(Coverage()))


def test_a_fault_of_allocators_is_none_of_engines(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=CANARY.name):
        fuzz.run(target=ENGINES, fault="free-ignores-holders", folder=tmp_path / "none")
