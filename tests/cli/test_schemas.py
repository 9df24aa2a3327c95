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
from bandgap.peers.gate import Found
from bandgap.peers.telling import document as peer_document
from bandgap.reports.document import document as gate_document
from bandgap.schemas.all import SCHEMAS, drifts, schema_of, write_schemas
from bandgap.verbs import fuzz
from bandgap.verbs.docs import written_document
from bench.rows import Figure, row_of
from events import records as r
from events.trace import Writer
from tests.gate.samples import SOUND, VIOLATION, result_of
from tests.peers.test_known import FINDING
from tests.peers.test_known import result as peer_result
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


def traffic(folder: Path) -> str:
    rows = "".join(f"{number / 100},{20 + number},{1 + number % 7}\n" for number in range(10))
    path = folder / "own.csv"
    path.write_text("arrival_s,prompt_tokens,output_tokens\n" + rows)
    return str(path)


REPLAYED = ("--model", "inkling-small", "--weights", "10GB", "--arena", "200MB", "--workers", "1", "--no-search")
FAULT = Seeded("a", "device", "none", "content", "Nothing is wrong.")
FIGURE = row_of(Figure("a", "us", False, "It."), [1.0, 2.0], ())

ANSWERS: dict[str, Callable[[Path], list[Any]]] = {
    "compat": lambda _: [
        asked("compat", "--model", "inkling-small", "--feature", "overlap"),
        asked("compat", "--model", "full", "--feature", "overlap"),
        asked("compat", "--model", "gpt-oss-20b", "--feature", "disaggregation", "--feature", "eagle"),
    ],
    "compat-table": lambda _: [asked("compat")],
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
        # a counterexample, with what helps; something seen, and a trial
        asked("prove", "bijection", "--break", "unshare.another-reference-remains"),
        asked("prove", "unshare.another-reference-remains", "admission/induction"),
    ],
    "prove-export": lambda folder: [asked("prove", "unshare x span", "lemma", "--export", str(folder))],
    "prove-check": lambda folder: [
        asked("prove", "unshare x span", "lemma", "--export", str(folder)) and asked("prove", "--check", str(folder))
    ],
    "prove-cores": lambda _: [asked("prove", "--cores", "unshare x span")],
    "prove-list": lambda _: [asked("prove", "--list")],
    "reproduce": lambda _: [asked("reproduce", str(ROOT / "tests/events/corpus/reproduction-1.json"))],
    "layout": lambda _: [asked("layout", "gpt-oss-20b")],
    "bench": lambda _: [{"rows": [asdict(FIGURE)], "surroundings": {"cpu": "one"}}],
    "gate-peer": lambda _: [
        peer_document(peer_result(Found(FINDING, Path("a")), stopped=stopped), {"report": Path("report.html")})
        for stopped in (False, True)
    ],
    "replay": lambda folder: [asked("replay", traffic(folder), *REPLAYED)],
    "replay-sweep": lambda folder: [asked("replay", traffic(folder), *REPLAYED, "--sweep", "swa=0.2,0.5")],
    "view": lambda folder: [
        asked("view", trace(folder / "legal.trace", r.Drain(), DONE), "--out", str(folder / "a.html")),
        asked(
            "view",
            trace(folder / "illegal.trace", *UNPUBLISH, r.Compact(100), r.Moved(STATE, [0], [2])),
            *("--out", str(folder / "b.html"), "--perfetto", str(folder / "b.json")),
        ),
    ],
    "docs": lambda folder: [
        written_document((Path("docs/trust.md"),), folder / "index.html", ""),
        written_document((), None, "there is no Sphinx"),
    ],
    "docs-check": lambda _: [
        {"current": True, "drifts": []},
        {"current": False, "drifts": [asdict(Drift("a", "b", "c"))]},
    ],
}
"""Of each schema some documents; one of a campaign takes a campaign, below."""


@pytest.mark.parametrize("name", ANSWERS)
def test_what_a_verb_prints_is_what_its_schema_says(name: str, tmp_path: Path) -> None:
    documents = ANSWERS[name](tmp_path)
    assert documents
    for document in documents:
        jsonschema.validate(json.loads(json.dumps(document)), published(name))


def test_what_a_campaign_prints_is_what_its_schema_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fuzz.run(folder=tmp_path / "campaign", corpus=[str(tmp_path / "corpus")], unit_calls=300, units=1, as_json=True)
    jsonschema.validate(json.loads(capsys.readouterr().out), published("fuzz"))


def test_every_published_schema_is_checked_against_an_answer() -> None:
    assert set(SCHEMAS) == {*ANSWERS, "fuzz"}


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
