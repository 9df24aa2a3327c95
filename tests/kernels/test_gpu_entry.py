"""What drives the GPU's tests: refused without a GPU, and otherwise right in what it counts, compares and writes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from unittest.mock import patch

import pytest
import torch

from gpu_tests.allocator.checks import Check
from gpu_tests.kernels import bandwidth
from gpu_tests.kernels.bandwidth import WARMING, Amounts, rows
from gpu_tests.kernels.suite import Count
from gpu_tests.report import Report, table
from gpu_tests.surroundings import Surroundings, Work
from tests.kernels.lanes import ROOT

FEW = Amounts(
    bytes_moved=1 << 18, page_sizes=(1 << 16,), batches=(1, 2), many_ids=640, few_ids=(64,), repeats=3, rounds=4
)


def _seconds(work: Work) -> float:
    begun = perf_counter()
    work()
    return perf_counter() - begun


UNNEEDED = {"crosshair", "cvc5", "hypothesis", "jinja2", "jsonschema", "plotly", "ray", "rich", "typer", "xdist", "z3"}
"""What the project uses elsewhere, by the names under which it is imported."""

HOST = Surroundings(torch.device("cpu"), "twin", _seconds, lambda work: work)


def test_without_a_gpu_it_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "gpu.json"
    hidden = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, "-m", "gpu_tests", "--json", str(path)]
    done = subprocess.run(command, cwd=ROOT, env=hidden, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("gpu_tests: no GPU: torch finds no CUDA device")
    assert "carry the sources there" in done.stderr
    assert "make gpu GPU_PYTHON=PATH" in done.stderr
    assert not path.exists()


def test_it_needs_nothing_but_what_it_names() -> None:
    code = (
        "import sys; import gpu_tests.__main__, fuzz.kernels.moving, fuzz.kernels.canaries, fuzz.kernels.translating\n"
        "print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    imported = set(done.stdout.split())
    assert imported >= {"torch", "gpu_tests", "fuzz"}
    assert not imported & UNNEEDED


def test_each_amount_becomes_one_figure() -> None:
    measured = list(rows(HOST, FEW))
    assert [(row.name, row.nbytes) for row in measured] == [
        ("move 4 pages of 64 KiB, one launch", 2 << 18),
        ("move 1 pages of 64 KiB, replayed", 2 << 16),
        ("move 2 pages of 64 KiB, replayed", 4 << 16),
        ("translate 640 ids, one launch", 16 * 640),
        ("translate 64 ids, replayed", 16 * 64),
    ]


def test_figures_are_medians_of_rounds_in_which_kernel_and_copy_alternate() -> None:
    # the copy takes twice as long as the kernel in every round, and each round twice as long as the one before
    times = iter([2.0**number for number in range(2 * (WARMING + 3))])
    counted = Surroundings(HOST.device, "twin", lambda _: next(times), HOST.captured)
    row = next(rows(counted, Amounts(bytes_moved=1 << 18, page_sizes=(1 << 16,), rounds=3)))
    assert row.microseconds == 4.0 ** (WARMING + 1) * 1e6
    assert row.ratio == 2
    assert row.gigabytes == 2 * row.copy_gigabytes == (2 << 18) / 4.0 ** (WARMING + 1) / 1e9


@pytest.mark.parametrize(("broken", "words"), [("move_pages", "did not arrive"), ("translate", "translated wrongly")])
def test_what_is_wrong_is_not_measured(broken: str, words: str) -> None:
    honest = getattr(bandwidth, broken)

    def idle(*arguments: object, out: torch.Tensor | None = None, **named: object) -> object:
        return (
            honest(*arguments, **named) if named.get("lane") == "twin" and broken == "translate" and out is None else 0
        )

    with patch.object(bandwidth, broken, idle), pytest.raises(AssertionError, match=words):
        list(rows(HOST, FEW))


def test_a_report_says_the_same_as_text_and_as_json(tmp_path: Path) -> None:
    measured = tuple(rows(HOST, FEW))
    checks = (Check("a check", True, "3 things seen"), Check("another", False, "1 thing wrong"))
    report = Report("a device", Count(passed=7), checks, measured)
    lines = report.as_text().splitlines()
    assert lines[:3] == [
        "a device: 7 tests passed",
        "a check: holds; 3 things seen",
        "another: VIOLATED; 1 thing wrong",
    ]
    assert len(lines) == 4 + len(measured)
    assert len(set(map(len, lines[3:]))) == 1, "columns are aligned"
    path = tmp_path / "deep" / "gpu.json"
    report.write(path)
    read = json.loads(path.read_text())
    assert read["suite"] == {"passed": 7, "failed": [], "code": 0}
    assert [check["holds"] for check in read["checks"]] == [True, False]
    assert [row["name"] for row in read["rows"]] == [row.name for row in measured]


def test_an_empty_table_has_a_head() -> None:
    assert table(()) == "what  us  GB/s  copy GB/s  ratio  spread"


@pytest.mark.parametrize(
    ("outcomes", "holds"),
    [
        ([("setup", "passed"), ("call", "passed"), ("teardown", "passed")], True),
        ([], False),
        ([("setup", "skipped")], False),
        ([("setup", "passed"), ("call", "failed")], False),
        ([("setup", "passed"), ("call", "passed"), ("teardown", "failed")], False),
    ],
    ids=["passed", "empty", "skipped", "failed", "broken"],
)
def test_only_tests_that_were_executed_and_passed_count(outcomes: list[tuple[str, str]], holds: bool) -> None:
    count = Count()
    for when, outcome in outcomes:
        count.pytest_runtest_logreport(pytest.TestReport("a test", ("", 0, ""), {}, outcome, None, when))  # type: ignore[arg-type]  # literals
    assert count.holds == holds
