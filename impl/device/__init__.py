"""Where pages are: what holds their bytes, moves them, and keeps the replica of the page table that kernels read."""
