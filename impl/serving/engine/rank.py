"""A tensor-parallel rank's share of a model's heads."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rank:
    """One of a group of ranks, of which each computes some heads of every layer."""

    number: int = 0
    of: int = 1

    def heads(self, count: int) -> slice:
        """Its share of so many heads; where there are fewer heads than ranks, several ranks have the same one."""
        if count < self.of:
            only = self.number * count // self.of
            return slice(only, only + 1)
        share = count // self.of
        return slice(self.number * share, (self.number + 1) * share)
