"""A failure that fuzzing found is saved, drawn and explained."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bandgap.cli import app
from bandgap.explaining import explained_file
from bandgap.gate.failures import violation_of
from bandgap.gate.settings import Settings
from bandgap.gate.violation import Violation
from bandgap.pictures import Look, Mark
from bandgap.reports.drawn import drawings
from fuzz.faults.all import FAULTS
from fuzz.reproduction import decoded
from fuzz.seeded import run_seeded
from fuzz.setups import setup_of
from fuzz.targets.own import OWN


def violation_under(fault: str, out: Path) -> Violation:
    with FAULTS[fault].apply():
        run = run_seeded([setup_of("toy-three")], 3, calls=40_000, fault=fault)
        assert run.failure is not None
        return violation_of(run.failure, OWN, "toy-three", Settings(out=out))


def marks(violation: Violation, look: Look) -> list[Mark]:
    assert violation.after is not None
    return [mark for mark in violation.after.marks if mark.look is look]


def test_what_the_judge_objects_to_is_the_one_action_that_is_wrong(tmp_path: Path) -> None:
    violation = violation_under("withheld-pages-are-handed-out", tmp_path)
    assert violation.check == "ledger-gated-reuse"
    assert violation.before is not None
    (wrong,) = marks(violation, Look.WRONG)
    (acted_on,) = violation.before.marks
    assert (acted_on.band, acted_on.begin, acted_on.end) == (wrong.band, wrong.begin, wrong.end)
    assert any("holds page" in fact for fact in violation.facts)


def test_bytes_that_were_lost_are_marked_from_the_first_that_is_wrong(tmp_path: Path) -> None:
    violation = violation_under("moves-copy-half-of-a-page", tmp_path)
    assert violation.check == "content"
    assert violation.after is not None
    (wrong,) = marks(violation, Look.WRONG)
    size = violation.after.bands[wrong.band].page_bytes
    assert 0 < wrong.end - wrong.begin <= size // 2
    assert marks(violation, Look.CHANGED)
    assert f"bytes {wrong.begin:,} to {wrong.end:,}" in drawings(violation.after)[0].said


def test_the_saved_file_says_what_broke_and_the_command_names_it(tmp_path: Path) -> None:
    violation = violation_under("withheld-pages-are-handed-out", tmp_path)
    saved = decoded(Path(violation.file).read_bytes())
    assert (saved.property, len(saved.script)) == (violation.check, violation.calls)
    assert violation.command == f"bandgap reproduce {violation.file}"
    assert Path(violation.file).parent == tmp_path / "failures"


def test_the_code_can_be_pasted_and_breaks_at_the_same_property(tmp_path: Path) -> None:
    violation = violation_under("withheld-pages-are-handed-out", tmp_path)
    program = compile(violation.code, "pasted", "exec")
    exec(program, {})
    with FAULTS["withheld-pages-are-handed-out"].apply(), pytest.raises(AssertionError, match=violation.check):
        exec(program, {})


def test_a_saved_failure_is_explained_as_when_it_was_found(tmp_path: Path) -> None:
    violation = violation_under("withheld-pages-are-handed-out", tmp_path)
    again = explained_file(Path(violation.file))
    assert again is not None
    for name in ("check", "problem", "history", "before", "after", "code", "bytes"):
        assert getattr(again, name) == getattr(violation, name), name
    assert again.history is not None
    assert len(again.history.entries) >= 5
    assert all("wrong" in said for said in again.bytes)
    assert again.bytes


@pytest.mark.parametrize("data", [b"", b"{}", b'{"version": 1}'])
def test_what_is_no_saved_failure_is_not_explained(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(data)
    assert explained_file(tmp_path / "file") is None
    assert explained_file(tmp_path / "none") is None


def test_reproducing_a_failure_tells_how_it_came_to_it(tmp_path: Path) -> None:
    violation = violation_under("withheld-pages-are-handed-out", tmp_path)
    done = CliRunner(env={"COLUMNS": "100"}).invoke(app, ["reproduce", violation.file])
    assert done.exit_code == 1
    for part in ("how it came to that", "here ledger-gated-reuse breaks", "before", "after", "a.allocate("):
        assert part in done.stdout
    said = json.loads(CliRunner().invoke(app, ["reproduce", violation.file, "--json"]).stdout)
    assert violation.history is not None
    assert [entry["line"] for entry in said["evidence"]["history"]["entries"]] == [
        entry.line for entry in violation.history.entries
    ]
    assert said["evidence"]["code"] == violation.code
