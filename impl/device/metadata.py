"""A device without memory: the allocator's bookkeeping alone, for arenas that this machine could not hold."""

import torch

from impl.chain import Chain
from impl.layout import Row
from impl.numbers import Int64


class MetadataDevice:
    """Takes every request and does nothing; has neither tables nor views."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain

    def wait_for(self, ticket: int) -> None:
        """Nothing to wait for: nothing runs."""

    def move_pages(self, band: int, sources: Int64, targets: Int64) -> None:
        """No bytes are kept."""

    def wipe_pages(self, band: int, pages: Int64) -> None:
        """No bytes are kept."""

    def release_memory(self) -> None:
        """No bytes are kept."""

    def resume_memory(self) -> None:
        """No bytes are kept."""

    def update_table(self, band: int, ids: Int64, pages: Int64) -> None:
        """No table is kept."""

    def table(self, band: int) -> torch.Tensor:
        """Raises TypeError."""
        raise TypeError("a metadata device keeps no page table; ask the allocator to translate")

    def view(self, band: int, row: Row) -> torch.Tensor:
        """Raises TypeError."""
        raise TypeError("a metadata device has no bytes to view")
