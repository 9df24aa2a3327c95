"""A tensor-parallel rank's share of a model's heads."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rank:
    """One of a group of ranks, of which each computes some heads of every layer."""

    number: int = 0
    of: int = 1

    def heads(self, count: int) -> slice:
        """Its share of so many heads, as large as others' or almost; of fewer than ranks, several have the same one."""
        if count < self.of:
            only = self.number * count // self.of
            return slice(only, only + 1)
        return slice(self.number * count // self.of, (self.number + 1) * count // self.of)
