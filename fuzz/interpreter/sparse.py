"""An arena as large as a GPU's on a small machine: pages of memory come into being where they are written."""

import mmap
from typing import Final

import torch

# of Linux; Python names it from 3.13 on
_NO_RESERVE: Final = 0x4000


def sparse_arena(nbytes: int) -> torch.Tensor:
    """A flat uint8 tensor of zeros that takes no memory but for what is written.

    Raises:
        OSError: the system does not hand out so many addresses.
    """
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | _NO_RESERVE
    return torch.frombuffer(mmap.mmap(-1, nbytes, flags=flags), dtype=torch.uint8)
