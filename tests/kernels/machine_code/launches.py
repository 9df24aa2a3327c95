"""The launches whose machine code is read, and what each may use."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import torch

from impl.kernels.grid import PageGrid
from impl.kernels.jitted import canaries, filling, moving, translating, updating
from impl.kernels.launch import Launch


@dataclass(frozen=True)
class Compiled:
    """A launch that is compiled, and the most that a thread of it may use.

    Attributes:
        name: as docs/device-facts.md has it.
        make: the launch, anew.
        registers: at most.
        wide: how many 128-bit loads and stores of the arena it has.
        others: its other memory instructions: those of ids, table entries and results.
    """

    name: str
    make: Callable[[], Launch]
    registers: int
    wide: tuple[int, int]
    others: dict[str, int]


def grid_of(page_bytes: int) -> PageGrid:
    """Three pages above an origin."""
    return PageGrid(torch.zeros(4112 + 3 * page_bytes, dtype=torch.uint8), 4112, page_bytes)


def _numbers(count: int, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    return torch.zeros(count, dtype=dtype)


def _move(page_bytes: int) -> Launch:
    return moving.launch(grid_of(page_bytes), _numbers(1), _numbers(1))


def _fill(page_bytes: int) -> Launch:
    return filling.launch(grid_of(page_bytes), _numbers(1), 0xFF)


def _canary(page_bytes: int) -> Launch:
    return canaries.fill_launch(grid_of(page_bytes), _numbers(1), _numbers(1), 5)


def _check(page_bytes: int) -> Launch:
    return canaries.check_launch(grid_of(page_bytes), _numbers(1), _numbers(1), 5, _numbers(2))


def _translate(dtype: torch.dtype, page_tokens: int, unmapped: int | None) -> Launch:
    return translating.launch(_numbers(1000, dtype), _numbers(5), page_tokens, _numbers(1000), unmapped)


def _update() -> Launch:
    return updating.launch(_numbers(5), _numbers(3), _numbers(3))


_INT32: Final = {"LDG.E": 4, "LDG.E.64": 4, "STG.E.64": 4}
_INT64: Final = {"LDG.E.64": 8, "STG.E.64": 4}

LAUNCHES: Final = (
    Compiled("move, 16 B pages", lambda: _move(16), 32, (1, 1), {"LDG.E.64": 2}),
    Compiled("move, 4 KiB pages", lambda: _move(4096), 64, (8, 8), {"LDG.E.64": 2}),
    Compiled("move, 64 KiB + 16 B pages", lambda: _move(65552), 64, (8, 8), {"LDG.E.64": 2}),
    Compiled("move, 2 MiB pages", lambda: _move(2 << 20), 64, (8, 8), {"LDG.E.64": 2}),
    Compiled("fill, 2 MiB pages", lambda: _fill(2 << 20), 48, (0, 8), {"LDG.E.64": 1}),
    Compiled("canary fill, 2 MiB pages", lambda: _canary(2 << 20), 64, (0, 8), {"LDG.E.64": 2}),
    Compiled("canary check, 2 MiB pages", lambda: _check(2 << 20), 96, (4, 0), {"LDG.E.64": 2, "STG.E.64": 2}),
    Compiled("translate, int32 slots", lambda: _translate(torch.int32, 1, -1), 40, (0, 0), _INT32),
    Compiled("translate, int64 slots", lambda: _translate(torch.int64, 1, -1), 40, (0, 0), _INT64),
    Compiled("translate, int32 ids, 48 tokens a page", lambda: _translate(torch.int32, 48, None), 40, (0, 0), _INT32),
    Compiled("translate, int64 ids, 64 tokens a page", lambda: _translate(torch.int64, 64, None), 40, (0, 0), _INT64),
    Compiled("update table", _update, 32, (0, 0), {"LDG.E.64": 2, "STG.E.64": 1}),
)
