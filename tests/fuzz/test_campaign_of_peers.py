"""Campaigns about another's allocator: what is known of it is excused, and what is driven is part of the campaign."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from bandgap.cli import app
from fuzz.campaign.plan import code_now
from tests.peers.sample import example

KNOWN = """
[[finding]]
target = "two_bands"
property = "{broken}"
owner = "cache team"
reason = "known to them"
expires = 2099-01-31
"""


def fuzz(*arguments: object) -> tuple[int, str, str]:
    """The command."""
    done = CliRunner(env={"COLUMNS": "100"}).invoke(app, ["fuzz", *map(str, arguments)])
    return done.exit_code, done.stdout, done.stderr


@pytest.fixture
def asked(tmp_path: Path) -> Callable[..., tuple[int, dict[str, Any]]]:
    """Makes a small campaign about the example with a fault in it: exit code and document."""
    driver = example(tmp_path, old="strict=True)) > ARENA_BYTES:", new="strict=True)) > ARENA_BYTES + 64:")
    where = ("--out", tmp_path / "campaign", "--corpus", tmp_path / "corpus", "--unit-calls", 200, "--units", 2)

    def run(*more: object) -> tuple[int, dict[str, Any]]:
        code, out, _ = fuzz("--target", driver, *where, "--json", *more)
        return code, json.loads(out)

    return run


def known(folder: Path, *broken: str, last_day: str = "2099-01-31") -> Path:
    path = folder / "known.toml"
    path.write_text("".join(KNOWN.format(broken=each) for each in broken).replace("2099-01-31", last_day))
    return path


def test_what_is_known_is_counted_and_excused_and_anything_else_is_found(
    asked: Callable[..., tuple[int, dict[str, Any]]], tmp_path: Path
) -> None:
    code, document = asked()
    assert (code, document["verdict"]) == (1, "violated")
    broken = sorted({each["property"] for each in document["failures"]})
    assert "band-order" in broken
    assert {each["excused_by"] for each in document["failures"]} == {None}
    # the same campaign again, of which nothing is left to be done
    code, excused = asked("--known", known(tmp_path, *broken))
    assert (code, excused["verdict"], excused["calls"]) == (0, "holds", document["calls"])
    assert {each["excused_by"] for each in excused["failures"]} == {"cache team"}
    assert [each["times"] for each in excused["failures"]] == [each["times"] for each in document["failures"]]
    others = [each for each in broken if each != "band-order"]
    code, rest = asked("--known", known(tmp_path, *others, "hang"))
    assert code == 1
    assert {each["excused_by"] for each in rest["failures"] if each["property"] == "band-order"} == {None}


def test_an_answer_says_who_excuses_and_how_it_goes_on_and_is_made_again(
    asked: Callable[..., tuple[int, dict[str, Any]]], tmp_path: Path
) -> None:
    asked("--python", sys.executable)
    listed = known(tmp_path, "band-order")
    code, out, _ = fuzz("--resume", tmp_path / "campaign", "--known", listed)
    assert "known: cache team until 2099-01-31: known to them" in out
    assert f"Go on: bandgap fuzz --resume {tmp_path / 'campaign'} --known {listed}\n" in out
    assert f"--target {tmp_path / 'two_bands.py'} --python {sys.executable}\n" in out
    again = next(line for line in out.splitlines() if line.startswith("Again: bandgap reproduce"))
    done = CliRunner().invoke(app, again.removeprefix("Again: bandgap ").split())
    assert (done.exit_code, "still breaks" in done.stdout) == (1, True)
    assert code in {0, 1}  # whether it breaks something else too is no matter here


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--known", "none.toml"], "--known = 'none.toml': cannot be read"),
        (["--known", "over.toml"], "was the last day on which cache team excused band-order of two_bands"),
        (["--known", "wrong.toml"], "is no property that can break in two_bands; did you mean band-order?"),
        (["--path", "."], "--path = '.': is for sglang and vllm; a driver imports what it drives"),
        (["--python", "/nope"], "--python = '/nope': is no program that can be run"),
        (["--python", "/bin/false"], "gave no answer: its process ended with exit code 1"),
        (["--target", "none.py"], "--target = 'none.py': there is no such file"),
        (["--target", "bandgap", "--known", "over.toml"], "--known = 'over.toml': is for allocators of others"),
        (["--target", "bandgap", "--path", "."], "--path = '.': is for allocators of others; name one with --target"),
        (["--target", "bandgap-simulated", "--python", "x"], "--python = 'x': is for allocators of others"),
        (["--target", "sglang", "--path", "empty"], "there is no package sglang in it"),
    ],
)
def test_what_cannot_be_is_told_as_the_gate_tells_it(
    arguments: list[str], problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    example(tmp_path)
    (tmp_path / "empty").mkdir()
    known(tmp_path, "band-order", last_day="2020-01-31").rename("over.toml")
    known(tmp_path, "band-orders").rename("wrong.toml")
    target = () if "--target" in arguments else ("--target", "two_bands.py")
    code, out, err = fuzz(*target, "--units", 1, "--out", "campaign", *arguments)
    assert (code, out) == (2, "")
    assert problem in err, err
    assert not (tmp_path / "campaign").exists()


def test_what_is_driven_is_part_of_the_campaign(
    asked: Callable[..., tuple[int, dict[str, Any]]], tmp_path: Path
) -> None:
    asked("--units", "1")
    folder = tmp_path / "campaign"
    for option in ("--path", "--python"):
        code, _, err = fuzz("--resume", folder, option, sys.executable)
        assert (code, f"{option} = " in err, "is what the campaign to go on with says" in err) == (2, True, True)
    code, said = asked("--python", sys.executable)
    assert (code, said["error"]["problem"]) == (2, f"holds a campaign with python None, not {sys.executable}")
    (tmp_path / "two_bands.py").unlink()
    code, _, err = fuzz("--resume", folder)
    assert (code, "two_bands.py, which cannot be read" in err) == (2, True)


def test_a_campaign_knows_the_checkout_that_it_is_about(tmp_path: Path) -> None:
    package = tmp_path / "one" / "python" / "sglang"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    another = tmp_path / "another" / "sglang"
    another.mkdir(parents=True)
    (another / "__init__.py").write_text("A = 1\n")
    codes = {code_now("sglang", str(tmp_path / each), sys.executable) for each in ("one", "another")}
    assert len(codes) == 2


def _python(folder: Path, releases: str) -> Path:
    """An interpreter that says of itself that these are installed in it."""
    python = folder / "python"
    python.write_text(f'#!/bin/sh\n[ "$1" = -c ] && echo "{releases}" || exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    return python


def test_a_campaign_is_not_gone_on_with_once_another_release_is_installed(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    driver, python = example(tmp_path), _python(tmp_path / "own", "peer==1.0")

    def said(*arguments: object) -> tuple[int, dict[str, Any]]:
        # what is installed is looked at once a process
        command = [sys.executable, "-m", "bandgap", "fuzz", "--json", *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, json.loads(done.stdout)

    campaign = tmp_path / "campaign"
    small = ("--units", 1, "--unit-calls", 100, "--corpus", tmp_path / "corpus", "--out", campaign)
    assert said("--target", driver, "--python", python, *small)[1]["units"] == {"peer": 1}
    assert said("--resume", campaign)[1].get("units") == {"peer": 1}
    _python(tmp_path / "own", "peer==1.1")
    code, document = said("--resume", campaign)
    assert code == 2
    assert "other releases were installed" in document["error"]["problem"]


def test_an_interpreter_that_cannot_be_started_is_told(
    asked: Callable[..., tuple[int, dict[str, Any]]], tmp_path: Path
) -> None:
    (tmp_path / "python").write_bytes(b"\x7fELF nonsense")
    (tmp_path / "python").chmod(0o755)
    code, said = asked("--python", tmp_path / "python")
    assert (code, said["error"]["field"]) == (2, "--python")
    assert "does not say what is installed in it" in said["error"]["problem"]
