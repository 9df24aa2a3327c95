"""A change that breaks one guard of the allocator makes the gate exit 1, with the right property named."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.house.walls import ROOT

ROOMS = ("bandgap", "events", "fuzz", "impl", "properties", "spec")

BREAKS = {
    "a page that a ticket holds is reused": (
        "impl/steps.py",
        "held = holders.are_held(pages)",
        "held = holders.are_held(pages) & False",
        # which of the two breaks first depends on whether the page lies at a side of its span
        {"ledger-gated-reuse", "outside-is-free"},
    ),
    "a transfer is given what the stream still uses": (
        "impl/ledger.py",
        "harmless = READ if mode == READ else NONE",
        "harmless = WRITE",
        {"transfers-meet-nothing"},
    ),
}


def gate(tree: Path) -> tuple[int, dict[str, Any]]:
    """The seeded driver of a tree's gate, on one layout: its exit code and what it says."""
    done = subprocess.run(
        [sys.executable, "-m", "bandgap", "gate", "--quick", "--json", "--only", "driver/toy-three"],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, json.loads(done.stdout)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the source."""
    for room in ROOMS:
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


@pytest.mark.parametrize("name", BREAKS)
def test_a_broken_guard_is_found_and_named(name: str, tree: Path) -> None:
    file, guard, broken, expected = BREAKS[name]
    source = (tree / file).read_text()
    assert source.count(guard) == 1, f"{file} says it in another way now: break it anew"
    (tree / file).write_text(source.replace(guard, broken))
    code, said = gate(tree)
    assert code == 1
    assert said["answer"] == "violated"
    (violation,) = [violation for lane in said["lanes"] for violation in lane["violations"]]
    assert violation["check"] in expected
    assert violation["prose"]
    assert violation["code"]
    assert 0 < violation["calls"] <= 12

    again = [sys.executable, "-m", "bandgap", *violation["command"].split()[1:]]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    assert subprocess.run(again, cwd=tree, env=environment, capture_output=True, check=False).returncode == 1
