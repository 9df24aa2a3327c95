"""The allocator on a GPU: its streams are real, and whatever they race for shows as wrong bytes."""
