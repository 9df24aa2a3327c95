"""SARIF 2.1.0: what GitHub and editors read, with each violation at the line that it is about."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from bandgap.gate.lane import GateResult
from bandgap.reports.places import ROOT, place_of
from bandgap.reports.sarif import sarif, write_sarif
from spec.judge.checks import CHECKS
from spec.specification import ACTIONS, INVARIANTS, STEPS, THEOREMS
from tests.gate.samples import CAUGHT, SOUND, VIOLATION, result_of
from tests.gate.test_reports import hostile_result

TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
POINTER = {
    "type": "object",
    "required": ["physicalLocation"],
    "properties": {
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation", "region"],
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "required": ["uri"],
                    "additionalProperties": False,
                    "properties": {"uri": {"type": "string", "pattern": "^[^/\\\\ ]"}, "uriBaseId": {"type": "string"}},
                },
                "region": {"type": "object", "properties": {"startLine": {"type": "integer", "minimum": 1}}},
            },
        }
    },
}
# What the schema of the standard asks of the parts that are used here.
SARIF: dict[str, Any] = {
    "type": "object",
    "required": ["version", "runs"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"type": "string", "format": "uri"},
        "version": {"enum": ["2.1.0"]},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool"],
                "additionalProperties": False,
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "additionalProperties": False,
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "additionalProperties": False,
                                "properties": {
                                    "name": {"type": "string"},
                                    "semanticVersion": {"type": "string", "pattern": r"^\d+\.\d+\.\d+"},
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id"],
                                            "additionalProperties": False,
                                            "properties": {
                                                "id": {"type": "string"},
                                                "shortDescription": TEXT,
                                                "defaultConfiguration": {
                                                    "properties": {
                                                        "level": {"enum": ["none", "note", "warning", "error"]}
                                                    }
                                                },
                                            },
                                        },
                                    },
                                },
                            }
                        },
                    },
                    "invocations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["executionSuccessful"],
                            "additionalProperties": False,
                            "properties": {
                                "executionSuccessful": {"type": "boolean"},
                                "exitCode": {"type": "integer"},
                                "toolExecutionNotifications": {
                                    "type": "array",
                                    "items": {
                                        "type": "object",
                                        "required": ["message"],
                                        "additionalProperties": False,
                                        "properties": {
                                            "message": TEXT,
                                            "level": {"enum": ["none", "note", "warning", "error"]},
                                            "descriptor": {"type": "object", "required": ["id"]},
                                        },
                                    },
                                },
                            },
                        },
                    },
                    "originalUriBaseIds": {"type": "object"},
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message"],
                            "additionalProperties": False,
                            "properties": {
                                "ruleId": {"type": "string"},
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": TEXT,
                                "locations": {"type": "array", "items": POINTER},
                                "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
                            },
                        },
                    },
                },
            },
        },
    },
}

BAD = replace(
    SOUND, violations=(VIOLATION, replace(VIOLATION, where="toy, seed 8"), replace(VIOLATION, check="content"))
)


def run_of(result: GateResult) -> dict[str, Any]:
    document = json.loads(json.dumps(sarif(result)))
    jsonschema.validate(document, SARIF)
    run: dict[str, Any] = document["runs"][0]
    return run


def line_at(place: dict[str, Any]) -> str:
    where = place["physicalLocation"]
    lines = (ROOT / str(where["artifactLocation"]["uri"])).read_text().splitlines()
    return lines[int(where["region"]["startLine"]) - 1]


def test_a_pass_has_no_results_and_was_successful() -> None:
    run = run_of(result_of(SOUND))
    assert run["results"] == []
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": 0, "toolExecutionNotifications": []}]


def test_each_violation_is_a_result_of_the_rule_of_its_property_at_the_line_of_its_definition() -> None:
    run = run_of(result_of(BAD))
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["no-overlap", "content"]
    assert [(result["ruleId"], result["ruleIndex"]) for result in run["results"]] == [
        ("no-overlap", 0),
        ("no-overlap", 0),
        ("content", 1),
    ]
    assert [line_at(result["locations"][0]).split("(")[0] for result in run["results"]] == [
        "def no_overlap",
        "def no_overlap",
        "def content",
    ]
    assert "share 16 bytes (toy, seed 7)\n\nbandgap reproduce" in run["results"][0]["message"]["text"]
    prints = [result["partialFingerprints"]["check/v1"] for result in run["results"]]
    assert len(set(prints)) == 3
    assert prints == [result["partialFingerprints"]["check/v1"] for result in run_of(result_of(BAD))["results"]]


def test_a_guard_sentence_that_was_not_so_is_shown_at_its_line() -> None:
    problem = "line 6: move band 0, page 0, page 2: not so: the target is not withheld"
    place = place_of("ledger-gated-reuse", problem)
    assert '"the target is not withheld"' in (ROOT / place.file).read_text().splitlines()[place.line - 1]
    assert place.file.startswith("spec/actions/")


def test_every_property_and_every_action_has_a_place() -> None:
    for name in (*INVARIANTS, *STEPS, *THEOREMS):
        place = place_of(name, "")
        assert f"def {name.replace('-', '_')}(" in (ROOT / place.file).read_text().splitlines()[place.line - 1]
    for name in CHECKS:
        place = place_of(name, "")
        assert f'"{name}":' in (ROOT / place.file).read_text().splitlines()[place.line - 1]
    for name in ACTIONS:
        assert place_of("content", f"{name} band 0: not so: no such sentence").file.startswith("spec/actions/")
    assert place_of("crash", "it broke").file == "spec/judge/checks.py"


def test_what_is_broken_or_not_known_is_no_success() -> None:
    broken = replace(SOUND, broken=("no such tool",), canaries=(replace(CAUGHT, caught_by=None),))
    run = run_of(result_of(broken))
    assert run["results"] == []
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["exitCode"] == 2
    texts = [told["message"]["text"] for told in invocation["toolExecutionNotifications"]]
    assert texts[0] == "no such tool"
    assert any("the canary was not caught" in text for text in texts)


def test_hostile_names_change_nothing_but_themselves(tmp_path: Path) -> None:
    write_sarif(hostile_result(), tmp_path / "gate.sarif")
    document = json.loads((tmp_path / "gate.sarif").read_text())
    jsonschema.validate(document, SARIF)
    assert len(document["runs"][0]["results"]) == 1


def test_the_check_of_the_structure_can_fail() -> None:
    document = json.loads(json.dumps(sarif(result_of(BAD))))
    del document["runs"][0]["results"][1]["message"]
    with pytest.raises(jsonschema.ValidationError, match="'message' is a required property"):
        jsonschema.validate(document, SARIF)
