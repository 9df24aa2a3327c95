"""What was found, as one table and as JSON."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import torch
import triton

from gpu_tests.allocator.checks import Check
from gpu_tests.kernels.bandwidth import Row
from gpu_tests.kernels.suite import Count

_HEAD: Final = ("what", "us", "GB/s", "copy GB/s", "ratio", "spread")


@dataclass(frozen=True)
class Report:
    """The suite's outcome and the figures of one run on one GPU.

    Attributes:
        device: its name.
        suite: the tests.
        checks: of the allocator on streams.
        rows: the figures; none where a test failed, since what is wrong has no speed.
    """

    device: str
    suite: Count
    checks: tuple[Check, ...]
    rows: tuple[Row, ...]

    def as_text(self) -> str:
        """A line on the suite, one on each check, and the table."""
        failed = f", {len(self.suite.failed)} failed: {', '.join(self.suite.failed)}" if self.suite.failed else ""
        broken = f", pytest ended with {self.suite.code}" if self.suite.code and not self.suite.failed else ""
        lines = [f"{self.device}: {self.suite.passed} tests passed{failed}{broken}"]
        lines += [f"{check.name}: {'holds' if check.holds else 'VIOLATED'}; {check.said}" for check in self.checks]
        return "\n".join([*lines, table(self.rows)])

    def write(self, path: Path) -> None:
        """Everything as JSON, with versions and the time."""
        path.parent.mkdir(parents=True, exist_ok=True)
        said = {
            "device": self.device,
            "time": datetime.now(UTC).isoformat(timespec="seconds"),
            "versions": {"torch": str(torch.__version__), "cuda": torch.version.cuda, "triton": triton.__version__},
            "suite": {"passed": self.suite.passed, "failed": self.suite.failed, "code": self.suite.code},
            "checks": [asdict(check) for check in self.checks],
            "rows": [row.as_json() for row in self.rows],
        }
        path.write_text(json.dumps(said, indent=2) + "\n")


def table(rows: Sequence[Row]) -> str:
    """One line for each figure; GB/s are read plus written, and the ratio is to the copy of the same round."""
    lines = [
        _HEAD,
        *(
            (
                row.name,
                f"{row.microseconds:.1f}",
                f"{row.gigabytes:.1f}",
                f"{row.copy_gigabytes:.1f}",
                f"{row.ratio:.3f}",
                f"{row.spread:.1%}",
            )
            for row in rows
        ),
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([name.ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True))])
        for name, *cells in lines
    )
