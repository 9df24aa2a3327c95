"""From evidence to an answer: the one place that knows what a pass is."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bandgap.exits import Exit
from bandgap.gate.evidence import Evidence
from fuzz.floors import exercised


class Answer(StrEnum):
    """What a lane, or the whole gate, came to."""

    HOLDS = "holds"
    INCONCLUSIVE = "inconclusive"
    BROKEN = "broken"
    VIOLATED = "violated"

    @property
    def exit(self) -> Exit:
        """The exit code that says it."""
        return _EXITS[self]


_EXITS = {
    Answer.HOLDS: Exit.HOLDS,
    Answer.INCONCLUSIVE: Exit.INCONCLUSIVE,
    Answer.BROKEN: Exit.MISUSED,
    Answer.VIOLATED: Exit.VIOLATED,
}
_WEIGHT = list(Answer)
"""Later wins: what is violated stays violated, whatever else went wrong."""


@dataclass(frozen=True)
class Reason:
    """Why an answer is not `holds`, or not better than it is."""

    answer: Answer
    text: str


def reasons_of_task(evidence: Evidence) -> tuple[Reason, ...]:
    """Everything in a task's evidence that keeps it from being a pass."""
    return tuple(_reasons(evidence))


def reasons_of_lane(evidence: Evidence, floors: Mapping[str, int]) -> tuple[Reason, ...]:
    """What keeps a lane from being a pass although each of its tasks may be one, given the evidence of all.

    A lane that is red already is not asked for more.

    Args:
        evidence: of all tasks together.
        floors: how often each thing must at least have been exercised.
    """
    if evidence.unfinished or evidence.violations or evidence.broken:
        return ()
    return (*_emptiness(evidence), *_gaps(dict(evidence.coverage), floors))


def _reasons(evidence: Evidence) -> Iterator[Reason]:
    for violation in evidence.violations:
        yield Reason(Answer.VIOLATED, f"{violation.check} is violated ({violation.where})")
    for text in evidence.broken:
        yield Reason(Answer.BROKEN, text)
    for canary in evidence.canaries:
        if canary.caught_by is None:
            yield Reason(Answer.BROKEN, f"the canary was not caught: {canary.fault} must break {canary.expects}")
        elif canary.caught_by != canary.expects:
            text = f"the canary was caught by {canary.caught_by}: {canary.fault} must break {canary.expects}"
            yield Reason(Answer.BROKEN, text)
    for text in evidence.unknown:
        yield Reason(Answer.INCONCLUSIVE, f"no answer within the limit: {text}")
    for text in evidence.unfinished:
        yield Reason(Answer.INCONCLUSIVE, f"not finished: {text}")
    for count in evidence.counts:
        if count.number < count.floor:
            text = f"too little was checked: {count.number:,} {count.what}, and {count.floor:,} are asked for"
            yield Reason(Answer.INCONCLUSIVE, text)


def _emptiness(evidence: Evidence) -> Iterator[Reason]:
    if not evidence.canaries:
        yield Reason(Answer.BROKEN, "there was no canary, so nothing shows that this lane can fail")
    if not any(count.floor > 0 for count in evidence.counts):
        yield Reason(Answer.BROKEN, "nothing was counted, so nothing shows that anything was checked")


def _gaps(coverage: Mapping[str, int], floors: Mapping[str, int]) -> Iterator[Reason]:
    for what, floor in floors.items():
        times = exercised(coverage, what)
        if times < floor:
            text = f"too little was exercised: {what}, {times:,} times, and {floor:,} are asked for"
            yield Reason(Answer.INCONCLUSIVE, text)


def worst(answers: Iterable[Answer]) -> Answer:
    """The answer of several things together; of nothing at all it is `broken`."""
    return max(answers, key=_WEIGHT.index, default=Answer.BROKEN)


def answer_of(reasons: Sequence[Reason]) -> Answer:
    """The answer that these reasons leave."""
    return worst([Answer.HOLDS, *(reason.answer for reason in reasons)])
