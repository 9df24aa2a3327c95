"""What a layer asks of memory, for one request in one forward."""

from typing import Protocol

import torch


class Memory(Protocol):
    """The rows of one request, as a forward over its next tokens finds and leaves them.

    Numbers go in and come out as float64 [tokens, *row.shape]; between, they are kept in the row's own dtype.
    """

    @property
    def start(self) -> int:
        """The position of the first new token."""

    def append(self, layer: int, part: str, values: torch.Tensor) -> torch.Tensor:
        """Keep the rows of all new tokens; returns those of the last tokens of the request, the new ones last.

        A window keeps at least what its new tokens look back on, and may return more.
        """

    def slot(self, layer: int, part: str) -> torch.Tensor:
        """The row of the request's state: zeros before the first token."""

    def put(self, layer: int, part: str, value: torch.Tensor) -> None:
        """Overwrite the row of the request's state."""

    def rounded(self, layer: int, part: str, value: torch.Tensor) -> torch.Tensor:
        """A value as the row's dtype would give it back."""
