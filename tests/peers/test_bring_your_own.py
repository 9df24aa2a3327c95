"""The example of `docs/bring-your-own.md`, as it stands there, and what becomes of it when it is broken."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bandgap.peers.gate
import bandgap.verbs.gate
import bandgap.verbs.reproduce
from bandgap import verbs
from bandgap.errors import UsageError
from bandgap.gate.verdict import Answer
from bandgap.peers.gate import judge_peer
from fuzz.peers.environments import found
from fuzz.peers.lives import lived
from fuzz.peers.process import Life, running
from tests.peers.sample import ROOT, example

Gate = Callable[..., tuple[int, dict[str, Any]]]


@pytest.fixture
def gate(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Gate:
    """Runs the gate on a driver: its exit code, and what it printed."""

    def run(driver: Path) -> tuple[int, dict[str, Any]]:
        code = verbs.gate.run(str(driver), minutes=0.01, out_folder=tmp_path / "out", as_json=True)
        return code, json.loads(capfd.readouterr().out)

    return run


def test_the_example_of_the_documents_holds(gate: Gate, tmp_path: Path) -> None:
    code, answer = gate(example(tmp_path))
    assert code == 0
    assert answer["verdict"] == "holds"
    assert answer["calls"] > 100
    assert answer["calls_per_second"] > 0
    assert answer["findings"] == []
    assert answer["canary"]["caught_by"] == "content"
    assert answer["coverage"]["outcomes"]["alloc: refused"] > 0


@pytest.mark.parametrize(
    ("old", "new", "broken"),
    [
        ("        if self.witness.open:  # what yours asks of its callers\n", "        if False:\n", "writers-pin"),
        ("strict=True)) > ARENA_BYTES:", "strict=True)) > ARENA_BYTES + 64:", "band-order"),
    ],
    ids=["moved-under-a-forward", "bands-too-large"],
)
def test_a_broken_example_is_violated_by_name_saved_and_reproduced(
    old: str, new: str, broken: str, gate: Gate, tmp_path: Path
) -> None:
    driver = example(tmp_path, old=old, new=new)
    code, answer = gate(driver)
    assert code == 1
    finding = next(each for each in answer["findings"] if each["property"] == broken)
    assert finding["calls"] <= 5
    assert finding["reduced"]
    assert verbs.reproduce.run(Path(finding["file"]), str(driver)) == 1
    example(tmp_path)
    assert verbs.reproduce.run(Path(finding["file"]), str(driver)) == 0


def test_a_canary_that_is_not_caught_breaks_the_gate(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bandgap.peers.gate, "CANARY_SECONDS", 0.3)
    driver = example(tmp_path, old="lambda _: lambda *_: None", new="lambda copy: copy")
    with running(found(str(driver))) as process:
        result = judge_peer(process, str(driver), seconds=0.5, seed=1, folder=tmp_path)
    assert result.answer is Answer.BROKEN
    assert [reason.text for reason in result.reasons] == [
        "the canary was not caught: moves-leave-the-bytes-behind must break content"
    ]


def test_the_same_seed_lives_the_same_life(tmp_path: Path) -> None:
    with running(found(str(example(tmp_path)))) as process:
        lives = [lived(process, Life("small", seed=seed, calls=80)) for seed in ("1", "1", "2")]
    assert lives[0] == lives[1]
    assert lives[0].script != lives[2].script


def test_a_driver_that_does_not_load_is_a_broken_tool(gate: Gate, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no Target in a variable TARGET"):
        gate(example(tmp_path, old="TARGET = Target(", new="OTHER = Target("))


def test_a_run_that_exercised_too_little_is_inconclusive(gate: Gate, tmp_path: Path) -> None:
    code, answer = gate(example(tmp_path, old='("compact", "done")]', new='("compact", "done"), ("fly", "done")]'))
    assert code == 3
    assert answer["reasons"] == ["too little was exercised: fly: done"]


def test_what_runs_beside_an_allocator_needs_the_standard_library_alone(tmp_path: Path) -> None:
    driver = example(tmp_path)
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('numpy', 'torch', 'msgspec', 'events', 'spec', 'impl'), None));"
        f"sys.argv = ['', {str(driver)!r}]; import runpy; runpy.run_module('fuzz.peers.inside', run_name='__main__')"
    )
    asked = json.dumps({"setup": "small", "seed": "1", "calls": 20}) + "\n"
    done = subprocess.run(
        [sys.executable, "-c", code], input=asked, capture_output=True, text=True, cwd=ROOT, check=False
    )
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stderr
    assert len(lines) == 1 + 1 + 2 * 20 + 1
    assert lines[-1] == '{"broken":null}'
