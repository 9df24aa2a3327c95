"""Who is in the system, and when it is."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from replay.engine.batch import Batch
from replay.engine.calendar import Calendar
from replay.engine.request import Served
from replay.engine.tally import Tally


@dataclass(slots=True)
class Situation:
    """What all parts of an engine read and change."""

    batch: Batch
    """The requests that decode, as sums."""
    calendar: Calendar = field(default_factory=Calendar)
    tally: Tally = field(default_factory=Tally)
    waiting: deque[Served] = field(default_factory=deque)
    running: dict[Served, None] = field(default_factory=dict)
    """The running requests, in order of admission."""
    filling: dict[Served, None] = field(default_factory=dict)
    """Those that run and whose prompts are still being computed."""
    fresh: dict[Served, Sequence[int]] = field(default_factory=dict)
    """Of each kind, how many pages requests were given since the last launch, which the forward in flight has not."""
    step: int = 0
    """The next to be launched."""
    now: float = 0.0
    """Seconds: when it begins."""
    known: float = 0.0
    """Seconds: when the newest results that are known were there."""
    changed: bool = False
    """Whether pages were asked for or given back since the last launch."""
    freed: bool = True
    """Whether a request that waits should be considered anew: somebody came or went, or pages were given back."""
