"""One launch of a Triton kernel, as a value: what it would run can be looked at, or compiled without a device."""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Final

import torch

from impl.misuse import Misuse

MOST_PROGRAMS: Final = (1 << 31) - 1
"""What one launch can run; a limit of CUDA's."""


@dataclass(frozen=True, eq=False)
class Launch:
    """A kernel with everything that its launch needs.

    Attributes:
        kernel: decorated by `triton.jit`.
        programs: how many run; at least 1.
        on: the device that runs it.
        arguments: tensors and integers, in the kernel's order.
        constants: by name; a kernel is compiled anew for each value of them.
        warps: of a program; 32 threads each.
    """

    kernel: Any
    programs: int
    on: torch.device
    arguments: tuple[torch.Tensor | int, ...]
    constants: Mapping[str, int]
    warps: int

    def run(self) -> None:
        """Launch it on the current stream of its device; nothing is waited for.

        Raises:
            Misuse: it has more programs than a launch can run.
        """
        if self.programs > MOST_PROGRAMS:
            problem = f"one launch runs {MOST_PROGRAMS} at most"
            raise Misuse("programs", self.programs, problem, "give fewer pages or ids at a time")
        with torch.cuda.device(self.on) if self.on.type == "cuda" else nullcontext():
            self.kernel[(self.programs,)](*self.arguments, **self.constants, num_warps=self.warps)

    def compiled(self) -> Any:
        """What Triton compiles for it, for the device that its driver names; nothing runs."""
        return self.kernel.warmup(*self.arguments, grid=(self.programs,), **self.constants, num_warps=self.warps)
