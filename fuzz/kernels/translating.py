"""What is right of a translation, by its definition, one id at a time."""

import torch

from fuzz.kernels.agreeing import agree
from fuzz.kernels.lane import Lane
from impl.kernels.translation import translate

PAGES = 100
EXTREMES = (-1, -2, -300, -(1 << 31), (1 << 31) - 1)
FAR = (-(1 << 63), -(1 << 62), 1 << 62, (1 << 63) - 1, 1 << 31, 1 << 32)
"""Ids of 64 bits only."""


def check_translation(lane: Lane, page_tokens: int, dtype: torch.dtype, unmapped: int | None, count: int = 777) -> None:
    """Every id becomes what the definition says, those that no page has included."""
    drawn = torch.Generator().manual_seed(page_tokens)
    table = torch.randint(-2, 1 << 40, (PAGES,), generator=drawn)
    table[::7], table[3] = 0, -1
    end = PAGES * page_tokens
    extremes = [*EXTREMES, *(FAR if dtype is torch.int64 else ()), 0, end - 1, end, 3 * page_tokens]
    some = torch.randint(-2 * page_tokens, end + 2 * page_tokens, (count,), generator=drawn).tolist()
    asked = [*extremes, *some]
    got = translate(
        torch.tensor(asked, dtype=dtype, device=lane.device),
        table.to(lane.device),
        page_tokens,
        unmapped=unmapped,
        lane=lane.takes,
    )
    entries = table.tolist()
    agree("id number", got, [defined(one, entries, page_tokens, unmapped) for one in asked])


def defined(virtual: int, table: list[int], page_tokens: int, unmapped: int | None) -> int:
    """The physical id of a virtual one."""
    number, entry = divmod(virtual, page_tokens)
    page = table[number] if 0 <= number < len(table) else -1
    if page < 0:
        return entry if unmapped is None else unmapped
    return page * page_tokens + entry
