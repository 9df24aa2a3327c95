"""The specification as written: all is proved, nothing is empty, nothing is idle, and `bandgap prove` says so."""

import json
import subprocess
import sys
from typing import Any

import pytest

from properties.faults import FAULTS
from properties.known import weakenings
from properties.obligations import obligations
from properties.specification import AS_WRITTEN
from properties.trials import REDUNDANT
from properties.weakenings import assumptions, sentences


@pytest.mark.timeout(600)
def test_bandgap_prove_shows_everything_and_says_so() -> None:
    command = [sys.executable, "-m", "bandgap", "prove", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    document = json.loads(done.stdout)
    assert _obligations(document)
    assert _vacuity(document)
    assert _necessity(document)
    assert document["verdict"] == "proved"
    assert done.returncode == 0


def _obligations(document: dict[str, Any]) -> bool:
    s = AS_WRITTEN
    product = len(s.actions) * (len(s.invariants) + len(s.steps))
    count = product + len(s.invariants) + len(s.theorems) + len(s.axioms)
    assert len(s.actions) >= 18
    assert len(s.invariants) >= 15
    assert len(s.steps) >= 10
    assert [answer["name"] for answer in document["answers"]] == [o.name for o in obligations(s)]
    assert {answer["verdict"] for answer in document["answers"]} == {"proved"}
    assert (document["obligations"], document["proved"]) == (count, count)
    assert (document["violated"], document["unknown"]) == (0, 0)
    assert sum(answer["seconds"] for answer in document["answers"]) > 0
    assert not document["interrupted"]
    return count > 0


def _vacuity(document: dict[str, Any]) -> bool:
    seen = {witness["name"]: witness for witness in document["vacuity"]}
    assert {witness["verdict"] for witness in seen.values()} == {"proved"}
    assert {f"{action} happens" for action in AS_WRITTEN.actions} < set(seen)
    assert {"a state at the start", "a legal state"} < set(seen)
    properties = (*AS_WRITTEN.invariants, *AS_WRITTEN.steps, *AS_WRITTEN.theorems)
    assert {name.split(",")[0] for name in seen} >= set(properties)
    assert seen["sole-writer"]["seen_at"] == ["hold"]
    return len(seen) > len(AS_WRITTEN.actions) + len(properties)


def _necessity(document: dict[str, Any]) -> bool:
    assert [trial["name"] for trial in document["necessity"]] == [*sentences(), *assumptions()]
    assert [trial["name"] for trial in document["faults"]] == list(FAULTS)
    for trial in [*document["necessity"], *document["faults"]]:
        assert trial["verdict"] == "proved", trial
        assert trial["property"] == weakenings()[trial["name"]].property
        if trial["name"] not in REDUNDANT:
            assert trial["property"] in trial["refuted"]
            assert trial["counterexample"]["before"] != {}
    assert document["idle"] == []
    return len(sentences()) >= 42
