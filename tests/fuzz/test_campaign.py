"""A campaign does the same however often its processes die, and nothing counts twice."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from crew.engines import crew_of
from fuzz.campaign.campaign import opened
from fuzz.faults.all import FAULTS
from tests.fuzz.campaigns import FAULT, UNIT_CALLS, UNITS, failures, head, journal, killed_once, plan

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
    with _started(folder, 1) as process:
        assert process.wait() == 1
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
    with (
        opened(tmp_path / "campaign", head(tmp_path / "corpus", units=2, seed=6)) as campaign,
        crew_of("local", campaign.work(), 2) as crew,
    ):
        campaign.run(crew)
    ours, theirs = journal(tmp_path / "campaign"), journal(uninterrupted)
    assert ours.keys() == theirs.keys()
    assert all(ours[lane] != theirs[lane][:1] for lane in ours)
