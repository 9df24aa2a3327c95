"""The specification as written: all is proved, nothing is empty, nothing is idle, and `bandgap prove` says so."""

import json
import subprocess
import sys
from typing import Any

import pytest

from properties.admission import asking
from properties.faults import FAULTS
from properties.known import weakenings
from properties.obligations import obligations
from properties.specification import AS_WRITTEN, ON_DEVICE, SPECIFICATIONS, changed_actions
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
    count = 0
    for s, actions, invariants, steps in ((AS_WRITTEN, 19, 15, 10), (ON_DEVICE, 23, 27, 11)):
        count += len(s.actions) * (len(s.invariants) + len(s.steps))
        count += len(s.invariants) + len(s.theorems) + len(s.axioms)
        assert len(s.actions) >= actions
        assert len(s.invariants) >= invariants
        assert len(s.steps) >= steps
    assert len(asking.obligations()) >= 286
    count += len(asking.obligations())
    names = [o.name for o in (*[o for s in SPECIFICATIONS for o in obligations(s)], *asking.obligations())]
    assert [answer["name"] for answer in document["answers"]] == names
    assert {"device/issue-read x race-free", "device/move x no-foreign-bytes"} <= set(names)
    assert {answer["verdict"] for answer in document["answers"]} == {"proved"}
    assert (document["obligations"], document["proved"]) == (count, count)
    assert (document["violated"], document["unknown"]) == (0, 0)
    assert sum(answer["seconds"] for answer in document["answers"]) > 0
    assert not document["interrupted"]
    return count > 0


def _vacuity(document: dict[str, Any]) -> bool:
    seen = {witness["name"]: witness for witness in document["vacuity"]}
    assert {witness["verdict"] for witness in seen.values()} == {"proved"}
    actions = [action for s in SPECIFICATIONS for action in changed_actions(s)]
    assert {f"{action} happens" for action in actions} < set(seen)
    assert {"a state at the start", "a legal state", "device/a state at the start", "device/a legal state"} < set(seen)
    properties = [name for s in SPECIFICATIONS for name in s.claims]
    assert {name.split(",")[0] for name in seen} >= set(properties)
    assert seen["sole-writer"]["seen_at"] == ["hold"]
    assert set(asking.STAGES) < set(seen)
    assert "admission/packing-is-legal, a float is empty" in seen
    return len(seen) > len(actions) + len(properties)


def _necessity(document: dict[str, Any]) -> bool:
    assert [trial["name"] for trial in document["necessity"]] == [*sentences(), *assumptions()]
    assert [trial["name"] for trial in document["faults"]] == [*FAULTS, *asking.SEEDED]
    caught_by = {name: weakening.property for name, weakening in weakenings().items()}
    caught_by |= {name: fault.property for name, fault in asking.SEEDED.items()}
    for trial in [*document["necessity"], *document["faults"]]:
        assert trial["verdict"] == "proved", trial
        assert trial["property"] == caught_by[trial["name"]]
        if trial["name"] not in REDUNDANT:
            assert trial["property"] in trial["refuted"]
            assert trial["small_case"] if trial["counterexample"] is None else trial["counterexample"]["before"]
    assert document["idle"] == []
    return len(sentences()) >= 90
