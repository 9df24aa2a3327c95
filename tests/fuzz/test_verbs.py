import json
from pathlib import Path
from typing import Any

import pytest

from bandgap.campaigns.telling import NAMED
from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.verbs import faults, fuzz, reproduce
from fuzz.faults import trial


def _fuzz(folder: Path, **options: Any) -> Exit:
    return fuzz.run(**{"folder": folder / "campaign", "corpus": [str(folder / "corpus")], "unit_calls": 300, **options})


def test_a_campaign_that_exercised_too_little_is_inconclusive(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _fuzz(tmp_path, minutes=0.0001, as_json=True) is Exit.INCONCLUSIVE
    document = json.loads(capsys.readouterr().out)
    assert document["failures"] == []
    assert "call allocate: step 3 settling" in document["coverage"]["unexercised"]
    assert document["units"] == {"driver": 1}
    assert document["calls"] >= 300
    (reason,) = document["reasons"]
    rest = len(document["coverage"]["unexercised"]) - NAMED
    assert reason.endswith(f", and {rest} more")
    assert _fuzz(tmp_path, minutes=0.0001) is Exit.INCONCLUSIVE
    printed = capsys.readouterr().out
    assert "1 unit, " in printed
    assert len(printed.splitlines()) < 40


def test_what_breaks_is_printed_saved_and_can_be_made_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _fuzz(tmp_path, units=1, fault="free-ignores-holders") is Exit.VIOLATED
    printed = capsys.readouterr().out
    assert "outside-is-free breaks" in printed
    assert "a.release(" in printed
    (saved,) = (tmp_path / "campaign" / "failures").iterdir()
    assert reproduce.run(saved) is Exit.VIOLATED
    saved.write_text(saved.read_text().replace('"fault": "free-ignores-holders"', '"fault": null'))
    assert reproduce.run(saved) is Exit.HOLDS


def test_a_fault_that_is_not_caught_is_no_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _fuzz(tmp_path, units=1, fault="settling-holds-nothing-back", as_json=True) is Exit.MISUSED
    reasons = json.loads(capsys.readouterr().out)["reasons"]
    assert reasons[0] == "the seeded fault settling-holds-nothing-back was not caught"


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"target": "nobody"}, "--target"),
        ({"fault": "nothing-like-it"}, "--fault"),
        ({"engine": "steam"}, "--engine"),
        ({"address": "10.0.0.1:6379"}, "--address"),
        ({"corpus": ["ftp://somewhere"]}, "--corpus"),
        ({"corpus": ["github:nobody"]}, "--corpus"),
        ({"corpus": ["redis://127.0.0.1:1"]}, "--corpus"),
        ({"resume": Path("nowhere")}, "--resume"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, options: dict[str, Any], field: str) -> None:
    with pytest.raises(UsageError) as refused:
        _fuzz(tmp_path, units=1, **options)
    assert refused.value.field == field


def test_a_folder_without_a_campaign_cannot_be_gone_on_with(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="has no campaign"):
        fuzz.run(resume=tmp_path)
    with pytest.raises(UsageError, match="leave it out"):
        fuzz.run(resume=tmp_path, seed=2)


def test_the_matrix_of_faults_is_a_document(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["free-ignores-holders", "recorder-swaps-two-pages"]
    monkeypatch.setattr(trial, "BASELINE_CALLS", 500)
    assert faults.run(names, as_json=True) is Exit.HOLDS
    document = json.loads(capsys.readouterr().out)
    assert document["holds"] is True
    assert document["baseline"]["property"] is None
    assert [fault["name"] for fault in document["faults"]] == names
    assert [fault["caught_by"] for fault in document["faults"]] == ["outside-is-free", "agreement"]
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
