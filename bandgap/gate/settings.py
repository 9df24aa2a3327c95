"""How much a gate does, and where it writes."""

import zlib
from dataclasses import dataclass, replace
from pathlib import Path

DEFAULT_SEED = 20_261_130


@dataclass(frozen=True)
class Settings:
    """What all tasks of a gate are told."""

    target: str = "bandgap"
    """The allocator that is checked."""
    quick: bool = False
    seed: int = DEFAULT_SEED
    workers: int = 1
    """Processes at once."""
    out: Path = Path(".bandgap")
    """Where reports and failures are written."""
    since: str | None = None
    """The git revision from which on every change of the specification must be accounted for in its lock."""
    patience: int = 1
    """Multiplies every limit; 2 for what is run again because it had no answer."""

    def seed_of(self, name: str) -> int:
        """The seed of a task: its own, and the same for the same gate."""
        return zlib.crc32(f"{self.seed}/{name}".encode())

    def more_patient(self) -> "Settings":
        """The same with doubled limits."""
        return replace(self, patience=2 * self.patience)
