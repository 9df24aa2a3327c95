"""The kernels' suite under NVIDIA's compute-sanitizer, where that is installed."""

import shutil
import subprocess
import sys
from typing import Final

from gpu_tests.allocator.checks import Check
from gpu_tests.kernels.suite import ARGUMENTS, ROOT

TOOL: Final = "compute-sanitizer"
SECONDS: Final = 120
"""The most that it may take; it slows kernels down by a factor of ten and more."""


def check_memory(tool: str = TOOL) -> Check | None:
    """Whether page moves and translations touch only what is theirs, by the sanitizer; None where there is none."""
    found = shutil.which(tool)
    if found is None:
        return None
    suite = [sys.executable, "-m", "pytest", *ARGUMENTS, "-k", "moves or translation"]
    command = [found, "--tool", "memcheck", "--error-exitcode", "9", *suite]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return Check(TOOL, False, f"not done after {SECONDS} s")
    lines = (done.stdout + done.stderr).strip().splitlines()
    return Check(TOOL, done.returncode == 0, lines[-1] if lines else f"exit code {done.returncode}")
