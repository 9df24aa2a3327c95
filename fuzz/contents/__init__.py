"""What the bytes of pages must be, and reading them back by a law that owes nothing to the allocator's views."""
