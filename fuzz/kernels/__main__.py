"""`python -m fuzz.kernels FAULT...` with TRITON_INTERPRET=1: tries faults of kernels, and prints a line on each.

The first line says how the unmodified kernels pass the checks of these faults; if they do not, it is the last. A line
is a JSON object: the property that broke or null, what was seen then, launches until then; of a fault, seconds too.
The property is `crash` where a kernel did nothing but break.
"""

import json
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext
from typing import NamedTuple

import torch

from fuzz.interpreter.findings import Finding
from fuzz.interpreter.guard import guarded
from fuzz.kernels.agreeing import Disagreement
from fuzz.kernels.faults import CHECKS, KERNEL_FAULTS
from impl.kernels import lane as kernels


class Interpreted(NamedTuple):
    """The lane of the interpreter."""

    takes: kernels.Lane = "triton"
    device: torch.device = torch.device("cpu")


class Found(NamedTuple):
    """What a check found."""

    property: str | None
    problem: str | None
    launches: int


def main(names: Sequence[str]) -> None:
    """Check the unmodified kernels, then try each fault, and print what came of it."""
    if not kernels.INTERPRETED:
        sys.exit("set TRITON_INTERPRET=1, so that kernels are interpreted and watched")
    launches = 0
    for name in names:
        found = _checked(name, faulty=False)
        launches += found.launches
        if found.property is not None:
            _say(found._replace(problem=f"what should notice {name}: {found.problem}", launches=launches))
            return
    _say(Found(None, None, launches))
    for name in names:
        begun = time.monotonic()
        found = _checked(name, faulty=True)
        _say(found, seconds=time.monotonic() - begun)


def _checked(name: str, *, faulty: bool) -> Found:
    with KERNEL_FAULTS[name].apply() if faulty else nullcontext(), guarded() as watched:
        try:
            CHECKS[name](Interpreted())
        except Finding as finding:
            return Found(finding.property, str(finding), watched.launches)
        except Disagreement as disagreement:
            return Found("agreement", str(disagreement), watched.launches)
        except Exception as error:
            return Found("crash", f"{type(error).__name__}: {error}", watched.launches)
    return Found(None, None, watched.launches) if watched.accesses else Found("crash", "no kernel ran", 0)


def _say(found: Found, **more: float) -> None:
    print(json.dumps({**found._asdict(), **more}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
