"""Speculative decoding: a draft proposes, the target verifies at once, and what it rejects is taken back."""
