"""Compiling for an H200 on a machine that has none, and reading what came out."""

import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import torch
from triton import knobs
from triton.backends.compiler import GPUTarget
from triton.runtime import driver

from impl.kernels.launch import Launch

_ACCESS = re.compile(r"^\s+/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?((?:LD|ST|ATOM|RED)[\w.]*)", re.MULTILINE)
_OFFSET = re.compile(r"tt\.addptr [^:]*: [^,]*(?:<[^>]*>)?>?, (?:tensor<[0-9x]+x)?(i\d+)")
_USED = re.compile(r"\b(REG|STACK|LOCAL|SHARED):(\d+)")


class NoDevice:
    """What Triton's launches ask of a driver, answered for an H200 that is not there: compute capability 9.0."""

    def get_current_target(self) -> Any:
        return GPUTarget("cuda", 90, 32)

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: int) -> int:
        return 0

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cpu")


@contextmanager
def without_device() -> Iterator[None]:
    """Inside a `with` block launches are compiled for an H200, whatever this machine has."""
    # Triton's own way back asks for the driver of this machine, which may have none
    with patch.object(driver, "_active", NoDevice()):
        yield


@dataclass(frozen=True)
class MachineCode:
    """What a compiled launch is made of.

    Attributes:
        accesses: the memory instructions in their order, such as `LDG.E.128`.
        registers: of a thread.
        stack: bytes of a thread.
        local: bytes of a thread; registers that are spilled go there.
        shared: bytes of a program.
        offsets: the integer types that are added to pointers.
        asserts: whether it can fail an assertion.
    """

    accesses: tuple[str, ...]
    registers: int
    stack: int
    local: int
    shared: int
    offsets: frozenset[str]
    asserts: bool

    @property
    def counts(self) -> Counter[str]:
        """How many there are of each memory instruction."""
        return Counter(self.accesses)


def machine_code(launch: Launch) -> MachineCode:
    """Compile a launch as it would be compiled to run, and read the machine code."""
    made = launch.compiled()
    listing, usage = _disassembled(made.asm["cubin"])
    used = {name: int(number) for name, number in _USED.findall(usage)}
    accesses = tuple(each for each in _ACCESS.findall(listing) if not each.startswith(("LDC", "STS", "LDS")))
    assert accesses, "a listing without memory instructions was not understood"
    offsets = _OFFSET.findall(made.asm["ttir"])
    assert len(offsets) == made.asm["ttir"].count("tt.addptr"), "an address was not understood"
    return MachineCode(
        accesses,
        used["REG"],
        used["STACK"],
        used["LOCAL"],
        used["SHARED"],
        frozenset(offsets),
        "__assertfail" in made.asm["ptx"],
    )


@cache
def _disassembled(cubin: bytes) -> tuple[str, str]:
    """The instructions, and what they use."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(cubin)
        return (
            _output(knobs.nvidia.nvdisasm.path, "-c", str(path)),
            _output(knobs.nvidia.cuobjdump.path, "--dump-resource-usage", str(path)),
        )


def _output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
