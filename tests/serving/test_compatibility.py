"""What is said to go together was run together, and each run does what it says."""

import ast
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from bandgap.compatibility.runs import RUNS, Run
from impl.layout import DType, Layout, Lifetime, Stored
from impl.layout.chain import chain_of
from impl.serving.engine.tiny import PAGE_TOKENS, PATTERNS, tiny
from impl.serving.parallel.processes import Ranks
from tests.house.walls import ROOT
from tests.serving.ranked_together import on_ranks
from tests.serving.running import TOLERANCE, drive, furthest, room_for, serve, tasks
from tests.serving.together import Seen, together


@pytest.fixture(scope="module")
def two() -> Iterator[Ranks]:
    with Ranks(2) as ranks:
        yield ranks


@pytest.fixture(scope="module")
def four() -> Iterator[Ranks]:
    with Ranks(4) as ranks:
        yield ranks


RANKED = [run for run in RUNS if run.ranks and not run.shown_by]


@pytest.mark.parametrize("run", [run for run in RANKED if not run.in_grid], ids=lambda run: run.name)
def test_what_is_run_together_on_ranks_changes_no_logit_and_each_feature_does_something(two: Ranks, run: Run) -> None:
    all_did_something(run, two.results(on_ranks, run))


@pytest.mark.parametrize("run", [run for run in RANKED if run.in_grid], ids=lambda run: run.name)
def test_ranks_within_ranks_change_no_logit_and_each_feature_does_something(four: Ranks, run: Run) -> None:
    all_did_something(run, four.results(on_ranks, run))


def all_did_something(run: Run, found: list[Seen]) -> None:
    for seen in found:
        assert seen.furthest < TOLERANCE
        assert {feature for feature in run.features if not seen.times[feature]} == set()


@pytest.mark.parametrize("run", [run for run in RUNS if not run.ranks and not run.shown_by], ids=lambda run: run.name)
def test_what_is_run_together_changes_no_logit_and_each_feature_does_something(run: Run) -> None:
    seen = together(run)
    assert seen.furthest < TOLERANCE
    assert {feature for feature in run.features if not seen.times[feature]} == set()


def test_what_another_test_shows_is_there_and_names_its_models() -> None:
    elsewhere = [run for run in RUNS if run.shown_by]
    assert elsewhere
    for run in elsewhere:
        path, name = run.shown_by.split("::")
        text = (ROOT / path).read_text()
        assert name in {node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)}
        text += "".join(beside.read_text() for beside in taken_from(text))
        assert f'"{run.preset}"' in text or (run.preset in PATTERNS and "PATTERNS)" in text)


def taken_from(text: str) -> list[Path]:
    """The files beside a test of which it uses something."""
    modules = [node.module or "" for node in ast.parse(text).body if isinstance(node, ast.ImportFrom)]
    return [ROOT / f"{name.replace('.', '/')}.py" for name in modules if name.startswith("tests.serving.")]


def made_by_hand(*stored: Stored) -> Layout:
    """A layout that is read from no configuration."""
    return replace(tiny("gpt-oss-20b"), model="made by hand", kinds=chain_of(stored, PAGE_TOKENS))


LATENT = ("latent", (24,), DType.BF16, False)


def test_engine_and_allocator_serve_latent_rows_in_windows_though_no_layout_is_read_for_them() -> None:
    layout = made_by_hand(
        Stored(0, Lifetime.WINDOW, 10, *LATENT),
        Stored(1, Lifetime.FULL, None, *LATENT),
        Stored(2, Lifetime.WINDOW, 10, *LATENT),
    )
    asked = tasks(1, count=6)
    served = serve(layout, room_for(layout, 24), late=True)
    jobs = [served.engine.submit(task.prompt, task.new_tokens) for task in asked]
    drive(served, random.Random(2))
    assert furthest(layout, asked, jobs) < TOLERANCE
    assert served.engine.retractions > 0
