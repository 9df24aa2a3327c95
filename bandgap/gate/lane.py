"""A lane: one claim, the tasks that check it, and what they came to."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from bandgap.gate.evidence import Evidence, together
from bandgap.gate.settings import Settings
from bandgap.gate.task import Done, Task
from bandgap.gate.verdict import Answer, Reason, answer_of, reasons_of_lane, reasons_of_task, worst


@dataclass(frozen=True)
class Lane:
    """One claim and how it is checked."""

    name: str
    claim: str
    """What a pass says, in one sentence."""
    tasks: Callable[[Settings], Sequence[Task]]
    floors: Callable[[Settings], Mapping[str, int]] = lambda _: {}
    """How often each thing must at least be exercised, over all tasks."""


@dataclass(frozen=True)
class LaneResult:
    """What a lane came to."""

    name: str
    claim: str
    done: tuple[Done, ...]
    floors: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def evidence(self) -> Evidence:
        """The evidence of all its tasks together."""
        return together(done.evidence for done in self.done)

    @property
    def own_reasons(self) -> tuple[Reason, ...]:
        """Why it is not a pass although each of its tasks may be one."""
        return reasons_of_lane(self.evidence, self.floors)

    @cached_property
    def reasons(self) -> tuple[Reason, ...]:
        """Why it is not a pass; empty when it is.

        Each task is asked by itself, so that plenty in one makes up for nothing in another.
        """
        of_tasks = (reason for done in self.done for reason in reasons_of_task(done.evidence))
        return (*of_tasks, *self.own_reasons)

    @property
    def answer(self) -> Answer:
        """The lane's verdict."""
        return answer_of(self.reasons)

    @property
    def left_out(self) -> bool:
        """Whether nothing of it was asked for."""
        return bool(self.done) and all(done.left_out for done in self.done)

    @property
    def canaries_caught(self) -> int:
        """The canaries that were caught by the property which they name."""
        return sum(canary.caught_by == canary.expects for canary in self.evidence.canaries)

    @property
    def seconds(self) -> float:
        """Time of all its tasks, as if one had run after the other."""
        return sum(done.seconds for done in self.done)


@dataclass(frozen=True)
class GateResult:
    """What the gate came to."""

    settings: Settings
    lanes: tuple[LaneResult, ...]
    seconds: float
    """Time that passed."""
    stopped: bool = False
    """It was interrupted."""

    @property
    def answer(self) -> Answer:
        """The gate's verdict: that of its worst lane."""
        return worst(lane.answer for lane in self.lanes)
