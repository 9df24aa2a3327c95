"""The allocators that can be driven: how each is built, and what it promises."""
