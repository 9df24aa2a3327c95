"""The workflow and the hooks that people copy do what they say."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]  # its stubs are a package of their own, for one call

from events import records as r
from events.trace import Writer
from tests.spec.situation import DONE, STATE, UNPUBLISH, header, snapshot

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / "docs" / "pipelines" / "github-actions.yml"
HOOK = ROOT / "docs" / "pipelines" / "pre-commit"


def steps() -> list[dict[str, Any]]:
    workflow = yaml.safe_load(WORKFLOW.read_text())
    # YAML reads the key `on` as a truth value
    assert set(workflow) == {"name", True, "permissions", "concurrency", "jobs"}
    (job,) = workflow["jobs"].values()
    found: list[dict[str, Any]] = job["steps"]
    return found


@pytest.fixture(scope="module", name="clone")
def _clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with the room of the specification as it is here, whose `bandgap` is the one of the clone."""
    folder = tmp_path_factory.mktemp("clone")
    for room in ("spec", "events", "bandgap", "properties", "impl", "fuzz", "bench", "crew", "replay"):
        if (ROOT / room).is_dir():
            shutil.copytree(ROOT / room, folder / room, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "spec.lock", folder)
    shutil.copy(ROOT / "pyproject.toml", folder)
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "all"]):
        git(folder, *arguments)
    (folder / ".git" / "hooks").mkdir(exist_ok=True)
    shutil.copy(HOOK, folder / ".git" / "hooks" / "pre-commit")
    shim = folder / ".git" / "bandgap"
    shim.write_text(f'#!/bin/sh\nPYTHONPATH={folder} exec {sys.executable} -m bandgap "$@"\n')
    shim.chmod(0o755)
    return folder


def git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    environment = {**os.environ, "BANDGAP": str(folder / ".git" / "bandgap")}
    return subprocess.run(
        ["git", *who, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def trace(path: Path, *records: Any) -> None:
    with path.open("wb") as file:
        writer = Writer(file)
        for record in (header(), snapshot(), *records):
            writer(record)
        writer.close()


LEGAL = (r.Drain(), DONE)
ILLEGAL = (*UNPUBLISH, r.Compact(100), r.Moved(STATE, [0], [2]))


# ------------------------------------------------------------------------------------------------------- workflow


def test_the_workflow_gates_shows_violations_and_keeps_the_report() -> None:
    used = [step["uses"].split("@")[0] for step in steps() if "uses" in step]
    assert used == [
        "actions/checkout",
        "actions/setup-python",
        "github/codeql-action/upload-sarif",
        "actions/upload-artifact",
    ]
    assert [step["name"] for step in steps() if "run" in step] == ["Install", "Gate"]
    # what comes after a red gate is done all the same
    assert all("always()" in step["if"] for step in steps()[-2:])


def test_the_gate_step_runs_writes_what_is_uploaded_and_its_exit_code_is_the_gates(tmp_path: Path) -> None:
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    (gate,) = [step for step in steps() if step.get("name") == "Gate"]
    environment = {**os.environ, "GATE_OPTIONS": "--quick --only lock"}
    # as a runner does it
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", gate["run"]],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3, done.stderr
    uploaded = next(step["with"]["sarif_file"] for step in steps() if "upload-sarif" in step.get("uses", ""))
    assert (tmp_path / uploaded).is_file()


# ---------------------------------------------------------------------------------------------------------- hooks


def test_the_git_hook_lets_a_legal_trace_in_and_an_illegal_one_not(clone: Path) -> None:
    trace(clone / "legal.trace", *LEGAL)
    git(clone, "add", "legal.trace")
    done = git(clone, "commit", "-q", "-m", "legal")
    assert done.returncode == 0, done.stderr
    trace(clone / "illegal.trace", *ILLEGAL)
    git(clone, "add", "illegal.trace")
    done = git(clone, "commit", "-q", "-m", "illegal")
    assert done.returncode == 1
    assert "illegal.trace: bandgap judge says 1" in done.stderr
    git(clone, "rm", "-q", "--cached", "illegal.trace")


def test_the_git_hook_refuses_a_weakened_specification_whose_lock_is_the_old_one(clone: Path) -> None:
    moving = clone / "spec" / "actions" / "moving.py"
    whole = moving.read_text()
    sentence = next(line for line in whole.splitlines(keepends=True) if "the target is not withheld" in line)
    moving.write_text(whole.replace(sentence, ""))
    git(clone, "add", "spec")
    done = git(clone, "commit", "-q", "-m", "weaker")
    assert done.returncode == 1
    assert "the specification and spec.lock do not fit" in done.stderr
    moving.write_text(whole + "\n# said more clearly\n")
    git(clone, "add", "spec")
    done = git(clone, "commit", "-q", "-m", "clearer")
    assert done.returncode == 0, done.stderr


def test_the_hooks_of_pre_commit_are_whole_and_judge_traces(clone: Path, tmp_path: Path) -> None:
    hooks = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    assert set(hooks) == {"bandgap-docs", "bandgap-lock", "bandgap-judge"}
    for hook in hooks.values():
        assert {"id", "name", "entry", "language", "files"} <= set(hook)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "bandgap").symlink_to(clone / ".git" / "bandgap")
    trace(tmp_path / "legal.trace", *LEGAL)
    trace(tmp_path / "illegal.trace", *ILLEGAL)
    assert hooked(hooks["bandgap-judge"], tmp_path, "legal.trace") == 0
    assert hooked(hooks["bandgap-judge"], tmp_path, "legal.trace", "illegal.trace") == 1


def hooked(hook: dict[str, Any], folder: Path, *files: str) -> int:
    """The exit code of a hook as pre-commit runs it: its entry is split like a shell's words, and files are added."""
    import shlex

    environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}
    command = [*shlex.split(hook["entry"]), *files]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False).returncode
