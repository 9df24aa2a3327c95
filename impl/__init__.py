"""The allocator that serves. This file imports nothing, so that a pure part can be used without torch."""
