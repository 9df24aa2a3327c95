"""How fast pages are copied on the CPU, beside a plain copy of as many bytes."""

from collections.abc import Iterator
from functools import partial
from typing import Final

import torch

from bench.allocator.arenas import granted, layout_of
from bench.allocator.pace import Pace
from bench.rows import Beside, Figure, Row, measured
from bench.timing import seconds_of
from impl.allocator import Allocator

MOVED_BYTES: Final = 64 << 20
"""Copied in each round, more than caches hold."""
FULL: Final = 1


def rows(pace: Pace) -> Iterator[Row]:
    """Rows of page moves, beside a copy by torch in this process, in one thread."""
    for name, page_bytes in (("2 MiB", 2 << 20), ("64 KiB", 64 << 10)):
        figure = Figure(
            f"page moves on the CPU, one thread, {name}",
            "GB/s",
            True,
            f"`compact` moves {MOVED_BYTES >> 20} MiB in pages, bookkeeping included; torch copies as many bytes in "
            "one piece. Bytes moved, each read and written once.",
        )
        arena = Interleaved(page_bytes)
        plain = Beside(f"torch {torch.__version__}", partial(plain_copy, torch.ones(2, MOVED_BYTES, dtype=torch.uint8)))
        yield measured(figure, pace.rounds, arena.compacted, plain)


class Interleaved:
    """An arena in which, again and again, every second page is a hole."""

    def __init__(self, page_bytes: int) -> None:
        self._pages = MOVED_BYTES // page_bytes
        layout = layout_of(page_tokens=1, entry_bytes=page_bytes)
        self._allocator = Allocator(layout, (4 * self._pages + 2) * page_bytes)
        # memory that was never written is not yet there, and would be read for free
        self._allocator.view(layout.kind("full").rows[0]).fill_(1)

    def compacted(self) -> float:
        """Gigabytes moved per second by one compaction."""
        allocator, pages = self._allocator, self._pages
        ids = granted(allocator.allocate((0, 4 * pages))).ids[FULL]
        allocator.release(FULL, ids[::2])
        moved = 0

        def compact() -> None:
            nonlocal moved
            moved = allocator.compact(2 * MOVED_BYTES)

        took = seconds_of(compact)
        assert moved == MOVED_BYTES, f"{moved} bytes moved, not {MOVED_BYTES}"
        allocator.release(FULL, ids[1::2])
        return moved / took / 1e9


def plain_copy(source_and_target: torch.Tensor) -> float:
    """Gigabytes copied per second from one half of a tensor to the other."""
    source, target = source_and_target
    return int(source.nbytes) / seconds_of(partial(target.copy_, source)) / 1e9
