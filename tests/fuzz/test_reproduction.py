import json
from pathlib import Path
from typing import Any

import pytest
import torch

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.explaining import explain
from bandgap.reproducing import on_streams
from bandgap.verbs import reproduce
from fuzz.engine.kinds import KINDS
from fuzz.faults.all import FAULTS
from fuzz.pasted import pasted
from fuzz.reproduction import decoded, encoded, played_again
from fuzz.saving import BadFile
from fuzz.targets.own import OWN
from fuzz.violation import Violation
from tests.fuzz.found import EACH, JUDGED, SEEN_IN_BYTES, failure_under
from tests.gpu.at_once import HERE


@pytest.mark.parametrize("name", EACH)
def test_a_saved_failure_fails_again(name: str) -> None:
    failure = failure_under(name)
    found = decoded(encoded(failure))
    assert tuple(found.script) == failure.script
    assert found.built_setup().arena_bytes == failure.setup.arena_bytes
    assert found.built_setup().layout.kinds == failure.setup.layout.kinds
    with FAULTS[name].apply():
        played = played_again(found, OWN)
    assert played.violation is not None
    assert played.violation.property == failure.property
    assert played.records == failure.records
    assert played_again(found, OWN).violation is None


@pytest.mark.parametrize("name", EACH)
def test_leaving_out_any_call_makes_it_pass(name: str) -> None:
    failure = failure_under(name)
    found = decoded(encoded(failure))
    assert failure.reduced
    with FAULTS[name].apply():
        for place in range(len(failure.script)):
            shorter = [*failure.script[:place], *failure.script[place + 1 :]]
            again = played_again(type(found)(**{**_fields(found), "script": shorter}), OWN)
            assert again.violation is None or again.violation.property == "agreement"


def _fields(found: Any) -> dict[str, Any]:
    return {name: getattr(found, name) for name in found.__struct_fields__}


@pytest.mark.parametrize("name", EACH)
def test_the_pasted_code_fails_under_the_fault_and_passes_without(name: str) -> None:
    failure = failure_under(name)
    with FAULTS[name].apply():
        code = compile(pasted(failure, OWN), "pasted", "exec")
        with pytest.raises((AssertionError, Violation), match=failure.property):
            exec(code, {})
    exec(code, {})


def test_what_the_judge_found_is_pasted_as_the_allocators_own_interface() -> None:
    code = pasted(failure_under(JUDGED), OWN)
    assert "Allocator(layout" in code
    assert "fuzz" not in code
    assert "stage_for(TARGETS['bandgap']" in pasted(failure_under(SEEN_IN_BYTES), OWN)


def _saved(folder: Path, change: dict[str, Any]) -> Path:
    document = json.loads(encoded(failure_under(JUDGED)))
    path = folder / "failure.json"
    path.write_text(json.dumps({**document, **change}))
    return path


def test_the_verb_says_whether_it_still_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduce.run(_saved(tmp_path, {})) is Exit.VIOLATED
    assert "ledger-gated-reuse still breaks" in capsys.readouterr().out
    assert reproduce.run(_saved(tmp_path, {"fault": None})) is Exit.HOLDS
    assert "nothing breaks" in capsys.readouterr().out
    assert reproduce.run(_saved(tmp_path, {"property": "content"})) is Exit.HOLDS
    assert "content does not break any more; ledger-gated-reuse does instead" in capsys.readouterr().out
    assert reproduce.run(_saved(tmp_path, {}), as_json=True) is Exit.VIOLATED
    document = json.loads(capsys.readouterr().out)
    assert document["fails"] is True
    assert document["broken"] == "ledger-gated-reuse"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"version": 2}, "version 2"),
        ({"target": "nobody"}, "is not known"),
        ({"fault": "nothing-like-it"}, "is no seeded fault"),
        ({"script": [["explode"]]}, "explode"),
        ({"script": [["release", 0, [[0, "x"]]]]}, "Expected `int`"),
        ({"script": [["malformed", "nothing like it"]]}, "not known"),
        ({"surplus": 1}, "surplus"),
    ],
)
def test_a_bad_file_is_refused(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        reproduce.run(_saved(tmp_path, change))


def test_a_failure_shows_on_a_simulated_device_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert reproduce.run(_saved(tmp_path, {}), target="bandgap-simulated") is Exit.VIOLATED
    assert "ledger-gated-reuse still breaks" in capsys.readouterr().out
    assert reproduce.run(_saved(tmp_path, {"fault": None}), target="bandgap-simulated") is Exit.HOLDS


def test_a_failure_shows_on_streams_too() -> None:
    found = decoded(encoded(failure_under(JUDGED)))
    with FAULTS[JUDGED].apply():
        violation = on_streams(found, HERE)
    assert violation is not None
    assert violation.property == found.property
    assert on_streams(found, HERE) is None


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_its_streams_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no GPU"):
        reproduce.run(_saved(tmp_path, {}), target="bandgap-streams")


def test_a_target_that_does_not_promise_what_broke_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not promise admission-sound"):
        reproduce.run(_saved(tmp_path, {"property": "admission-sound"}), target="bandgap-simulated")
    with pytest.raises(UsageError, match="is not known here"):
        reproduce.run(_saved(tmp_path, {}), target="nobody")


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        reproduce.run(tmp_path / "nowhere.json")


@pytest.mark.parametrize(
    "change",
    [
        {"arena_bytes": 1 << 50},
        {"arena_bytes": 16},
        {"kinds": []},
        {"name": 7},
    ],
)
def test_a_setup_that_cannot_be_is_refused(change: dict[str, Any]) -> None:
    document = json.loads(encoded(failure_under(JUDGED)))
    document["setup"] |= change
    with pytest.raises(BadFile):
        decoded(json.dumps(document).encode())


@pytest.mark.parametrize(
    "change",
    [
        {"lifetime": "window"},
        {"window": 5},
        {"page_tokens": 0},
        {"rows": []},
        {"rows": [{"layer": 0, "part": "x", "shape": [1 << 24, 1 << 24], "dtype": "fp32"}]},
        {"rows": [{"layer": 0, "part": "x", "shape": [0], "dtype": "fp32"}]},
        {"rows": [{"layer": 0, "part": "x", "shape": [4], "dtype": "fp64"}]},
    ],
)
def test_a_kind_that_cannot_be_is_refused(change: dict[str, Any]) -> None:
    document = json.loads(encoded(failure_under(JUDGED)))
    assert document["setup"]["kinds"][0]["lifetime"] == "state"
    document["setup"]["kinds"][0] |= change
    with pytest.raises(BadFile):
        decoded(json.dumps(document).encode())


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"version": 1}'])
def test_what_is_no_file_of_ours_is_refused(data: bytes) -> None:
    with pytest.raises(BadFile):
        decoded(data)


@pytest.mark.parametrize("cut", [10, 200, -20])
def test_a_cut_file_is_refused(cut: int) -> None:
    with pytest.raises(BadFile):
        decoded(encoded(failure_under(JUDGED))[:cut])


def test_a_failure_says_which_operations_were_switched_off_when_it_was_found() -> None:
    failure = failure_under(JUDGED)
    assert failure.absent
    assert set(failure.absent) < KINDS.keys()
    assert decoded(encoded(failure)).absent == list(failure.absent)
    again = explain(failure, OWN, "here")
    assert again.absent == failure.absent
