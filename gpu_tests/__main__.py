"""`python -m gpu_tests [--json FILE]`: exit code 0 holds, 1 violated, 2 no GPU or nothing was executed."""

import argparse
import sys
from pathlib import Path
from typing import Final

import torch

from gpu_tests.allocator.checks import checks
from gpu_tests.allocator.place import on
from gpu_tests.kernels.bandwidth import Amounts, rows
from gpu_tests.kernels.suite import run_suite
from gpu_tests.report import Report
from gpu_tests.sanitizer import check_memory
from gpu_tests.surroundings import NoGpu, gpu

DEFAULT: Final = Path(".bandgap/gpu.json")


def main() -> int:
    """Run the suite and the allocator's checks, and measure if they hold."""
    parser = argparse.ArgumentParser(prog="python -m gpu_tests", description="The checks that need a GPU, and figures.")
    parser.add_argument("--json", type=Path, default=DEFAULT, metavar="FILE", help=f"where figures go; {DEFAULT}")
    path: Path = parser.parse_args().json
    try:
        here = gpu()
    except NoGpu as error:
        print(f"gpu_tests: {error}", file=sys.stderr)
        return 2
    suite = run_suite()
    sanitized = check_memory()
    done = (*checks(on(here)), *(() if sanitized is None else (sanitized,)))
    holds = suite.holds and all(check.holds for check in done)
    measured = tuple(rows(here, Amounts())) if holds else ()
    report = Report(torch.cuda.get_device_name(here.device), suite, done, measured)
    print(report.as_text())
    report.write(path)
    if not suite.passed and not suite.failed:
        print("gpu_tests: no test was executed", file=sys.stderr)
        return 2
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
