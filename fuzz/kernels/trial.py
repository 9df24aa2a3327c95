"""Tries faults of kernels, in a process where they are interpreted and watched."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from fuzz.faults.trial import Trial, Verdict
from fuzz.kernels.faults import KERNEL_FAULTS

ROOT: Final = Path(__file__).parents[2]


@dataclass(frozen=True)
class Unmodified:
    """How the unmodified kernels did.

    Attributes:
        launches: that were watched, those up to a failure.
        property: that broke; None if none did.
        problem: what was seen then.
    """

    launches: int
    property: str | None = None
    problem: str | None = None


def try_kernels(names: Sequence[str]) -> Iterator[Unmodified | Trial]:
    """The checks of these faults on the unmodified kernels; if they pass, a trial of each fault in turn.

    Calls are launches. A check makes one or two, of which nothing can be left out.
    """
    # whether kernels are interpreted is decided before they are imported
    with subprocess.Popen(
        [sys.executable, "-m", "fuzz.kernels", *names],
        cwd=ROOT,
        env={**os.environ, "TRITON_INTERPRET": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        left = list(names)
        try:
            first = process.stdout.readline()
            if first:
                unmodified = Unmodified(**json.loads(first))
                yield unmodified
                if unmodified.property is not None:
                    return
            for line in process.stdout:
                yield _trial(left.pop(0), json.loads(line))
            for name in left:
                problem = f"the process of the interpreter ended before: {process.stderr.read()[-2000:]}"
                yield Trial(KERNEL_FAULTS[name], "invalid", problem=problem)
        finally:
            process.kill()


def _trial(name: str, found: Any) -> Trial:
    fault, by = KERNEL_FAULTS[name], found["property"]
    verdict: Verdict = "caught by another property"
    if by is None:
        verdict = "survived"
    elif by == "crash":
        verdict = "invalid"
    elif by == fault.property:
        verdict = "caught"
    shrunk = None if by in {None, "crash"} else found["launches"]
    problem = found["problem"] if verdict != "caught" else None
    return Trial(fault, verdict, by, found["launches"], found["seconds"], shrunk, None, problem)
