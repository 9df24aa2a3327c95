"""What every unit needs and is slow to import: loaded once, before the processes are copied."""

import torch

import fuzz.campaign.unit
from fuzz.campaign.plan import code_of_rooms

__all__ = ["fuzz", "torch"]

# That of the code which was loaded just now, whatever becomes of the files.
code_of_rooms()

# The cores are shared out between processes, so a process needs no threads of its own.
torch.set_num_threads(1)
