"""Reports are all of this run, or are not there; a verdict is never lost for the want of a disk."""

import errno
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from bandgap.exits import Exit
from bandgap.gate.lane import GateResult
from bandgap.reports import writing
from bandgap.reports.writing import exit_with, write_reports
from tests.gate.samples import SOUND, VIOLATION, result_of
from tests.gate.test_reports import hostile_result

NAMES = {"report": "report.html", "junit": "junit.xml", "sarif": "gate.sarif", "json": "gate.json"}


def into(folder: Path, result: GateResult) -> GateResult:
    return replace(result, settings=replace(result.settings, out=folder))


@pytest.mark.parametrize("result", [result_of(SOUND), hostile_result()], ids=["sound", "hostile"])
def test_every_report_is_written_whatever_names_hold(result: GateResult, tmp_path: Path) -> None:
    files, problem = write_reports(into(tmp_path, result))
    assert problem == ""
    assert {name: path.name for name, path in files.items()} == NAMES
    assert all(path.stat().st_size for path in files.values())
    assert json.loads(files["json"].read_bytes())["answer"] == result.answer


@pytest.mark.parametrize("failing", NAMES)
def test_a_report_that_cannot_be_written_is_gone_and_the_others_are_there(
    failing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in NAMES.values():
        (tmp_path / name).write_text("of an earlier run")

    def full(_: GateResult, path: Path, *__: object) -> None:
        path.write_text("half of i")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    writer = {"report": "write_html", "junit": "write_junit", "sarif": "write_sarif", "json": "_write_json"}[failing]
    monkeypatch.setattr(writing, writer, full)
    files, problem = write_reports(into(tmp_path, result_of(SOUND)))
    assert problem == f"{tmp_path / NAMES[failing]} cannot be written: No space left on device"
    assert set(files) == set(NAMES) - {failing}
    assert {path.name for path in tmp_path.iterdir()} == {NAMES[name] for name in files}
    assert "of an earlier run" not in "".join(path.read_text() for path in files.values())


def test_a_pass_without_its_reports_is_none_and_what_is_violated_stays_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "report.html").mkdir()
    for evidence, verdict, told in (
        (SOUND, Exit.HOLDS, Exit.MISUSED),
        (replace(SOUND, violations=(VIOLATION,)), Exit.VIOLATED, Exit.VIOLATED),
    ):
        result = into(tmp_path, result_of(evidence))
        assert result.answer.exit is verdict
        _, problem = write_reports(result)
        assert exit_with(result.answer.exit, problem) is told
        assert "report.html cannot be written: Is a directory" in " ".join(capsys.readouterr().err.split())
    assert exit_with(Exit.HOLDS, "") is Exit.HOLDS
