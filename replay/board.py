"""What the processes of one machine tell each other while they replay: how far each job is, and whether to stop."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from replay.traffic.traffic import Ints


@dataclass(frozen=True, slots=True)
class Board:
    """A small file that all of them map into their memory."""

    path: Path

    def stop(self) -> None:
        """Every job is to end soon, with what it has."""
        self._words()[0] = 1

    @property
    def stopped(self) -> bool:
        """Whether `stop` was called."""
        return bool(self._words()[0])

    def counts(self) -> Ints:
        """The requests of each job that are done; it may be written to."""
        return self._words()[1:]

    def _words(self) -> Ints:
        return np.memmap(self.path, np.int64, "r+")


@contextmanager
def board_for(jobs: int) -> Iterator[Board]:
    """A board for so many jobs, which is gone afterwards."""
    with TemporaryDirectory(prefix="bandgap-replay-") as folder:
        path = Path(folder) / "board"
        path.write_bytes(bytes(8 * (1 + jobs)))
        yield Board(path)
