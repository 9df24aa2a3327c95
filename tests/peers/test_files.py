"""Reproductions of other allocators' failures: written, read, and refused; and scripts made short."""

import json
import sys
from datetime import date
from pathlib import Path

import pytest

from bandgap.errors import UsageError
from bandgap.peers.known import read_known
from bandgap.verbs.gate import run as gate
from bandgap.verbs.reproduce import run as reproduce
from fuzz.peers.environments import NoEnvironment, found, is_peer
from fuzz.peers.hunting import Finding
from fuzz.peers.reproduction import decoded, encoded, is_reproduction, saved
from fuzz.peers.shrinking import Script, shrunk
from fuzz.saving import BadFile
from tests.peers.sample import ROOT

FINDING = Finding("small", "content", "a byte is wrong", (["alloc", "a", 1], ["free", "plain", [["a", 0]]]))


def test_a_file_says_what_was_found(tmp_path: Path) -> None:
    path = saved(FINDING, "vllm", "0.33.0", tmp_path)
    data = path.read_bytes()
    assert path.name.startswith("vllm-content-")
    assert is_reproduction(data)
    read = decoded(data)
    assert (read.target, read.version, read.setup, read.property) == ("vllm", "0.33.0", "small", "content")
    assert tuple(read.script) == FINDING.script


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("target", "../../driver.py"),
        ("target", "vllm==; rm"),
        ("format", "bandgap-peer-2"),
        ("script", [[1, 2]]),
        ("script", [[]]),
        ("script", "alloc"),
        ("module", "os"),
        ("setup", 3),
    ],
)
def test_a_file_that_says_something_else_is_refused(field: str, value: object) -> None:
    document = json.loads(encoded(FINDING, "vllm", "0.33.0"))
    document[field] = value
    with pytest.raises(BadFile):
        decoded(json.dumps(document).encode())


def test_the_findings_of_the_documents_can_be_read() -> None:
    files = sorted((ROOT / "docs/findings").glob("*.json"))
    assert len(files) == 5
    for path in files:
        read = decoded(path.read_bytes())
        assert read.fault is None
        assert f"{read.target}-{read.version}" in path.stem
        assert path.name in (ROOT / "docs/findings/README.md").read_text()
    assert [entry.target for entry in read_known(ROOT / "docs/findings/known.toml", date(2026, 12, 1))] == [
        "vllm==0.33.0"
    ]


def test_a_failure_of_an_unknown_target_needs_a_driver(tmp_path: Path) -> None:
    path = saved(FINDING, "mine", "1", tmp_path)
    with pytest.raises(UsageError, match="is not known here"):
        reproduce(path)


def test_a_missing_environment_says_what_builds_it(tmp_path: Path) -> None:
    with pytest.raises(NoEnvironment) as caught:
        found("sglang", root=tmp_path)
    assert caught.value.remedy == "`make peers` builds it (minutes, 2.2 GB for sglang), or give --python"


@pytest.mark.parametrize("version", ["../../elsewhere", "latest", "1/2", "1;x"])
def test_what_is_no_release_is_not_fetched(version: str, tmp_path: Path) -> None:
    (tmp_path / ".venv-vllm").mkdir()
    (tmp_path / ".venv-vllm/.ready").touch()
    with pytest.raises(NoEnvironment, match="is no release"):
        found(f"vllm=={version}", root=tmp_path)


def test_a_checkout_must_hold_the_package(tmp_path: Path) -> None:
    (tmp_path / ".venv-sglang").mkdir()
    (tmp_path / ".venv-sglang/.ready").touch()
    with pytest.raises(NoEnvironment, match="there is no package sglang in it"):
        found("sglang", checkout=tmp_path, root=tmp_path)
    (tmp_path / "python/sglang").mkdir(parents=True)
    (tmp_path / "python/sglang/__init__.py").touch()
    driven = found("sglang", checkout=tmp_path, root=tmp_path)
    assert driven.environment()["PYTHONPATH"].endswith(str(tmp_path / "python"))


@pytest.mark.parametrize("option", ["minutes", "path", "python", "known"])
def test_options_for_others_are_misused_for_our_own(option: str, tmp_path: Path) -> None:
    value = 1.0 if option == "minutes" else tmp_path
    with pytest.raises(UsageError, match="is for allocators of others"):
        gate(**{option: value, "out_folder": tmp_path})  # type: ignore[arg-type]  # each has its own type


def test_targets_of_others_are_known_by_their_names() -> None:
    assert [is_peer(name) for name in ("sglang", "vllm==0.33.0", "mine.py", "bandgap")] == [True, True, True, False]


@pytest.mark.parametrize(
    ("name", "meant"), [("vllm=0.33.0", "vllm"), ("SGLang", "sglang"), ("sglagn", "sglang"), ("bandgapp", "bandgap")]
)
def test_a_target_that_is_not_there_names_what_comes_near(name: str, meant: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"did you mean {meant}\\?"):
        gate(name, out_folder=tmp_path)


def test_a_release_and_another_way_to_say_what_is_driven_are_too_much(tmp_path: Path) -> None:
    with pytest.raises(NoEnvironment, match="says already what is driven") as caught:
        found("vllm==0.32.0", checkout=tmp_path, root=tmp_path)
    assert (caught.value.option, caught.value.remedy) == ("--path", "name vllm without a release")
    with pytest.raises(NoEnvironment, match="says already what is driven") as caught:
        found("vllm==0.32.0", python=Path(sys.executable), root=tmp_path)
    assert caught.value.option == "--python"


def test_a_peer_is_driven_in_a_python_that_was_named(tmp_path: Path) -> None:
    driven = found("vllm", python=Path(sys.executable), root=tmp_path)
    assert driven.python == Path(sys.executable)
    assert driven.checkout is None


def test_a_script_is_made_as_short_as_it_can_be() -> None:
    script: Script = (
        ["alloc", "a", 9],
        ["flush"],
        ["forward", [["a", 0], ["a", 5]], [["a", 2]]],
        ["decode", ["a", "b"]],
        ["land"],
    )

    def fails(calls: Script) -> bool:
        """It needs the page at 5 and an allocation of more than 5, and `b`."""
        names = {call[0]: call for call in calls}
        return (
            names.get("alloc", ["", "", 0])[2] > 5
            and ["a", 5] in names.get("forward", ["", []])[1]
            and "b" in names.get("decode", ["", []])[1]
        )

    shortest, done = shrunk(script, fails, 10.0)
    assert done
    assert shortest == (["alloc", "a", 6], ["forward", [["a", 5]], []], ["decode", ["b"]])
