"""A small case that was found."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Small:
    """Its numbers, by name."""

    numbers: Mapping[str, int]

    def __str__(self) -> str:
        said = [f"{name} = {value}" for name, value in self.numbers.items() if value]
        return f"{', '.join(said)}; all else is 0" if said else "all is 0"
