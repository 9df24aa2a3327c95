"""Writes every report of a gate."""

from collections.abc import Callable
from pathlib import Path

from bandgap.exits import Exit
from bandgap.gate.lane import GateResult
from bandgap.output import err, harmless, json_of
from bandgap.reports.document import document
from bandgap.reports.html import write_html
from bandgap.reports.junit import write_junit
from bandgap.reports.sarif import write_sarif


def write_reports(result: GateResult) -> tuple[dict[str, Path], str]:
    """Write all reports where the settings say; those of an earlier gate are gone, whatever becomes of these.

    Returns:
        The paths by name, and why one is not there, a clause; nothing if all are.
    """
    folder = result.settings.out
    files = {"report": folder / "report.html", "junit": folder / "junit.xml"}
    files |= {"sarif": folder / "gate.sarif", "json": folder / "gate.json"}
    writers: dict[str, Callable[[GateResult, Path], None]] = {
        "report": write_html,
        "junit": write_junit,
        "sarif": write_sarif,
        "json": lambda result, path: _write_json(result, path, files),
    }
    problem = ""
    for name, path in list(files.items()):
        try:
            path.unlink(missing_ok=True)
            writers[name](result, path)
        except OSError as error:
            problem = f"{path} cannot be written: {error.strerror or error}"
            del files[name]
            _throw_away(path)
    return files, problem


def exit_with(verdict: Exit, problem: str) -> Exit:
    """The exit code of a verdict, which is no pass where a report is not there; the problem is told."""
    if not problem:
        return verdict
    err().print(f"[bold red]broken[/]: {harmless(problem)}")
    return Exit.MISUSED if verdict is Exit.HOLDS else verdict


def _write_json(result: GateResult, path: Path, files: dict[str, Path]) -> None:
    path.write_text(json_of(document(result, files)), encoding="utf-8")


def _throw_away(path: Path) -> None:
    """Half a report is none."""
    try:
        path.unlink(missing_ok=True)
    except OSError:
        return  # nothing can be done with it
