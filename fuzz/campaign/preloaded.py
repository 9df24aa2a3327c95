"""What every unit needs and is slow to import: loaded once, before the processes are copied."""

import gc

import fuzz.campaign.unit
from fuzz.campaign.plan import code_of_rooms

__all__ = ["fuzz"]

# That of the code which was loaded just now, whatever becomes of the files.
code_of_rooms()

# What is loaded stays: the collector need not look at it again, and copies of this process share it.
gc.collect()
gc.freeze()
