"""A device that has done everything by the time it is asked: the arena and the tables in the host's memory."""

import torch

from impl.chain import Chain
from impl.device.views import page_view, row_view
from impl.kernels.twins.moving import HostPages
from impl.layout import Row
from impl.numbers import Int64


class ImmediateDevice:
    """One flat uint8 tensor, zero at first, so that the sink and every page begin with finite numbers."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.resume_memory()
        self._tables = [torch.zeros(band.limit, dtype=torch.int64) for band in chain.bands]
        # the same memory: writing a few numbers costs a tenth of what it costs through torch
        self._writable = [table.numpy() for table in self._tables]

    def wait_for(self, ticket: int) -> None:
        """Nothing to wait for: whoever writes through a view has written when it returns."""

    def move_pages(self, band: int, sources: Int64, targets: Int64) -> None:
        """See `Device.move_pages`."""
        self._pages[band].move(sources, targets)

    def wipe_pages(self, band: int, pages: Int64) -> None:
        """See `Device.wipe_pages`."""
        self._pages[band].wipe(pages)

    def release_memory(self) -> None:
        """See `Device.release_memory`; the bytes go back once nobody keeps a view of them."""
        self.arena = torch.empty(0, dtype=torch.uint8)
        self._pages.clear()

    def resume_memory(self) -> None:
        """See `Device.resume_memory`; all of it is zero."""
        self.arena = torch.zeros(self.chain.capacity, dtype=torch.uint8)
        self._pages = [HostPages(page_view(self.arena, band)) for band in self.chain.bands]

    def update_table(self, band: int, ids: Int64, pages: Int64) -> None:
        """See `Device.update_table`."""
        self._writable[band][ids] = pages

    def table(self, band: int) -> torch.Tensor:
        """See `Device.table`."""
        return self._tables[band]

    def view(self, band: int, row: Row) -> torch.Tensor:
        """See `Device.view`."""
        return row_view(self.arena, self.chain.bands[band], row)
