"""What runs in a process of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from bandgap.gate.evidence import Evidence
from bandgap.gate.settings import Settings

Progress: TypeAlias = Callable[[float, Evidence], None]
"""Told how far a task is, from 0 to 1, and what it has to show so far."""


@dataclass(frozen=True)
class Task:
    """One piece of a lane.

    `run` is a function that can be named from another process: one of a module, or a partial of such a one.
    """

    lane: str
    name: str
    run: Callable[[Settings, Progress], Evidence]
    seconds: float
    """After this long it is stopped, and has no answer."""
    all_cores: bool = False
    """It has processes of its own, as many as the settings allow, and runs alone."""


@dataclass(frozen=True)
class Done:
    """What became of a task."""

    task: Task
    evidence: Evidence
    seconds: float
    again: bool = False
    """It had no answer at first, and was run again with doubled limits."""
    left_out: bool = False
    """It was not asked for."""
