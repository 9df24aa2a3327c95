"""What a check must know of whatever runs the kernels."""

from typing import Protocol

import torch

from impl.kernels import lane as kernels


class Lane(Protocol):
    """Runs the kernels."""

    @property
    def takes(self) -> kernels.Lane:
        """Which body of a kernel."""

    @property
    def device(self) -> torch.device:
        """Where its tensors are."""
