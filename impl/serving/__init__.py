"""Serving on the arena: what an engine builds on requests and tickets. Each integration is optional and small."""
