"""What an allocator's own tables take, in a process of their own: `python -m bench.allocator.footprint MODEL BYTES`."""

import gc
import json
import os
import sys
from pathlib import Path
from time import perf_counter
from typing import Any

from bench.allocator.arenas import granted
from impl.allocator import Allocator
from impl.device.metadata import MetadataDevice
from impl.layout import Options, layout_of
from impl.plan import Refusal


def footprint(model: str, arena_bytes: int) -> dict[str, Any]:
    """Seconds to build an allocator at page size 1, and its bytes of host memory then and once every page was used.

    Memory is what is resident: tables that were never touched take none yet.
    """
    layout = layout_of(model, Options(page_tokens=1))
    before = resident_bytes()
    begun = perf_counter()
    allocator = Allocator(layout, arena_bytes, device=MetadataDevice)
    seconds = perf_counter() - begun
    built = resident_bytes() - before
    for band in range(len(allocator.chain.bands)):
        _use_every_page(allocator, band)
    pages = {band.name: band.limit - band.first for band in allocator.chain.bands}
    return {"pages": pages, "seconds": seconds, "built": built, "used": resident_bytes() - before}


def _use_every_page(allocator: Allocator, band: int) -> None:
    demand = [0] * len(allocator.chain.bands)
    demand[band] = allocator.chain.bands[band].limit
    while isinstance(allocator.plan(demand), Refusal):
        demand[band] -= 1
    ids = granted(allocator.allocate(demand)).ids[band]
    ticket = allocator.open("forward", "main")
    allocator.hold(ticket, band, ids, "write")
    allocator.release(band, ids)
    allocator.complete(ticket)


def resident_bytes() -> int:
    """The memory of this process that is in use now."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    print(json.dumps(footprint(sys.argv[1], int(sys.argv[2]))))
