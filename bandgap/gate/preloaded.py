"""What every task needs and is slow to import: loaded once, before the processes are forked."""

import torch

import impl.allocator
import spec.judge.judge

__all__ = ["impl", "spec", "torch"]

# The cores are shared out between processes, so a process needs no threads of its own.
torch.set_num_threads(1)
