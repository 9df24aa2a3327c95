"""The run over time, in bounded memory: pictures of the memory at moments that grow sparser as the run grows longer."""

from dataclasses import dataclass, field

from replay.memory.protocol import Occupancy

MOST = 960
"""Samples; when there are more, every other one is dropped."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One moment."""

    at: float
    """Seconds."""
    running: int
    waiting: int
    occupancy: Occupancy


@dataclass(slots=True)
class Timeline:
    """Samples, and means over all of them that were ever taken, each weighted with the time since the one before."""

    kinds: int
    samples: list[Sample] = field(default_factory=list)
    every: float = 0.0
    due: float = 0.0
    seconds: float = 0.0
    idle_sum: list[float] = field(default_factory=list)
    used_sum: list[float] = field(default_factory=list)
    shared_sum: float = 0.0
    fragmentation_sum: float = 0.0
    peak: tuple[int, ...] = ()
    """Bytes of live pages of each kind at the moment when they were the most together."""
    _last: float = 0.0

    def __post_init__(self) -> None:
        """Begins with sums of nothing."""
        self.idle_sum = [0.0] * self.kinds
        self.used_sum = [0.0] * self.kinds

    def take(self, sample: Sample) -> None:
        """Keep a sample."""
        weight, occupancy = sample.at - self._last, sample.occupancy
        self._last = sample.at
        self.seconds += weight
        for band in range(self.kinds):
            self.idle_sum[band] += weight * occupancy.idle[band]
            self.used_sum[band] += weight * occupancy.used[band]
        self.shared_sum += weight * occupancy.shared
        self.fragmentation_sum += weight * occupancy.fragmentation
        if sum(occupancy.used) >= sum(self.peak):
            self.peak = occupancy.used
        self.samples.append(sample)
        if len(self.samples) > MOST:
            self.samples = self.samples[::2]
            self.every = max(2 * self.every, (self.samples[-1].at - self.samples[0].at) / MOST)
        self.due = sample.at + self.every

    def mean(self, total: float) -> float:
        """A mean over time, of a sum of this timeline."""
        return total / self.seconds if self.seconds else 0.0
