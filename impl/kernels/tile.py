"""How much of a page one program takes."""

from dataclasses import dataclass
from typing import Final

from impl.arithmetic.grid import ceil_div
from impl.kernels.grid import UNIT, WORD, PageGrid

WIDEST: Final = 2048
"""Words; a thread of four warps then has eight accesses of 16 bytes under way."""
NARROWEST: Final = 64
"""Words; one access of 16 bytes for each thread of one warp."""
WARP_WORDS: Final = 512
"""Words that each warp takes at most."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A program's share of a page.

    Attributes:
        words: of 8 bytes; a power of two, since kernels are compiled for each.
        warps: that share them.
        units: of 16 bytes in a page, the last share's rest included.
        per_page: programs that a page takes.
    """

    words: int
    warps: int
    units: int
    per_page: int


def tile_for(grid: PageGrid) -> Tile:
    """The same tile for the same page size, so that no kernel is compiled anew while requests are served."""
    page_words = grid.page_bytes // WORD
    words = min(WIDEST, max(NARROWEST, 1 << (page_words - 1).bit_length()))
    return Tile(words, ceil_div(words, WARP_WORDS), grid.page_bytes // UNIT, ceil_div(page_words, words))
