"""The rows of docs/device-facts.md: `python -m tests.kernels.machine_code.facts` prints them anew."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import triton

from tests.kernels.machine_code.compiling import machine_code, without_device
from tests.kernels.machine_code.launches import LAUNCHES

DOCUMENT: Final = Path(__file__).parents[3] / "docs/device-facts.md"
_ROW: Final = re.compile(r"^\| (.+?) \| (.+?) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE)


@dataclass(frozen=True)
class FactRow:
    """One launch: its memory instructions, registers of a thread and their bound, bytes spilled and shared."""

    name: str
    accesses: str
    registers: int
    most_registers: int
    spilled: int
    shared: int

    def __str__(self) -> str:
        numbers = (self.registers, self.most_registers, self.spilled, self.shared)
        return f"| {self.name} | {self.accesses} | {' | '.join(map(str, numbers))} |"


@dataclass(frozen=True)
class Facts:
    """What the document states."""

    triton: str
    rows: tuple[FactRow, ...]


def stated() -> Facts:
    """The document's version of Triton, and its rows."""
    text = DOCUMENT.read_text()
    version = re.search(r"Triton (\d+\.\d+\.\d+)", text)
    assert version is not None
    rows = [FactRow(name, accesses, *map(int, numbers)) for name, accesses, *numbers in _ROW.findall(text)]
    return Facts(version[1], tuple(rows))


def compiled_rows() -> list[FactRow]:
    """The rows as they are compiled here."""
    rows = []
    for each in LAUNCHES:
        code = machine_code(each.make())
        accesses = ", ".join(f"{count} x `{name}`" for name, count in sorted(code.counts.items()))
        rows.append(FactRow(each.name, accesses, code.registers, each.registers, code.stack + code.local, code.shared))
    return rows


if __name__ == "__main__":
    with without_device():
        print(f"Triton {triton.__version__}", *compiled_rows(), sep="\n")
