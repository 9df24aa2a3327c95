"""What unified memory buys on somebody's own traffic: replayed on the real allocator, beside split pools."""
