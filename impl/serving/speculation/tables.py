"""What steps leave on the device for the steps after them, by position; none of it is in the arena."""

from typing import Final, NamedTuple

import torch

from impl.device.runtime import Touch
from impl.serving.engine.forward import TOKENS
from impl.serving.engine.job import Job

FEATURES: Final = "the table of features"
"""What the draft takes of the target for each token."""

AHEAD: Final = "the table of what the draft gave"
"""For each token, so that a proposal may go on from it."""

_ITEM_BYTES: Final = 8


class Line(NamedTuple):
    """A job's part of the tables.

    Attributes:
        tokens: int64 [positions].
        features: float64 [positions, width].
        ahead: float64 [positions, hidden size].
    """

    tokens: torch.Tensor
    features: torch.Tensor
    ahead: torch.Tensor


class Tables:
    """The tables.

    Args:
        tokens: int64 [jobs, positions], the engine's own.
        features: float64 [jobs, positions, width].
        ahead: float64 [jobs, positions, hidden size].
    """

    def __init__(self, tokens: torch.Tensor, features: torch.Tensor, ahead: torch.Tensor) -> None:
        self._all = {TOKENS: tokens, FEATURES: features, AHEAD: ahead}

    def of(self, job: Job) -> Line:
        """Those of a job."""
        return Line(*(table[job.number] for table in self._all.values()))

    def touch(self, memory: str, job: Job, begin: int, end: int, *, writes: bool) -> Touch:
        """Of a job's line in a table the positions from `begin` to `end`."""
        table = self._all[memory]
        item = _ITEM_BYTES * table[0, 0].numel()
        line = job.number * table.shape[1]
        return Touch(memory, item * (line + begin), item * (line + end), writes, f"positions of job {job.number}")
