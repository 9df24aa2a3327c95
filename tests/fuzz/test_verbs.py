import json
from pathlib import Path

import pytest

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.verbs import faults, fuzz, reproduce
from fuzz.coverage import Coverage
from fuzz.faults import trial
from fuzz.faults.all import FAULTS


def test_a_run_that_exercised_too_little_is_inconclusive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert fuzz.run(minutes=0.0001, folder=tmp_path, as_json=True) is Exit.INCONCLUSIVE
    document = json.loads(capsys.readouterr().out)
    assert document["failure"] is None
    assert "allocate: step 3 settling" in document["coverage"]["unexercised"]
    assert document["calls"] > 0


def test_what_breaks_is_printed_saved_and_can_be_made_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with FAULTS["free-ignores-holders"].apply():
        assert fuzz.run(minutes=0.5, folder=tmp_path) is Exit.VIOLATED
        printed = capsys.readouterr().out
        (saved,) = tmp_path.iterdir()
        assert reproduce.run(saved) is Exit.VIOLATED
    assert "outside-is-free breaks" in printed
    assert "a.release(" in printed
    assert reproduce.run(saved) is Exit.HOLDS


def test_an_unknown_target_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--target"):
        fuzz.run(target="nobody", folder=tmp_path)


def test_a_run_that_is_stopped_tells_what_it_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fuzz import seeded

    def stopped(*_: object, progress: object, **__: object) -> None:
        progress(seeded.Run(1, 1, 5, 7, 1.0, 1.0, Coverage(), None))  # type: ignore[operator]  # it is told
        raise KeyboardInterrupt

    monkeypatch.setattr(seeded, "run_seeded", stopped)
    assert fuzz.run(folder=tmp_path) is Exit.INCONCLUSIVE


def test_the_matrix_of_faults_is_a_document(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["recorder-swaps-two-pages", "free-ignores-holders"]
    monkeypatch.setattr(trial, "BASELINE_CALLS", 500)
    assert faults.run(names, as_json=True) is Exit.HOLDS
    document = json.loads(capsys.readouterr().out)
    assert document["holds"] is True
    assert document["baseline"]["property"] is None
    assert [fault["name"] for fault in document["faults"]] == names
    assert [fault["caught_by"] for fault in document["faults"]] == ["agreement", "outside-is-free"]
    assert all(fault["shrunk"] <= 12 and fault["seconds"] < 60 for fault in document["faults"])


def test_a_fault_that_survives_is_a_violation(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trial, "BASELINE_CALLS", 500)
    assert faults.run(["one-unpublish-opens-the-gate"], calls=1) is Exit.VIOLATED
    assert "survived" in capsys.readouterr().out


def test_an_unknown_fault_is_refused() -> None:
    with pytest.raises(UsageError, match="is no seeded fault"):
        faults.run(["nothing-like-it"])
