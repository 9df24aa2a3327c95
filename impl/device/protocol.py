"""What an allocator asks of a device."""

from typing import Protocol

import torch

from impl.layout import Row
from impl.numbers import Int64


class Device(Protocol):
    """Holds the arena and the page tables; takes work in order on the allocator's own stream, and never answers.

    No decision of the allocator depends on what a device has done: nothing here waits for it.
    """

    def wait_for(self, ticket: int) -> None:
        """Everything asked for from now on runs after the work of this ticket."""

    def move_pages(self, band: int, sources: Int64, targets: Int64) -> None:
        """Copy pages of a band, pairwise; no target is a source."""

    def wipe_pages(self, band: int, pages: Int64) -> None:
        """Write zeros over pages of a band, what lies between their rows included."""

    def release_memory(self) -> None:
        """Give back the arena's bytes once everything asked for so far is done. Page tables stay."""

    def resume_memory(self) -> None:
        """Take bytes for the arena anew: those of the sink are zero, the others may be anything."""

    def update_table(self, band: int, ids: Int64, pages: Int64) -> None:
        """In the page table, let virtual pages of a band live at these physical pages."""

    def table(self, band: int) -> torch.Tensor:
        """The page table of a band as kernels read it: int64, one physical page for each id.

        An id that was never handed out is at page 0, which is the sink's in a token band; one that is no longer alive
        stays where it was last.
        """

    def view(self, band: int, row: Row) -> torch.Tensor:
        """A row of every entry of a band: shape [entries, *row.shape], in the row's dtype, on the arena's own bytes.

        Entry `e` is token `e % page_tokens` of physical page `e // page_tokens`. The entries of pages below the
        band's first are the sink's, or belong to nobody.
        """
