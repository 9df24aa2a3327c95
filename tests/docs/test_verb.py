"""The verb: what it writes, what it finds out of date, and the lock."""

import json
import shutil
from pathlib import Path

import pytest

from bandgap.documents import writing
from bandgap.exits import Exit
from bandgap.lock.items import COVERED
from bandgap.verbs import docs
from tests.house.walls import ROOT


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of what is generated, with documents that are made in no time."""
    for top in COVERED:
        if (ROOT / top).is_dir():
            shutil.copytree(ROOT / top, tmp_path / top, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(writing, "ROOT", tmp_path)
    monkeypatch.setattr(writing, "DOCUMENTS", {"docs/semantics.md": lambda: "one\ntwo\n"})
    writing.write_documents(tmp_path)
    writing.write_lock(tmp_path)
    return tmp_path


def checked(capsys: pytest.CaptureFixture[str]) -> tuple[Exit, list[dict[str, str]]]:
    code = docs.run(check=True, as_json=True)
    said = json.loads(capsys.readouterr().out)
    assert said["current"] is (code is Exit.HOLDS)
    drifts: list[dict[str, str]] = said["drifts"]
    return code, drifts


def test_what_is_up_to_date_is_said_to_be(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(capsys) == (Exit.HOLDS, [])
    assert docs.run(check=True) is Exit.HOLDS
    assert "up to date" in capsys.readouterr().out


def test_a_changed_document_is_named_with_its_line_and_the_remedy(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tree / "docs/semantics.md").write_text("one\n2\n")
    problem = {"file": "docs/semantics.md", "problem": "is out of date from line 2 on", "remedy": "bandgap docs"}
    assert checked(capsys) == (Exit.VIOLATED, [problem])
    assert docs.run(check=True) is Exit.VIOLATED
    assert "docs/semantics.md is out of date from line 2 on; run bandgap docs" in capsys.readouterr().out
    (tree / "docs/semantics.md").unlink()
    assert checked(capsys)[1][0]["problem"] == "is missing"
    assert [path.name for path in writing.write_documents(tree)] == ["semantics.md"]
    assert writing.write_documents(tree) == ()
    assert checked(capsys)[0] is Exit.HOLDS


def test_a_changed_specification_is_in_the_lock_once_it_is_renewed(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tree / "spec/actions/pages.py"
    path.write_text(path.read_text().replace("s.refs[band, vid] > 1", "s.refs[band, vid] > 0", 1))
    code, (drift,) = checked(capsys)
    assert code is Exit.VIOLATED
    assert drift["file"] == "spec.lock"
    assert "changed guard unshare.another-reference-remains" in drift["problem"]
    assert drift["remedy"] == "bandgap docs --lock"
    assert docs.run(lock=True, as_json=True) is Exit.HOLDS
    assert json.loads(capsys.readouterr().out) == {"changes": ["changed guard unshare.another-reference-remains"]}
    assert checked(capsys)[0] is Exit.HOLDS
    assert docs.run(lock=True) is Exit.HOLDS
    assert "was up to date" in capsys.readouterr().out


def test_a_longer_text_differs_where_the_shorter_ends() -> None:
    assert writing._first_difference("one\n", "one\ntwo\n") == 2
    assert writing._first_difference("one\n", "one\n") is None


def test_without_the_generator_the_documents_are_written_and_the_exit_code_says_so(
    tree: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bandgap.documents.site.find_spec", lambda _: None)
    (tree / "docs/semantics.md").unlink()
    assert docs.run(as_json=True, site=tree / "site") is Exit.MISUSED
    said = json.loads(capsys.readouterr().out)
    assert said["written"] == [str(tree / "docs/semantics.md")]
    assert said["site"] is None
    assert "make docs" in said["problem"]
