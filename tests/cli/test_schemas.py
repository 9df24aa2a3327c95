"""What verbs print with `--json` is what the published schemas say."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from typer.testing import CliRunner

from bandgap.cli import app
from bandgap.documents.writing import Drift
from bandgap.matrix.row import Baseline, Matrix, Row, Seeded
from bandgap.matrix.telling import document as faults_document
from bandgap.reports.document import document as gate_document
from bandgap.schemas import SCHEMAS, drifts, schema_of, write_schemas
from bench.rows import Figure, row_of
from events import records as r
from events.trace import Writer
from tests.gate.samples import SOUND, VIOLATION, result_of
from tests.spec.situation import DONE, STATE, UNPUBLISH, header, snapshot

ROOT = Path(__file__).parents[2]
PUBLISHED = ROOT / "docs" / "schemas"


def published(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = json.loads((PUBLISHED / f"{name}.json").read_text())
    return schema


def asked(*arguments: str) -> Any:
    return json.loads(CliRunner().invoke(app, [*arguments, "--json"]).stdout)


def trace(path: Path, *records: Any) -> str:
    with path.open("wb") as file:
        writer = Writer(file)
        for record in (header(), snapshot(), *records):
            writer(record)
        writer.close()
    return str(path)


FAULT = Seeded("a", "device", "none", "content", "Nothing is wrong.")
FIGURE = row_of(Figure("a", "us", False, "It."), [1.0, 2.0], ())

ANSWERS: dict[str, Callable[[Path], list[Any]]] = {
    "error": lambda _: [asked("faults", "no-such-fault"), asked("judge", "nowhere"), asked("prove", "no-such-thing")],
    "judge": lambda folder: [
        asked("judge", trace(folder / "legal", r.Drain(), DONE)),
        asked("judge", "--follow", trace(folder / "lost", r.Lost(2), snapshot())),
        asked("judge", trace(folder / "illegal", *UNPUBLISH, r.Compact(100), r.Moved(STATE, [0], [2]))),
        asked("judge", trace(folder / "damaged", header())),
    ],
    "gate": lambda folder: [
        gate_document(result_of(evidence), {"junit": folder / "junit.xml"})
        for evidence in (SOUND, replace(SOUND, violations=(VIOLATION,)), replace(SOUND, broken=("no such tool",)))
    ],
    "faults": lambda _: [
        faults_document(Matrix((Baseline("it", "all"),), (Row(FAULT, "caught", "content", 3, 0.5, 2),))),
        faults_document(Matrix((Baseline("it", "", 0, "content", "seen"),), ())),
        faults_document(Matrix((), (Row(FAULT, "not run", problem="not here"), Row(FAULT, "survived")))),
    ],
    "faults-list": lambda _: [asked("faults", "--list")],
    "prove": lambda _: [
        asked("prove", "unshare x span"),
        asked("prove", "span", "--break", "unshare.counts-down-twice"),
    ],
    "reproduce": lambda _: [asked("reproduce", str(ROOT / "tests/events/corpus/reproduction-1.json"))],
    "layout": lambda _: [asked("layout", "gpt-oss-20b")],
    "bench": lambda _: [{"rows": [asdict(FIGURE)], "surroundings": {"cpu": "one"}}],
    "docs-check": lambda _: [
        {"current": True, "drifts": []},
        {"current": False, "drifts": [asdict(Drift("a", "b", "c"))]},
    ],
}
"""Of each schema some documents; those of campaigns, replays and peers are checked where these are tested."""


@pytest.mark.parametrize("name", ANSWERS)
def test_what_a_verb_prints_is_what_its_schema_says(name: str, tmp_path: Path) -> None:
    documents = ANSWERS[name](tmp_path)
    assert documents
    for document in documents:
        jsonschema.validate(json.loads(json.dumps(document)), published(name))


def test_the_published_schemas_are_those_of_the_code_and_are_schemas() -> None:
    assert drifts(PUBLISHED) == []
    for name in SCHEMAS:
        jsonschema.Draft202012Validator.check_schema(published(name))
        assert published(name) == schema_of(name)


def test_a_schema_that_is_stale_missing_or_left_over_is_found(tmp_path: Path) -> None:
    write_schemas(tmp_path)
    assert drifts(tmp_path) == []
    (tmp_path / "judge.json").write_text("{}")
    (tmp_path / "gate.json").unlink()
    (tmp_path / "old.json").write_text("{}")
    assert drifts(tmp_path) == ["gate", "judge", "old"]


def test_a_schema_refuses_what_lacks_a_part_or_says_what_it_cannot(tmp_path: Path) -> None:
    said = asked("judge", trace(tmp_path / "a.trace", r.Drain(), DONE))
    for broken in (
        {**said, "outcome": "fine"},
        {**said, "lines": "many"},
        {k: v for k, v in said.items() if k != "finding"},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, published("judge"))
