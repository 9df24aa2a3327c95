"""Files that earlier versions wrote stay readable, or are refused by their version."""

import gzip
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bandgap.cli import app
from events import records as r
from events.trace import seal, unseal
from fuzz.reproduction import decoded, played_again
from fuzz.saving import BadFile
from fuzz.targets.own import OWN
from spec.judge.judge import judge_trace
from tests.spec.situation import header, snapshot

CORPUS = Path(__file__).parent / "corpus"


def lines_of(path: Path) -> list[bytes]:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).splitlines(keepends=True)


def test_the_corpus_has_traces_of_every_version_that_can_be_read() -> None:
    versions = set()
    traces = sorted(CORPUS.glob("*.trace*"))
    for path in traces:
        first = next(iter(unseal(lines_of(path), whole=False)))
        assert isinstance(first, r.Header)
        assert path.name.startswith(f"version-{first.version}")
        versions.add(first.version)
    assert versions == r.READABLE
    assert len(traces) >= 6


@pytest.mark.parametrize(
    ("name", "lines", "actions", "code"),
    [
        ("version-1.trace", 162, 255, 0),
        ("version-1.trace.gz", 184, 209, 0),
        ("version-1-unfinished.trace", 161, 255, 0),
        ("version-2.trace", 75, 120, 0),
        ("version-2-2.trace", 54, 77, 0),
        ("version-2-lost.trace", 29, 24, 3),
    ],
)
def test_a_trace_of_an_earlier_version_is_judged_as_it_was(name: str, lines: int, actions: int, code: int) -> None:
    whole = "unfinished" not in name
    verdict = judge_trace(lines_of(CORPUS / name), whole)
    assert verdict.finding is None
    assert (verdict.lines, verdict.page_actions) == (lines, actions)
    assert bool(verdict.lost) == (code == 3)
    done = CliRunner().invoke(app, ["judge", str(CORPUS / name), *([] if whole else ["--unfinished"])])
    assert done.exit_code == code


def test_a_trace_of_a_later_version_is_refused_by_its_version() -> None:
    finding = judge_trace(seal([header(version=max(r.READABLE) + 1), snapshot()])).finding
    assert finding is not None
    assert finding.problem == "version 3 of the trace format is not known here; this judge reads 1 and 2"


def test_a_reproduction_of_an_earlier_version_is_played_again() -> None:
    reproductions = sorted(CORPUS.glob("reproduction-*.json"))
    assert reproductions
    for path in reproductions:
        played = played_again(decoded(path.read_bytes()), OWN)
        assert played.violation is None, "it was of a fault that is not in force"


def test_a_reproduction_of_a_later_version_is_refused_by_its_version() -> None:
    data = (CORPUS / "reproduction-1.json").read_bytes().replace(b'"version": 1', b'"version": 99')
    with pytest.raises(BadFile, match="is of version 99"):
        decoded(data)
