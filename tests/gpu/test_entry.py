"""What a run on a GPU comes to, with what would run there stood in for: it holds only if everything does."""

import json
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from unittest.mock import patch

import pytest
import torch

from gpu_tests import __main__ as entry
from gpu_tests.allocator import place
from gpu_tests.allocator.checks import Check
from gpu_tests.kernels.bandwidth import Row
from gpu_tests.kernels.suite import ROOT, Count, run_suite
from gpu_tests.surroundings import Surroundings

GOOD, BAD = Check("a check", True, "fine"), Check("another", False, "broken")
ROW = Row("move", 1, 1.0, 1.0, 1.0, 1.0, 0.0)
HERE = Surroundings(torch.device("cpu"), "twin", lambda _: 1.0, lambda work: work)


@pytest.mark.parametrize(
    ("count", "checks", "sanitized", "code"),
    [
        (Count(3), (GOOD, GOOD), None, 0),
        (Count(3), (GOOD,), GOOD, 0),
        (Count(3, ["a test"]), (GOOD,), None, 1),
        (Count(3, code=3), (GOOD,), None, 1),
        (Count(3), (GOOD, BAD), None, 1),
        (Count(3), (BAD, GOOD), None, 1),
        (Count(3), (GOOD,), BAD, 1),
        (Count(0), (GOOD,), GOOD, 2),
    ],
    ids=["all", "sanitized", "failed", "broken off", "last", "first", "sanitizer", "empty"],
)
def test_it_holds_only_if_everything_does_and_measures_only_then(
    count: Count, checks: Sequence[Check], sanitized: Check | None, code: int, tmp_path: Path
) -> None:
    path = tmp_path / "gpu.json"
    with (
        patch.object(entry, "gpu", lambda: HERE),
        patch.object(entry, "run_suite", lambda: count),
        patch.object(entry, "checks", lambda _: iter(checks)),
        patch.object(entry, "check_memory", lambda: sanitized),
        patch.object(entry, "rows", lambda *_: iter([ROW])),
        patch.object(torch.cuda, "get_device_name", lambda _: "a device"),
        patch("sys.argv", ["gpu_tests", "--json", str(path)]),
    ):
        assert entry.main() == code
    said = json.loads(path.read_text())
    assert len(said["rows"]) == (code == 0)
    assert [check["holds"] for check in said["checks"]] == [
        check.holds for check in (*checks, *([] if sanitized is None else [sanitized]))
    ]


@pytest.mark.parametrize("code", [0, 3])
def test_the_suite_is_that_of_the_kernels_in_the_lane_of_the_gpu(code: int) -> None:
    asked: list[list[str]] = []

    def pretend(arguments: list[str], plugins: Sequence[Count]) -> pytest.ExitCode:
        asked.append(arguments)
        plugins[0].passed = 5
        return pytest.ExitCode(code)

    with patch("pytest.main", pretend):
        count = run_suite()
    assert asked[0][:3] == [str(ROOT / "tests/kernels"), "--lane", "cuda"]
    assert (ROOT / "tests/kernels/suite").is_dir()
    assert (count.passed, count.code) == (5, code)
    assert count.holds == (code == 0)


def test_waiting_is_an_error_where_the_host_may_not_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    modes: list[object] = ["as before"]
    monkeypatch.setattr(torch.cuda, "get_sync_debug_mode", lambda: modes[-1])
    monkeypatch.setattr(torch.cuda, "set_sync_debug_mode", modes.append)
    unwaiting: Callable[[], AbstractContextManager[None]] = place.on(HERE).unwaiting
    with unwaiting():
        inside = modes[-1]
    assert (inside, modes[-1]) == ("error", "as before")
    with pytest.raises(ValueError, match="of its own"), unwaiting():
        raise ValueError("of its own")
    assert modes == ["as before", "error", "as before", "error", "as before"]
