"""A band's pages in an arena of bytes, as kernels address them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import torch

from impl.arithmetic.grid import pages_until
from impl.misuse import Misuse
from impl.numbers import is_integer

UNIT: Final = 16
"""Bytes; the widest access of a GPU thread. Pages begin and end at multiples of it."""
WORD: Final = 8
"""Bytes of an int64, of which a thread takes two at a time."""


@dataclass(frozen=True, eq=False)
class PageGrid:
    """Page p is bytes `origin + p * page_bytes` and up of an arena.

    Attributes:
        arena: flat uint8 tensor without gaps between its elements; its first byte is at a multiple of 16.
        origin: first byte of page 0, a multiple of 16.
        page_bytes: a positive multiple of 16.

    Raises:
        Misuse: one of them is anything else.
    """

    arena: torch.Tensor
    origin: int
    page_bytes: int

    def __post_init__(self) -> None:
        arena = self.arena
        if not isinstance(arena, torch.Tensor) or arena.dtype is not torch.uint8:
            found = arena.dtype if isinstance(arena, torch.Tensor) else type(arena)
            raise Misuse("arena", found, "an arena is bytes", "give a uint8 tensor")
        if arena.ndim != 1 or not arena.is_contiguous():
            shape = (tuple(arena.shape), arena.stride())
            raise Misuse("arena", shape, "(shape and strides) not one run of bytes", "give a flat contiguous tensor")
        if arena.data_ptr() % UNIT or arena.storage_offset() % UNIT:
            raise Misuse(
                "arena", hex(arena.data_ptr()), "its first byte is at no multiple of 16", "cut it at a multiple of 16"
            )
        _check_bytes("origin", self.origin, 0, "give a multiple of 16 from 0")
        _check_bytes("page_bytes", self.page_bytes, UNIT, "give a positive multiple of 16")
        if not self.limit > 0:
            problem = f"there is no whole page of {self.page_bytes} bytes above it in {arena.numel()} bytes"
            raise Misuse("origin", self.origin, problem, "give a lower one, or a larger arena")

    @cached_property
    def limit(self) -> int:
        """The page after the last that lies inside the arena."""
        return pages_until(self.origin, self.page_bytes, self.arena.numel())

    @cached_property
    def words(self) -> torch.Tensor:
        """The arena's bytes as a flat int64 tensor, without what is left over at its end."""
        return self.arena[: self.arena.numel() // WORD * WORD].view(torch.int64)

    @property
    def page_words(self) -> torch.Tensor:
        """Every page, in words: int64 [limit, page_bytes / 8] on the arena's own bytes."""
        size = self.page_bytes // WORD
        return self.words.as_strided((self.limit, size), (size, 1), self.words.storage_offset() + self.origin // WORD)

    @property
    def pages(self) -> torch.Tensor:
        """Every page, in bytes: uint8 [limit, page_bytes] on the arena's own bytes."""
        shape, strides = (self.limit, self.page_bytes), (self.page_bytes, 1)
        return self.arena.as_strided(shape, strides, self.arena.storage_offset() + self.origin)


def _check_bytes(field: str, value: int, least: int, remedy: str) -> None:
    if not is_integer(value):
        raise Misuse(field, value, "not an integer", remedy)
    if value < least or value % UNIT:
        raise Misuse(field, value, f"not a multiple of 16 from {least}", remedy)
