"""Writes every report of a gate."""

from pathlib import Path

import msgspec

from bandgap.gate.lane import GateResult
from bandgap.reports.document import document
from bandgap.reports.html import write_html
from bandgap.reports.junit import write_junit
from bandgap.reports.sarif import write_sarif


def write_reports(result: GateResult) -> dict[str, Path]:
    """Writes them where the settings say, over those of an earlier gate; returns their paths by name."""
    folder = result.settings.out
    files = {"report": folder / "report.html", "junit": folder / "junit.xml"}
    files |= {"sarif": folder / "gate.sarif", "json": folder / "gate.json"}
    write_html(result, files["report"])
    write_junit(result, files["junit"])
    write_sarif(result, files["sarif"])
    files["json"].write_bytes(msgspec.json.format(msgspec.json.encode(document(result, files)), indent=2) + b"\n")
    return files
