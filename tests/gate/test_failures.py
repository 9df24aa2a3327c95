"""A failure that fuzzing found is saved, drawn and explained."""

from pathlib import Path

import pytest

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
