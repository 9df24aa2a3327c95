"""A captured graph that reads through the page table goes on reading the same virtual pages while they move."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch

from gpu_tests.allocator.place import Place
from gpu_tests.allocator.target import StreamDevice
from impl.allocator import Allocator
from impl.chain import Chain
from impl.device.runtime import Piece, Work
from impl.kernels.fills import poison_pages
from impl.kernels.grid import PageGrid
from impl.kernels.translation import translate
from impl.layout import Options, layout_of, with_fewer_layers
from impl.plan import Grant

PAGES, PAGE_TOKENS = 256, 16
FULL = "full"


@dataclass(frozen=True)
class Replays:
    """What became of a captured graph.

    Attributes:
        replays: of the graph, each compared.
        moved: pages that moved between replays.
        wrong: entries that were read wrongly, in all replays.
    """

    replays: int
    moved: int
    wrong: int

    @property
    def holds(self) -> bool:
        """Whether pages moved and everything was read as it was written."""
        return self.replays > 1 and self.moved > 0 and not self.wrong


def replay_while_pages_move(place: Place) -> Replays:
    """Capture once, then compact and replay until nothing moves any more."""
    devices: list[StreamDevice] = []

    def made(chain: Chain) -> StreamDevice:
        devices.append(StreamDevice(chain, place.runtime(), lambda _: None))
        return devices[-1]

    layout = with_fewer_layers(layout_of("gpt-oss-20b", Options(page_tokens=PAGE_TOKENS)), divide_by=12)
    size = layout.kind(FULL).page_bytes
    allocator = Allocator(layout, 4 * PAGES * size, device=made)
    device, band = devices[0], allocator.band(FULL)
    row = layout.kind(FULL).rows[0]
    grant = allocator.allocate({FULL: PAGES})
    assert isinstance(grant, Grant), "the arena has room"
    kept = grant.ids[band][1::2]
    tokens = torch.from_numpy(kept).repeat_interleave(PAGE_TOKENS) * PAGE_TOKENS
    tokens = (tokens + torch.arange(PAGE_TOKENS).repeat(len(kept))).to(place.device)
    numbers = torch.arange(tokens.numel(), device=place.device) % 1021
    written = numbers.view(-1, *([1] * len(row.shape))).to(torch.float32).expand(-1, *row.shape)
    slots = torch.zeros_like(tokens)
    view = allocator.view(row)
    geometry = allocator.chain.bands[band]
    grid = PageGrid(device.arena, geometry.origin, geometry.page_bytes)
    shown = torch.zeros(tokens.numel(), *row.shape, dtype=view.dtype, device=place.device)

    def read() -> None:
        translate(tokens, device.table(band), PAGE_TOKENS, out=slots)
        torch.index_select(view, 0, slots, out=shown)

    def spoil() -> None:
        """Write over every page of the band in which none of the kept ones lives: what is read there shows."""
        elsewhere = np.setdiff1d(np.arange(geometry.first, geometry.limit), allocator.translate(band, kept))
        poison_pages(grid, torch.from_numpy(elsewhere).to(place.device))

    def write() -> None:
        view.index_copy_(0, translate(tokens, device.table(band), PAGE_TOKENS), written.to(view.dtype))

    _forward(allocator, device, band, kept.tolist(), "write", write)
    device.observed.run_all()
    replay = place.captured(read)
    replays, moved, wrong = 0, 0, 0
    allocator.release(band, grant.ids[band][::2])
    while True:
        shown.zero_()
        device.observed.run_all()
        _forward(allocator, device, band, kept.tolist(), "read", spoil)
        _forward(allocator, device, band, kept.tolist(), "read", replay)
        device.observed.run_all()
        wrong += int((shown != written.to(view.dtype)).flatten(1).any(1).sum())
        replays += 1
        bytes_moved = allocator.compact(8 * size)
        moved += bytes_moved // size
        if not bytes_moved:
            return Replays(replays, moved, wrong)


def _forward(
    allocator: Allocator, device: StreamDevice, band: int, ids: list[int], mode: str, run: Callable[[], object]
) -> None:
    """One forward, which is over when this returns."""
    ticket = allocator.open("forward", "main")
    allocator.hold(ticket, band, ids, mode)
    device.begin(ticket, "main")
    device.launch(Work("replay", (Piece(run, lambda: ()),), ticket))
    device.end(ticket)
    device.observed.run_all()
    assert device.is_over(ticket), "everything was waited for"
    allocator.complete(ticket)
