"""What a campaign came to, unit by unit."""

from collections import Counter
from dataclasses import dataclass, field

from fuzz.campaign.record import Finding, Kept, Met, Record
from fuzz.coverage import Coverage
from fuzz.looks import Look


@dataclass
class Distinct:
    """One of the failures that a campaign found.

    Attributes:
        finding: the one of fewest calls among those that look alike; of these the first of the lowest lane.
        lane: in which that was found.
        index: of the unit in which it was found.
        times: lives or examples that ended in it.
        setups: on which it was found.
    """

    finding: Finding
    lane: int
    index: int
    times: int = 0
    setups: set[str] = field(default_factory=set)


@dataclass
class Lane:
    """What later units of a lane start from.

    Attributes:
        units: that are over.
        known: of each failure as the lane met it, how it looks once made short.
        kept: of each setup, what the lane added to the corpus.
    """

    units: int = 0
    known: dict[Look, Look] = field(default_factory=dict)
    kept: dict[str, Kept] = field(default_factory=dict)


class Summary:
    """Sums up records: the same for the same records, in whatever order the lanes come."""

    def __init__(self, lanes: int) -> None:
        self.lanes = [Lane() for _ in range(lanes)]
        self.units: Counter[str] = Counter()
        """By kind."""
        self.lives = self.operations = self.calls = self.excused = 0
        self.seconds = 0.0
        """Of all units."""
        self.coverage = Coverage()
        self.found: dict[Look, Distinct] = {}
        self.broken: dict[tuple[int, int], str] = {}
        """By lane and index."""

    def add(self, record: Record) -> None:
        """One more unit is over, the next of its lane."""
        lane = self.lanes[record.lane]
        lane.units += 1
        self.units[record.kind] += 1
        self.lives += record.lives
        self.operations += record.operations
        self.calls += record.calls
        self.excused += record.excused
        self.seconds += record.seconds
        self.coverage += record.coverage()
        lane.kept[record.setup] = lane.kept.get(record.setup, Kept()) + record.kept
        if record.broken is not None:
            self.broken[record.lane, record.index] = record.broken
        for met in record.met:
            self._meet(lane, record, met)

    def _meet(self, lane: Lane, record: Record, met: Met) -> None:
        if met.finding is not None:
            look = met.finding.look
            before = self.found.get(look)
            here = Distinct(met.finding, record.lane, record.index)
            if before is None:
                self.found[look] = here
            elif _rank(here) < _rank(before):
                here.times, here.setups = before.times, before.setups
                self.found[look] = here
            self.found[look].setups.add(met.finding.setup)
        if met.short is not None:
            lane.known[met.look] = met.short
        self.found[lane.known[met.look]].times += met.times


def _rank(one: Distinct) -> tuple[int, int, int]:
    return one.finding.calls, one.lane, one.index
