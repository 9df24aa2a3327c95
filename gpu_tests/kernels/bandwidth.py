"""How fast kernels are beside a copy from device to device in the same run.

Rounds alternate between kernel and copy, so that a clock that drifts is the same for both. What is measured is checked
in the same run.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from statistics import median, quantiles
from typing import Any, Final

import torch

from gpu_tests.surroundings import Surroundings, Work
from impl.kernels.grid import PageGrid
from impl.kernels.moves import move_pages
from impl.kernels.translation import translate

WARMING: Final = 3
"""Rounds before those that count."""


@dataclass(frozen=True)
class Amounts:
    """How much is measured.

    Attributes:
        bytes_moved: in large batches.
        page_sizes: bytes.
        batches: pages of the small batches.
        many_ids: in a large translation.
        few_ids: in the small ones.
        repeats: launches in one replay of a small batch.
        rounds: that count.
    """

    bytes_moved: int = 1 << 30
    page_sizes: tuple[int, ...] = (2 << 20, 64 << 10)
    batches: tuple[int, ...] = (1, 8, 64)
    many_ids: int = 1 << 26
    few_ids: tuple[int, ...] = (256, 8192)
    repeats: int = 64
    rounds: int = 30


@dataclass(frozen=True)
class Row:
    """One figure.

    Attributes:
        name: of what is measured.
        nbytes: read and written by one launch.
        microseconds: of one launch, the median.
        gigabytes: read and written per second, the median.
        copy_gigabytes: the same of the copy.
        ratio: of kernel to copy, the median of the rounds' ratios.
        spread: between the quartiles of the kernel's times, as a share of their median.
    """

    name: str
    nbytes: int
    microseconds: float
    gigabytes: float
    copy_gigabytes: float
    ratio: float
    spread: float

    def as_json(self) -> dict[str, Any]:
        """The figures by name."""
        return asdict(self)


def rows(here: Surroundings, amounts: Amounts) -> Iterator[Row]:
    """Moves, then translations: large ones as they are, small ones as a replayed graph."""
    for page_bytes in amounts.page_sizes:
        count = amounts.bytes_moved // page_bytes
        yield _moves(here, page_bytes, count, 1, amounts.rounds, replayed=False)
    for page_bytes in amounts.page_sizes:
        for count in amounts.batches:
            yield _moves(here, page_bytes, count, amounts.repeats, amounts.rounds, replayed=True)
    yield _translation(here, amounts.many_ids, 1, amounts.rounds, replayed=False)
    for count in amounts.few_ids:
        yield _translation(here, count, amounts.repeats, amounts.rounds, replayed=True)


def _moves(here: Surroundings, page_bytes: int, count: int, sets: int, rounds: int, *, replayed: bool) -> Row:
    # each launch of a replay has pages of its own, so that caches help as little as they would in an arena
    pages = 2 * count * sets
    grid = PageGrid(torch.randint(0, 256, (pages * page_bytes,), dtype=torch.uint8, device=here.device), 0, page_bytes)
    order = torch.randperm(pages, generator=torch.Generator().manual_seed(1)).to(here.device).view(sets, 2, count)
    halves = grid.arena.view(sets, 2, count * page_bytes)

    def kernel() -> None:
        for sources, targets in order:
            move_pages(grid, sources, targets, lane=here.lane)

    def copy() -> None:
        for source, target in halves:
            target.copy_(source)

    expected = grid.pages[order[:, 0].flatten()]
    kernel()
    assert torch.equal(grid.pages[order[:, 1].flatten()], expected), "pages did not arrive"
    size = f"{page_bytes >> 20} MiB" if page_bytes >= 1 << 20 else f"{page_bytes >> 10} KiB"
    how = "replayed" if replayed else "one launch"
    return _measured(
        here, f"move {count} pages of {size}, {how}", 2 * count * page_bytes, sets, rounds, kernel, copy, replayed
    )


def _translation(here: Surroundings, count: int, sets: int, rounds: int, *, replayed: bool) -> Row:
    tokens, pages = 64, max(1, count // 64)
    drawn = torch.Generator().manual_seed(2)
    table = torch.randperm(pages, generator=drawn).to(here.device)
    ids = torch.randint(0, pages * tokens, (sets, count), generator=drawn).to(here.device)
    out = torch.empty_like(ids)

    def kernel() -> None:
        for asked, answer in zip(ids, out, strict=True):
            translate(asked, table, tokens, out=answer, lane=here.lane)

    def copy() -> None:
        for asked, answer in zip(ids, out, strict=True):
            answer.copy_(asked)

    kernel()
    assert torch.equal(out, translate(ids, table, tokens, lane="twin")), "ids are translated wrongly"
    how = "replayed" if replayed else "one launch"
    return _measured(here, f"translate {count} ids, {how}", 16 * count, sets, rounds, kernel, copy, replayed)


def _measured(
    here: Surroundings, name: str, nbytes: int, launches: int, rounds: int, kernel: Work, copy: Work, replayed: bool
) -> Row:
    as_run: Callable[[Work], Work] = here.captured if replayed else lambda work: work
    ours, plain = as_run(kernel), as_run(copy)
    times = [(here.seconds(ours) / launches, here.seconds(plain) / launches) for _ in range(WARMING + rounds)][WARMING:]
    took, copied = [one for one, _ in times], [other for _, other in times]
    low, middle, high = quantiles(took, n=4)
    return Row(
        name,
        nbytes,
        middle * 1e6,
        nbytes / middle / 1e9,
        nbytes / median(copied) / 1e9,
        median(other / one for one, other in times),
        (high - low) / middle,
    )
