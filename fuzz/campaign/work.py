"""What the units of a campaign do, of each sort of target: a unit is a run from a seed, and comes to a record."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final, Protocol

from fuzz.campaign.plan import Plan
from fuzz.campaign.record import NOTHING, Kept, Record
from fuzz.looks import Look

STEPS: Final = 40
"""Operations in one example of a state machine."""

REDUCTION_TRIES: Final = 2_000
"""Scripts that are tried to make a failure shorter: by number, for the same failure must come out the same."""

PATIENCE: Final = 900.0
"""Seconds for making a failure shorter, after which it is left as it is; only what hangs needs them."""


@dataclass(frozen=True)
class Unit:
    """What a unit starts from, besides the plan.

    Attributes:
        lane: of the unit.
        index: of the unit in its lane.
        known: how failures look that the lane has met.
        before: of the corpus what the unit may use.
    """

    lane: int
    index: int
    known: frozenset[Look] = frozenset()
    before: Kept = NOTHING


class Work(Protocol):
    """What the units of a sort of target do.

    The same plan, unit and code come to the same record, but for the seconds that it took: what ends a unit, and what
    makes a failure shorter, is counted in calls and tries, and never in time.
    """

    @property
    def setups(self) -> Sequence[str]:
        """What the units are about, in turn; none where each is about everything."""

    @property
    def kinds(self) -> Sequence[str]:
        """What the units of one setup are, in turn: `driver`, `machine` or `peer`."""

    @property
    def faults(self) -> Collection[str]:
        """The seeded faults that can be put into force, by name."""

    def under(self, fault: str) -> AbstractContextManager[object]:
        """A fault of these in force, inside a `with` block."""

    def do(self, plan: Plan, unit: Unit, setup: str, kind: str) -> Record:
        """Do one unit."""


def seed_of(plan: Plan, unit: Unit) -> str:
    """Of all choices of a unit."""
    return f"{plan.seed}/{unit.lane}/{unit.index}"
