"""The kernels' suite, executed on a GPU and counted."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]

ARGUMENTS: Final = (str(ROOT / "tests/kernels"), "--lane", "cuda", f"--rootdir={ROOT}", "-q", "-p", "no:cacheprovider")
"""What pytest is told, to run the suite on the GPU."""


@dataclass
class Count:
    """What became of the tests: a plugin of pytest's."""

    passed: int = 0
    failed: list[str] = field(default_factory=list)
    """Names of tests that failed, broke or were skipped: a skipped test has found nothing."""
    code: int = 0
    """How pytest ended: a run that broke off has reported no failure of what it left out."""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a test once: at its call, or wherever it failed."""
        if not report.passed:
            self.failed.append(report.nodeid)
        elif report.when == "call":
            self.passed += 1

    @property
    def holds(self) -> bool:
        """Whether tests were executed, to the end, and all of them passed."""
        return self.code == 0 and self.passed > 0 and not self.failed


def run_suite() -> Count:
    """Run tests/kernels on the GPU, in this process; the count of a run that pytest refuses is empty."""
    count = Count()
    count.code = int(pytest.main([*ARGUMENTS], plugins=[count]))
    return count
