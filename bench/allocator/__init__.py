"""How fast the allocator's host side is, beside SGLang's allocator and vLLM's KV cache manager in the same run.

Each family of rows has a module. All times are of one thread on the CPU; see `bench.timing` and `bench.rows`.
"""
