"""A campaign does the same however often its processes die, and nothing counts twice."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.verbs import fuzz, reproduce
from crew.engines import crew_of
from fuzz.campaign.campaign import Unfit, opened
from fuzz.campaign.plan import code_now
from fuzz.campaign.unit import run_unit
from fuzz.campaign.work import Unit
from fuzz.faults.all import FAULTS
from tests.fuzz.campaigns import (
    FAULT,
    UNIT_CALLS,
    UNITS,
    Here,
    failures,
    head,
    journal,
    killed_once,
    plan,
    worked_off,
)
from tests.peers.sample import example

ARGUMENTS = ("--workers", "2", "--seed", "5", "--unit-calls", str(UNIT_CALLS), "--fault", FAULT, "--json")


def _started(folder: Path, hash_seed: int = 0) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "bandgap", "fuzz", "--out", str(folder), "--corpus", str(folder / "corpus")]
    environment = {**os.environ, "PYTHONHASHSEED": str(hash_seed)}
    return subprocess.Popen(
        [*command, "--units", str(UNITS), *ARGUMENTS], stdout=subprocess.PIPE, env=environment, start_new_session=True
    )


def _lines(folder: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in (folder / "journal").glob("*"))


def _until(folder: Path, lines: int, process: subprocess.Popen[bytes]) -> None:
    while _lines(folder) < lines:
        assert process.poll() is None, "it ended before it could be interrupted"
        time.sleep(0.01)


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("uninterrupted")
    worked_off(folder, head(folder / "corpus"))
    return folder


def test_a_campaign_finds_the_fault_in_both_lanes_and_tells_of_it_once(uninterrupted: Path) -> None:
    lanes = journal(uninterrupted)
    assert {name: [record.index for record in records] for name, records in lanes.items()} == {
        "lane-0000.jsonl": [0, 1, 2, 3],
        "lane-0001.jsonl": [0, 1, 2, 3],
    }
    assert [record.kind for record in lanes["lane-0000.jsonl"]] == ["driver", "machine", "driver", "machine"]
    found = [met.finding for records in lanes.values() for record in records for met in record.met if met.finding]
    named = [finding for finding in found if finding.look[0] == FAULTS[FAULT].property]
    assert len(named) >= 2
    assert len(failures(uninterrupted)) == len({finding.look for finding in found}) < len(found)


def test_a_campaign_that_is_stopped_and_killed_comes_to_the_same(uninterrupted: Path, tmp_path: Path) -> None:
    with _started(tmp_path, 2) as process:
        _until(tmp_path, 1, process)
        process.send_signal(signal.SIGINT)
        said = process.communicate()[0]
    assert b'"stopped": true' in said
    with _started(tmp_path, 3) as process:
        _until(tmp_path, 3, process)
        process.kill()
    with (tmp_path / "journal" / "lane-0001.jsonl").open("ab") as lane:
        lane.write(b'{"lane":1,"index"')
    before = _lines(tmp_path)
    assert 3 <= before < UNITS
    with _started(tmp_path, 4) as process:
        assert process.wait() == 1
        assert process.stdout is not None
        assert f'"resumed_after_units": {before}'.encode() in process.stdout.read()
    assert journal(tmp_path) == journal(uninterrupted)
    assert failures(tmp_path) == failures(uninterrupted)


def test_a_campaign_on_ray_with_a_worker_killed_comes_to_the_same(uninterrupted: Path, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    marks = tmp_path / "marks"
    marks.mkdir()
    with opened(tmp_path / "campaign", head(tmp_path / "corpus")) as campaign:
        with crew_of("ray", partial(killed_once, marks, plan()), 2) as crew:
            campaign.run(crew)
        assert campaign.is_over
    assert (marks / "1-1").read_text() == "done\ndone\n"
    assert journal(tmp_path / "campaign") == journal(uninterrupted)
    assert failures(tmp_path / "campaign") == failures(uninterrupted)


def test_another_seed_does_something_else(uninterrupted: Path, tmp_path: Path) -> None:
    worked_off(tmp_path / "campaign", head(tmp_path / "corpus", units=2, seed=6))
    ours, theirs = journal(tmp_path / "campaign"), journal(uninterrupted)
    assert ours.keys() == theirs.keys()
    assert all(ours[lane] != theirs[lane][:1] for lane in ours)


def test_a_campaign_goes_on_for_more_units(uninterrupted: Path, tmp_path: Path) -> None:
    assert worked_off(tmp_path, head(tmp_path / "corpus", units=3)).is_over
    assert worked_off(tmp_path, head(tmp_path / "corpus", units=5)).resumed == 3
    assert worked_off(tmp_path, head(tmp_path / "corpus", units=5)).resumed == 5
    theirs = journal(uninterrupted)
    assert journal(tmp_path) == {lane: records[: 3 - number] for number, (lane, records) in enumerate(theirs.items())}


def test_a_campaign_that_forgets_what_its_lanes_met_does_not_come_to_the_same(
    uninterrupted: Path, tmp_path: Path
) -> None:
    asked = head(tmp_path / "corpus")
    worked_off(tmp_path, head(tmp_path / "corpus", units=4))
    with opened(tmp_path, asked) as campaign:
        for lane in campaign.summary.lanes:
            lane.known.clear()
        campaign.run(Here(campaign.work()))
    ours, theirs = journal(tmp_path), journal(uninterrupted)
    assert all(records[0] == theirs[lane][0] for lane, records in ours.items())
    assert ours != theirs


def test_a_line_too_many_is_refused(uninterrupted: Path, tmp_path: Path) -> None:
    copied = _copy(uninterrupted, tmp_path)
    lane = copied / "journal" / "lane-0000.jsonl"
    lane.write_bytes(lane.read_bytes() + lane.read_bytes().splitlines(keepends=True)[-1])
    with pytest.raises(Unfit, match=r"line 5 of lane-0000\.jsonl is unit 3 of lane 0"):
        worked_off(copied, head(copied / "corpus"))


def test_a_line_that_is_missing_is_refused(uninterrupted: Path, tmp_path: Path) -> None:
    copied = _copy(uninterrupted, tmp_path)
    lane = copied / "journal" / "lane-0001.jsonl"
    lane.write_bytes(b"".join(lane.read_bytes().splitlines(keepends=True)[1:]))
    with pytest.raises(Unfit, match=r"line 1 of lane-0001\.jsonl is unit 1 of lane 1"):
        worked_off(copied, head(copied / "corpus"))


def test_a_file_of_a_failure_that_was_lost_comes_back(uninterrupted: Path, tmp_path: Path) -> None:
    copied = _copy(uninterrupted, tmp_path)
    for path in (copied / "failures").iterdir():
        path.unlink()
    worked_off(copied, head(copied / "corpus"))
    assert failures(copied) == failures(uninterrupted)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"seed": 6}, "seed 5, not 6"),
        ({"lanes": 3}, "lanes 2, not 3"),
        ({"fault": None}, f"fault {FAULT}, not None"),
        ({"code": "other"}, "other code"),
    ],
)
def test_another_campaign_in_the_same_folder_is_refused(
    uninterrupted: Path, changes: dict[str, Any], problem: str
) -> None:
    with pytest.raises(Unfit, match=problem):
        worked_off(uninterrupted, head(uninterrupted / "corpus", **changes))


def test_two_at_once_in_one_folder_are_refused(tmp_path: Path) -> None:
    asked = head(tmp_path / "corpus", units=1)
    with opened(tmp_path, asked), pytest.raises(Unfit, match="somebody is at work"), opened(tmp_path, asked):
        pass


def test_a_worker_with_other_code_learns_nothing(tmp_path: Path) -> None:
    campaign = worked_off(tmp_path, head(tmp_path / "corpus", units=1, code="other"))
    assert "OtherCode" in campaign.summary.broken[0, 0]
    assert campaign.summary.calls == 0


def _copy(campaign: Path, folder: Path) -> Path:
    return shutil.copytree(campaign, folder / "copy")


def test_another_s_allocator_has_campaigns_too(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    driver = example(tmp_path, old="strict=True)) > ARENA_BYTES:", new="strict=True)) > ARENA_BYTES + 64:")
    where: dict[str, Any] = {"folder": tmp_path / "campaign", "corpus": [str(tmp_path / "corpus")], "unit_calls": 200}
    assert fuzz.run(target=str(driver), workers=2, units=3, as_json=True, **where) is Exit.VIOLATED
    document = json.loads(capfd.readouterr().out)
    assert document["units"] == {"peer": 3}
    found = next(each for each in document["failures"] if each["property"] == "band-order")
    assert reproduce.run(Path(found["file"]), target=str(driver)) is Exit.VIOLATED
    here = plan(target=str(driver), fault=None, code=code_now(str(driver)))
    assert run_unit(here, Unit(0, 0)).met == run_unit(here, Unit(0, 0)).met != ()
    example(tmp_path)
    with pytest.raises(UsageError, match="other code"):
        fuzz.run(target=str(driver), workers=2, units=4, as_json=True, **where)
