"""Failures of engines: found, made short, saved, lived again, and told."""

import json
from pathlib import Path

import pytest

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.explaining_serving import explain_serving
from bandgap.gate.lanes import serving as lane
from bandgap.gate.lanes.serving import SERVING
from bandgap.gate.prose import prose_of
from bandgap.gate.settings import Settings
from bandgap.gate.verdict import reasons_of_task
from bandgap.verbs import reproduce
from fuzz.saving import BadFile
from fuzz.serving.driver import Run, run_seeded
from fuzz.serving.failure import Failure
from fuzz.serving.faults import CANARY
from fuzz.serving.living import Script, lived
from fuzz.serving.machine import run_machine
from fuzz.serving.operations import Operation
from fuzz.serving.pasted import pasted
from fuzz.serving.reproduction import decoded, encoded, is_reproduction, lived_again, operations_of, saved
from fuzz.serving.scene import SORTS, Scene
from fuzz.serving.shortening import Shortening
from fuzz.serving.words import violation_of
from fuzz.violation import Violation
from impl.misuse import Misuse
from tests.fuzz.serving.found import BY_ANOTHER, MET, SOON, TORN, breaks_without, declared, in_force, life

FAILURE = Failure(
    Scene(interval=8),
    CANARY.property,
    "of each kind (1, None) pages were lacking, and it freed [0, 0]",
    None,
    (Operation("ask", (0, 4, 0, 0)), Operation("step", (0, 1, 0, 0)), Operation("evict", (0, 0, 0, 0))),
    CANARY.name,
    absent=("preempt",),
)
"""Of the canary, as short as it can be."""


# ------------------------------------------------------------------------------------------------------ seeded faults


@pytest.mark.parametrize("name", SOON)
def test_the_driver_meets_a_fault_and_names_its_check(name: str) -> None:
    # what is right is remembered, and must not be computed with the fault
    assert not breaks_without(name.split("/")[0], MET[name])
    with in_force(name):
        violation = life(name, MET[name]).violation
    assert violation is not None
    assert violation.property == declared()[name].property


@pytest.mark.parametrize("name", BY_ANOTHER)
def test_a_fault_is_met_that_another_check_sees_first(name: str) -> None:
    number, check = BY_ANOTHER[name]
    assert not breaks_without(name.split("/")[0], number)
    with in_force(name):
        violation = life(name, number).violation
    assert violation is not None
    assert violation.property == check != declared()[name].property


def test_files_that_are_taken_as_they_are_are_met() -> None:
    name = "host/a-checksum-that-is-not-compared"
    assert lived(*TORN).violation is None
    with in_force(name):
        violation = lived(*TORN).violation
    assert violation is not None
    assert violation.property == declared()[name].property


def test_most_faults_of_serving_are_met() -> None:
    assert len(SOON) >= 20
    assert set(MET) <= set(declared())
    assert set(BY_ANOTHER) <= set(declared()) - set(MET)


def test_the_canary_is_caught_by_the_driver_and_made_short() -> None:
    with CANARY.apply():
        run = run_seeded("canary", lives=8, sorts=[CANARY.sort], lengths=[30], fault=CANARY.name, reduce_tries=20)
    assert run.failure is not None
    assert run.failure.property == CANARY.property
    assert run.failure.repeats
    assert len(run.failure.script) <= 15


def test_the_canary_is_caught_by_hypothesis() -> None:
    with CANARY.apply():
        run = run_machine("canary", examples=40, fault=CANARY.name, reduce_tries=0)
    assert run.failure is not None
    assert run.failure.property == CANARY.property
    assert not run.failure.reduced


# ----------------------------------------------------------------------------------------------------------- shorter


def test_what_does_not_matter_is_left_out() -> None:
    scene = Scene(pattern="kimi-k3", chunk=3, interval=8)
    script = tuple(Operation(name, (9, 300, 5, 7)) for name in ("step", "ask", "evict", "ask", "serve"))

    def fails(where: Scene, shorter: Script) -> bool:
        names = [operation.name for operation in shorter]
        asked = [operation.draws[1] for operation in shorter if operation.name == "ask"]
        return where.interval == 8 and "evict" in names and any(draw >= 3 for draw in asked)

    where, shorter = Shortening(fails, seconds=60).shortened(scene, script)
    assert where == Scene(interval=8)
    assert sorted(shorter) == [Operation("ask", (0, 3, 0, 0)), Operation("evict", (0, 0, 0, 0))]


def test_no_more_lives_are_tried_than_are_allowed() -> None:
    tried: list[Script] = []
    script = tuple(Operation("step", (1, 1, 1, 1)) for _ in range(9))

    def passes(where: Scene, shorter: Script) -> bool:
        tried.append(shorter)
        return False

    shortening = Shortening(passes, seconds=60, tries=5)
    assert shortening.shortened(Scene(), script) == (Scene(), script)
    assert len(tried) == 5
    assert shortening.is_over


# ------------------------------------------------------------------------------------------------------------- files


def test_a_saved_failure_fails_again_and_passes_without_the_fault(tmp_path: Path) -> None:
    path = saved(FAILURE, tmp_path)
    found = decoded(path.read_bytes())
    assert is_reproduction(path.read_bytes())
    assert (found.scene, operations_of(found)) == (FAILURE.scene, FAILURE.script)
    again = lived_again(found).violation
    assert again is not None
    assert (again.property, again.problem) == (FAILURE.property, FAILURE.problem)
    assert reproduce.run(path) is Exit.VIOLATED
    path.write_text(path.read_text().replace(f'"{CANARY.name}"', "null"))
    assert reproduce.run(path) is Exit.HOLDS


def test_reproduce_tells_what_breaks_and_the_code_that_shows_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(FAILURE, tmp_path)
    assert reproduce.run(path, as_json=True) is Exit.VIOLATED
    said = json.loads(capsys.readouterr().out)
    assert said["fails"]
    assert said["calls"] == 3
    assert said["evidence"]["code"] == pasted(FAILURE)
    assert said["evidence"]["facts"] == ["the scene: interval 8"]
    assert explain_serving(FAILURE, "here").absent == ("preempt",)


def test_the_pasted_code_fails_under_the_fault_and_passes_without() -> None:
    code = compile(pasted(FAILURE), "pasted", "exec")
    with CANARY.apply(), pytest.raises(Violation, match=CANARY.property):
        exec(code, {})
    exec(code, {})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bandgap-serving-1", "bandgap-serving-9"),
        ('"evict"', '"explode"'),
        ('"interval":8', '"interval":7'),
        ('"interval":8', '"interval":8,"more":1'),
        (CANARY.name, "no-such-fault"),
        ("[\n", "[[\n"),
        (",0,0]", ",0,65536]"),
    ],
)
def test_what_is_no_such_file_is_told(old: str, new: str, tmp_path: Path) -> None:
    text = encoded(FAILURE).decode()
    assert old in text
    path = tmp_path / "bad.json"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(BadFile):
        decoded(path.read_bytes())
    with pytest.raises(UsageError):
        reproduce.run(path)


def test_a_failure_of_engines_has_no_other_target(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        reproduce.run(saved(FAILURE, tmp_path), target="bandgap")


# ------------------------------------------------------------------------------------------------- what it is called


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (Misuse("ids", 3, "is shared, and writing needs a sole reference", "copy it first"), "sole-writer"),
        (Misuse("ids", 3, "is not alive", "name others"), "references"),
        (Misuse("ticket", 3, "has retired already", "leave it"), "misuse"),
        (AssertionError("it is open"), "bookkeeping"),
        (ValueError("else"), "crash"),
    ],
)
def test_what_goes_wrong_has_the_name_of_what_it_breaks(error: Exception, name: str) -> None:
    assert violation_of(error).property == name
    assert prose_of(name)


# ------------------------------------------------------------------------------------------------------ the gate's lane


def test_a_failure_is_told_by_the_lane_with_the_file_that_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane, "run_seeded", lambda *_, **more: Run(1, lives=1, failure=FAILURE))
    evidence = lane.driver("prefix", Settings(quick=True, out=tmp_path), lambda *_: None)
    (found,) = evidence.violations
    assert found.check == CANARY.property
    assert decoded(Path(found.file).read_bytes()).fault == CANARY.name
    assert found.command == f"bandgap reproduce {found.file}"
    assert not [reason for reason in reasons_of_task(evidence) if "too little" in reason.text]


def test_a_short_task_of_the_lane_is_evidence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane, "QUICK", lane.Amount(lives=1, examples=1))
    settings, said = Settings(quick=True), []
    for evidence in (
        lane.driver("plain", settings, lambda far, _: said.append(far)),
        lane.machine(settings, lambda far, _: said.append(far)),
    ):
        assert not evidence.violations
        assert next(count.number for count in evidence.counts) == 1
        assert dict(evidence.coverage)
    assert said == [1.0, 1.0]


def test_the_lane_has_a_task_for_each_sort_and_a_canary_that_is_caught() -> None:
    settings = Settings(quick=True)
    assert [task.name for task in SERVING.tasks(settings)] == ["canary", *SORTS, "state machine"]
    (canary,) = lane.canary(settings, lambda *_: None).canaries
    assert canary.caught_by == canary.expects
    assert SERVING.floors(settings)
