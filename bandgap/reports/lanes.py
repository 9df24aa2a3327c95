"""Lanes as people read them: what is wrong first, and what was not asked for in a line."""

from collections.abc import Sequence
from typing import Final

from bandgap.gate.lane import GateResult, LaneResult
from bandgap.gate.verdict import Answer, Reason, reasons_of_task
from bandgap.reports import coverage

MOST_NAMED: Final = 4
"""Tasks that are named of those that were left out."""


def ran(result: GateResult) -> tuple[LaneResult, ...]:
    """The lanes of which something was asked for, the worst first."""
    weight = list(Answer)
    return tuple(
        sorted((lane for lane in result.lanes if not lane.left_out), key=lambda lane: -weight.index(lane.answer))
    )


def left_out(result: GateResult) -> tuple[str, ...]:
    """The names of all others."""
    return tuple(lane.name for lane in result.lanes if lane.left_out)


def reasons(lane: LaneResult) -> tuple[Reason, ...]:
    """Why a lane is no pass, besides what is violated; the tasks of it that were left out are one reason."""
    names = [done.task.name for done in lane.done if done.left_out]
    of_tasks = [reason for done in lane.done if not done.left_out for reason in reasons_of_task(done.evidence)]
    others = [reason for reason in (*of_tasks, *lane.own_reasons) if reason.answer is not Answer.VIOLATED]
    return (*others, Reason(Answer.INCONCLUSIVE, f"not run: {_named(names)}")) if names else tuple(others)


def unmet(lane: LaneResult) -> tuple[int, int]:
    """How many quotas of a lane are not met, and how many it has."""
    quotas = [(times, floor) for _, times, floor in coverage.rows(lane) if floor]
    return sum(times < floor for times, floor in quotas), len(quotas)


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more} (left out)"
