"""What is right of canaries: the pattern by its definition, and checks that find whatever was changed."""

from collections.abc import Sequence
from struct import pack

import torch

from fuzz.kernels.agreeing import agree
from fuzz.kernels.arenas import bytes_of, ids, random_grid
from fuzz.kernels.lane import Lane
from impl.kernels.canaries import FIRST, WRONG, Canary, check_canary, fill_canary

CANARY = Canary(seed=20260730, band=2)
PAGES = [1, 4, 5]

_GOLDEN = 0x9E3779B97F4A7C15
_BITS = (1 << 64) - 1


def check_filled(lane: Lane, page_bytes: int, keys: list[int] | None = None) -> None:
    """Filled pages hold the pattern, and no other byte of the arena has changed."""
    grid = random_grid(lane, 48, page_bytes, 6, slack=9)
    expected = grid.arena.clone()
    for page, key in zip(PAGES, keys or PAGES, strict=True):
        begin = 48 + page * page_bytes
        expected[begin : begin + page_bytes] = torch.frombuffer(bytearray(pattern(key, page_bytes)), dtype=torch.uint8)
    fill_canary(grid, ids(lane, PAGES), CANARY, keys=_keys(lane, keys), lane=lane.takes)
    agree("byte", grid.arena, expected)


def check_found(lane: Lane, page_bytes: int, wrong: Sequence[int]) -> None:
    """Of three filled pages, the one of which these bytes were changed is wrong there, and the others are right."""
    grid = random_grid(lane, 16, page_bytes, 6)
    # filled by the definition, so that a check is not compared with what the same kernels have written
    for page in PAGES:
        bytes_of(grid, page).copy_(torch.frombuffer(bytearray(pattern(page, page_bytes)), dtype=torch.uint8))
    for offset in wrong:
        bytes_of(grid, PAGES[1])[offset] ^= 1 << offset % 8
    got = check_canary(grid, ids(lane, PAGES), CANARY, lane=lane.takes)
    right = [0, -1]
    expected = torch.tensor([right, [len(wrong), min(wrong)] if wrong else right, right])
    agree("result", got[:, [WRONG, FIRST]], expected)


def pattern(key: int, page_bytes: int) -> bytes:
    """The bytes of a page by the definition, in Python's unbounded integers."""
    begin = _mixed((CANARY.stream + key * _GOLDEN) & _BITS)
    words = (_mixed((begin + place * _GOLDEN) & _BITS) & 0xBFBFBFBFBFBFBFBF for place in range(page_bytes // 8))
    return b"".join(pack("<Q", word) for word in words)


def _mixed(value: int) -> int:
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & _BITS
    value = (value ^ value >> 27) * 0x94D049BB133111EB & _BITS
    return value ^ value >> 31


def _keys(lane: Lane, keys: list[int] | None) -> torch.Tensor | None:
    return None if keys is None else ids(lane, keys)
