"""Random weights, each from its own name: the same for every rank, in whatever order they are asked for."""

import zlib
from dataclasses import dataclass

import torch


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of a model.

    Attributes:
        seed: another makes another model.
        device: where they lie.
    """

    seed: int
    device: torch.device

    def matrix(self, name: str, *shape: int) -> torch.Tensor:
        """Float64 of a shape, scaled by its last extent, so that what it is multiplied with keeps its size."""
        generator = torch.Generator().manual_seed(zlib.crc32(f"{self.seed} {name}".encode()))
        drawn = torch.randn(shape, generator=generator, dtype=torch.float64)
        return drawn.div(shape[-1] ** 0.5).to(self.device)
