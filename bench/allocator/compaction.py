"""Compaction: choosing which pages to move where, and the tables afterwards."""

from collections.abc import Iterator
from typing import Final

from bench.allocator.arenas import filled, granted
from bench.allocator.pace import Pace
from bench.peers.process import PeerProcess
from bench.peers.seat import Seat
from bench.rows import Figure, Row, measured
from bench.timing import seconds_of
from impl.allocator import Allocator
from impl.numbers import Int64

PAGES: Final = 1_000_000
MOVES: Final = 8_192
FULL: Final = 1


def rows(pace: Pace, sglang: Seat) -> Iterator[Row]:
    """The row of compaction, beside SGLang's allocator."""
    figure = Figure(
        "compaction of 8,192 pages, index work, 1 million pages",
        "ms",
        False,
        "Half of the pages live, page size 1, holes spread over the half of the span away from the frontier. The pages "
        "themselves are copied too, but are small: 32 bytes here, 8 there.",
    )
    allocator, ids = filled(1, PAGES, 0.5)
    fragmented = Fragmented(allocator, ids)
    yield measured(figure, pace.rounds, fragmented.compacted, sglang.beside(_theirs))


class Fragmented:
    """An arena that gets the same holes again after each compaction."""

    def __init__(self, allocator: Allocator, ids: Int64) -> None:
        self._allocator, self._ids = allocator, ids

    def compacted(self) -> float:
        """Milliseconds for one compaction."""
        allocator, ids = self._allocator, self._ids
        # full attention grows downwards, so its frontier is at the low end
        high_half = allocator.translate(FULL, ids).argsort()[ids.size // 2 :]
        chosen = high_half[:: high_half.size // MOVES][:MOVES]
        allocator.release(FULL, ids[chosen])
        budget = MOVES * allocator.chain.bands[FULL].page_bytes
        moved = 0

        def compact() -> None:
            nonlocal moved
            moved = allocator.compact(budget)

        took = seconds_of(compact)
        assert moved == budget, f"{moved} bytes moved, not {budget}"
        ids[chosen] = granted(allocator.allocate((0, MOVES))).ids[FULL]
        return 1e3 * took


def _theirs(process: PeerProcess) -> float:
    return 1e3 * process.ask("compaction", page_size=1, pages=PAGES, moves=MOVES)
