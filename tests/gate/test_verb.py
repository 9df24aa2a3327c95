"""The verb: exit codes, the document, the files, and what it says to people."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bandgap.errors import UsageError
from bandgap.gate.lanes.fuzzing import QUICK
from bandgap.verbs.gate import run
from tests.house.walls import ROOT

GATE = [sys.executable, "-m", "bandgap", "gate", "--quick"]


def test_a_part_of_the_gate_finds_nothing_and_is_no_pass(tmp_path: Path) -> None:
    done = subprocess.run(
        [*GATE, "--json", "--only", "driver/toy-three", "--only", "driver/canary", "--out", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    said = json.loads(done.stdout)
    assert said["answer"] == "inconclusive"
    assert said["exit"] == 3
    lanes = ["lock", "proofs", "machine", "driver", "device", "serving", "faults"]
    assert [lane["name"] for lane in said["lanes"]] == lanes
    driver = said["lanes"][3]
    assert driver["canaries"][0]["caught_by"] == driver["canaries"][0]["expects"]
    assert {count["what"]: count["number"] for count in driver["counts"]}["calls judged"] >= QUICK.calls
    assert not [violation for lane in said["lanes"] for violation in lane["violations"]]
    assert all((tmp_path / name).stat().st_size for name in ("report.html", "junit.xml", "gate.json"))
    assert json.loads((tmp_path / "gate.json").read_text()) == said
    assert "driver 2/2" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"target": "nobody"}, "--target = 'nobody': is not a target"),
        ({"only": ["nothing"]}, "--only = 'nothing': is no lane and no task"),
        ({"out_folder": Path("/dev/null/here")}, "--out = '/dev/null/here': cannot be written to"),
    ],
)
def test_a_wrong_command_line_is_said(arguments: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        run(**{"out_folder": tmp_path, **arguments})
    assert caught.value.message.startswith(said)


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_ends_in_a_report_and_exit_3(sent: signal.Signals, tmp_path: Path) -> None:
    command = [
        *GATE,
        "--only",
        "driver/inkling-small",
        "--only",
        "driver/toy-three",
        "--out",
        str(tmp_path),
        "--workers",
        "1",
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        assert "driver 1/2: toy-three" in process.stderr.readline()
        process.send_signal(sent)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 3, err
    assert "interrupted before it was finished" in " ".join(out.split())
    assert "Traceback" not in err
    assert "The run was interrupted" in (tmp_path / "report.html").read_text()


def test_the_readme_names_every_verb_and_its_picture() -> None:
    readme = (ROOT / "README.md").read_text()
    verbs = [path.stem for path in (ROOT / "bandgap/verbs").iterdir() if not path.name.startswith("_")]
    assert [verb for verb in verbs if f"`bandgap {verb.replace('_', '-')}" not in readme] == []
    assert "(docs/arena.svg)" in readme
    assert "make gate" in readme
    command = (ROOT / ".ci/run").read_text().strip().splitlines()[-1].removeprefix("exec ")
    assert f"$ {command} " in readme
