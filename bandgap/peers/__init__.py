"""The gate for other people's allocators: how they are asked for, and what the answer is."""
