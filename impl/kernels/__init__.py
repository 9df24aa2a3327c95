"""What the device does with pages: each function has a torch twin and a Triton kernel that do the same.

The twin serves CPU tensors and is the kernel's oracle; `lane.py` says which of the two is taken. Triton is imported
only where its lane is taken: it exists on Linux alone, and takes a while.
"""
