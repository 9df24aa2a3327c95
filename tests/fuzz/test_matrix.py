"""The kill matrix: all faults of all sorts are in it, in one shape, and none is taken for caught that is not."""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bandgap.cli import app
from bandgap.matrix import judged, peers, serving
from bandgap.matrix.all import all_faults, levels, near, tried
from bandgap.matrix.row import Baseline, Matrix, Row, Seeded, Settings
from bandgap.matrix.telling import document, report
from fuzz.faults import trial
from fuzz.faults.all import FAULTS
from fuzz.faults.fault import Fault
from fuzz.faults.judge import JUDGE_FAULTS
from fuzz.faults.touched import touched_traces, try_judge_fault
from fuzz.kernels.faults import KERNEL_FAULTS
from fuzz.peers.environments import NoEnvironment
from properties.selection import everything
from spec.specification import INVARIANTS, STEPS, THEOREMS
from tests.fuzz.classes import CLASSES

LONGEST = 12
"""Calls that any seeded fault shrinks to."""

SETTINGS = Settings(calls=2_000, seed=7)


def faults(*arguments: str, width: int = 80) -> Result:
    return CliRunner(env={"COLUMNS": str(width)}).invoke(app, ["faults", *arguments])


def test_every_seeded_fault_of_the_project_is_in_the_matrix_once() -> None:
    names = Counter(fault.name for fault in all_faults())
    assert set(names.values()) == {1}
    adapters = {name for name in names if name.startswith(("sglang/", "vllm/"))}
    of_serving = {fault.name for fault in serving.SERVING.faults()}
    assert set(names) == {*FAULTS, *KERNEL_FAULTS, *JUDGE_FAULTS, *everything().trials} | adapters | of_serving
    assert len(adapters) >= 26
    counts = Counter(fault.level.split()[0] for fault in all_faults())
    assert set(counts) == {
        "specification",
        "proof",
        "allocator",
        "device",
        "recorder",
        "kernel",
        "judge",
        "serving",
        "adapter",
    }
    assert counts["serving"] >= 53
    assert counts["judge"] >= 10


def test_every_fault_says_what_is_wrong_what_catches_it_and_whence_it_is() -> None:
    for fault in all_faults():
        assert fault.says
        assert fault.property
        if fault.level not in {"specification", "proof"}:
            assert fault.precedent, fault.name


def test_every_class_of_fault_that_the_field_has_had_is_seeded() -> None:
    names = {fault.name for fault in all_faults() if not fault.level.startswith("adapter")}
    assert len(CLASSES) == 23
    for kind, examples in CLASSES.items():
        assert examples, kind
        assert set(examples) <= names, kind


# ------------------------------------------------------------------------------------------------ faults of the judge


@pytest.mark.parametrize("name", JUDGE_FAULTS)
def test_a_touched_trace_shows_each_fault_of_the_judge_by_the_property_that_it_names(name: str) -> None:
    done = try_judge_fault(JUDGE_FAULTS[name])
    assert (done.verdict, done.caught_by) == ("caught", JUDGE_FAULTS[name].property)
    assert done.shrunk is not None
    assert done.shrunk <= LONGEST


def test_the_touched_traces_break_much_and_are_the_same_every_time() -> None:
    traces = touched_traces()
    broken = Counter(trace.check for trace in traces)
    assert len(traces) > 2_000
    assert broken[None] < len(traces) / 2
    assert len(set(broken) & {*INVARIANTS, *STEPS, *THEOREMS}) >= 12
    assert all(JUDGE_FAULTS[name].property in broken for name in JUDGE_FAULTS)


def test_a_fault_of_the_judge_that_changes_nothing_survives_and_one_that_cannot_be_made_is_invalid() -> None:
    def fault(apply: Any) -> Fault:
        return Fault("none", "Nothing is wrong.", "judge", "agreement", "none", apply)

    from contextlib import nullcontext

    assert try_judge_fault(fault(nullcontext)).verdict == "survived"
    assert try_judge_fault(fault(lambda: 1 / 0)).verdict == "invalid"


def test_no_fault_of_the_judge_is_tried_when_the_judge_objects_to_a_legal_trace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def objecting() -> Any:
        raise AssertionError("nobody touched it: line 3")

    monkeypatch.setattr(judged, "touched_traces", objecting)
    matrix = tried([fault for fault in all_faults() if fault.level == "judge"], SETTINGS)
    assert not matrix.holds
    assert matrix.rows == ()


# --------------------------------------------------------------------------------------------- what cannot be tried


def test_faults_of_an_adapter_whose_peer_is_not_here_are_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(name: str) -> Any:
        raise NoEnvironment("--target", name, f"the environment of {name} is not built", "`make peers` builds it")

    monkeypatch.setattr(peers, "found", nowhere)
    done = faults("--level", "adapter", "--json")
    assert done.exit_code == 3
    said = json.loads(done.stdout)
    assert said["holds"] is False
    assert set(said["verdicts"]) == {"not run"}
    assert len(said["faults"]) >= 26
    for fault in said["faults"]:
        assert fault["caught_by"] is None
        assert fault["problem"].endswith("is not built; `make peers` builds it")


def test_a_matrix_in_which_nothing_ran_or_the_unmodified_code_fails_does_not_hold() -> None:
    fault = Seeded("a", "device", "none", "content", "Nothing.")
    passed, failed = Baseline("it", "all"), Baseline("it", "", 0, "content", "seen")
    assert Matrix((passed,), (Row(fault, "caught", "content"),)).holds
    for baselines, verdicts in (
        ((), ()),
        ((passed,), ("not run",)),
        ((passed, failed), ("caught",)),
        ((passed,), ("caught", "survived")),
        ((passed,), ("caught", "invalid")),
        ((passed,), ("caught", "caught by another property")),
    ):
        rows = tuple(Row(fault, verdict) for verdict in verdicts)  # type: ignore[arg-type]  # they are verdicts
        assert not Matrix(baselines, rows).holds


# ------------------------------------------------------------------------------------------------------- the verb


def test_faults_of_several_sorts_are_tried_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "BASELINE_CALLS", 500)
    names = [
        "unshare.counts-down-twice",
        "admission/packs-a-page-too-few",
        "free-ignores-holders",
        "judge-forgets-the-gate",
    ]
    done = faults(*names, "--json")
    assert done.exit_code == 0
    said = json.loads(done.stdout)
    assert said["holds"] is True
    assert [fault["name"] for fault in said["faults"]] == names
    assert [fault["level"] for fault in said["faults"]] == ["specification", "proof", "allocator", "judge"]
    for fault in said["faults"]:
        assert (fault["verdict"], fault["caught_by"]) == ("caught", fault["property"])
        assert fault["shrunk"] <= LONGEST
    assert [passed["what"] for passed in said["baseline"]["passed"]] == [
        "the specification",
        "the allocator",
        "the judge",
    ]


def test_an_unknown_name_is_told_what_is_meant() -> None:
    done = faults("free-ignores-holder")
    assert done.exit_code == 2
    assert "did you mean free-ignores-holders" in done.stderr
    assert near("no-such-thing-at-all", {"a", "b"}) == []
    assert faults("--level", "cosmos").exit_code == 2
    assert faults("free-ignores-holders", "--level", "judge").exit_code == 2


def test_faults_are_listed_by_level() -> None:
    done = faults("--list", "--level", "recorder")
    assert done.exit_code == 0
    assert done.stdout.startswith("recorder (2)\nrecorder-omits-that-spans-grew\n    The trace does not say")
    assert "    caught by agreement, as in a trace that lies about a page\n" in done.stdout
    said = json.loads(faults("--list", "--json").stdout)
    assert len(said["faults"]) == len(all_faults())


def rows_of_all() -> Iterator[Row]:
    for number, fault in enumerate(all_faults()):
        verdict, by = (("caught", fault.property), ("survived", None), ("caught by another property", "content"))[
            number % 3
        ]
        yield Row(fault, verdict, by, 59_999, 123.456, 12, None)  # type: ignore[arg-type]  # it is a verdict


@pytest.mark.parametrize("width", [80, 100, 140])
def test_the_matrix_of_everything_fits_the_terminal(width: int, tmp_path: Path) -> None:
    from rich.console import Console

    matrix = Matrix((Baseline("the allocator", "20,000 judged calls", 20_000),), tuple(rows_of_all()))
    with (tmp_path / "out").open("w+") as file:
        console = Console(file=file, width=width)
        for part in report(matrix, console.width):
            console.print(part)
        file.seek(0)
        lines = file.read().splitlines()
    assert max(map(len, lines)) <= width
    text = "\n".join(lines)
    for level in levels():
        assert level in text
    # each figure stands whole in a line of its own fault
    assert text.count("59,999") == len(all_faults())
    assert ("sglang#35049" in text) == (width >= 120)
    assert json.loads(json.dumps(document(matrix)))["verdicts"]["caught"] == -(-len(all_faults()) // 3)


# -------------------------------------------------------------------------------------------------------- of serving


FILE = """
from tests.serving.seeded import fault

import pytest


@fault([], "same-logits", "none")
def _shown(patch):
    \"\"\"Something is wrong.\"\"\"


@fault([], "same-logits", "none")
def _not_shown(patch):
    \"\"\"Something else is wrong.\"\"\"


@fault([], "same-logits", "none")
def _forgotten(patch):
    \"\"\"Nobody tries it.\"\"\"


@pytest.mark.parametrize("name", ["shown", "not_shown"])
def test_a_fault_shows(name):
    assert name == "shown"


def test_nothing_shows_where_there_is_no_fault():
    assert {unmodified}
"""


def of_file(monkeypatch: pytest.MonkeyPatch, folder: Path, *, unmodified: bool = True) -> list[Baseline | Row]:
    """What comes of the faults of a file."""
    path = folder / "test_some_faults.py"
    path.write_text(FILE.replace("{unmodified}", str(unmodified)))
    monkeypatch.setattr(serving, "FOLDER", folder)
    return list(serving.SERVING.tried([fault.name for fault in serving.SERVING.faults()], SETTINGS))


def test_a_fault_of_serving_is_caught_only_if_its_test_saw_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    baseline, *rows = of_file(monkeypatch, tmp_path)
    assert isinstance(baseline, Baseline)
    assert baseline.property is None
    assert [(row.fault.name, row.verdict) for row in rows if isinstance(row, Row)] == [
        ("some/shown", "caught"),
        ("some/not-shown", "survived"),
        ("some/forgotten", "invalid"),
    ]


def test_no_fault_of_serving_is_tried_when_something_shows_without_one(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (baseline,) = of_file(monkeypatch, tmp_path, unmodified=False)
    assert isinstance(baseline, Baseline)
    assert baseline.property is not None
