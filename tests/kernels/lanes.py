"""The lanes: the twins in this process, and others in processes of their own, which are counted."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

import torch

if TYPE_CHECKING:  # it reads TRITON_INTERPRET when it is imported
    from impl.kernels import lane as kernels

ROOT: Final = Path(__file__).parents[2]


@dataclass(frozen=True)
class Lane:
    """What runs the kernels.

    Attributes:
        name: of the lane.
        takes: which body of a kernel.
        device: where its tensors are.
        collects: names in this directory whose tests belong to it.
    """

    name: str
    takes: "kernels.Lane"
    device: torch.device
    collects: frozenset[str]


_HOST = torch.device("cpu")
LANES: Final[Mapping[str, Lane]] = {
    lane.name: lane
    for lane in (
        Lane(
            "twin",
            "twin",
            _HOST,
            frozenset(
                {"suite", "test_faults.py", "test_gpu_entry.py", "test_lanes.py", "test_misuse.py", "test_twins.py"}
            ),
        ),
        Lane("interpreter", "triton", _HOST, frozenset({"suite", "interpreted"})),
        Lane("sm_90", "triton", _HOST, frozenset({"machine_code"})),
        Lane("cuda", "triton", torch.device("cuda"), frozenset({"suite"})),
    )
}


@dataclass(frozen=True)
class Outcome:
    """What became of a lane's tests.

    Attributes:
        passed: tests.
        others: tests that failed, broke or were skipped.
        code: pytest's exit code.
        output: what it printed.
    """

    passed: int
    others: int
    code: int
    output: str

    @property
    def holds(self) -> bool:
        """Whether every test of the lane was executed and passed, and there were any."""
        return self.code == 0 and self.passed > 0 and self.others == 0


def outcome_of(lane: str, folder: Path, *arguments: str, environment: Mapping[str, str] | None = None) -> Outcome:
    """Run a lane's tests in a process of their own.

    Args:
        lane: its name.
        folder: for what it leaves behind: the report, and whatever Triton compiles.
        arguments: more of pytest's.
        environment: variables beside those of this process.
    """
    report = folder / f"{lane}.xml"
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "TRITON_"))}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "tests/kernels", "--lane", lane, "-q", "--no-header", "--tb=short"),
            *("-p", "no:cacheprovider", f"--junitxml={report}", *arguments),
        ],
        cwd=ROOT,
        env={**inherited, "TRITON_CACHE_DIR": str(folder / "compiled"), **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    passed, others = _counted(report) if report.exists() else (0, 0)
    return Outcome(passed, others, done.returncode, done.stdout[-4000:] + done.stderr[-4000:])


def _counted(report: Path) -> tuple[int, int]:
    tests = list(ElementTree.parse(report).iter("testcase"))
    others = sum(any(child.tag in {"failure", "error", "skipped"} for child in test) for test in tests)
    return len(tests) - others, others
