"""What one process is asked to do. Tasks say by name what they are about, so that they can be sent."""

from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import TypeAlias

from properties import hypotheses
from properties.admission import asking
from properties.answers import Answer
from properties.contracts.known import is_contract
from properties.known import weakenings
from properties.ladder import answers
from properties.limits import Limits
from properties.obligations import Kind, Obligation
from properties.specification import written
from properties.trials import Trial, trial
from properties.witnesses import Sighting, sightings


@dataclass(frozen=True)
class Prove:
    """Answer obligations of one stage, of the specification as written or with a weakening."""

    obligations: tuple[Obligation, ...]
    weakening: str | None
    limits: Limits


@dataclass(frozen=True)
class Look:
    """Look at a stage for what bears these names: its possibility, and the cases of properties."""

    stage: str
    names: tuple[str, ...]
    limits: Limits


@dataclass(frozen=True)
class Try:
    """Make a weakening and see what it breaks."""

    weakening: str
    limits: Limits


Task: TypeAlias = Prove | Look | Try
Result: TypeAlias = Answer | Sighting | Trial


def work(task: Task) -> Iterator[Result]:
    """What comes of a task."""
    match task:
        case Prove(obligations, weakening, limits) if obligations[0].kind is Kind.CONTRACT:
            yield from _checking().answers(obligations, limits, weakening)
        case Try(weakening, limits) if is_contract(weakening):
            yield _checking().trial(weakening, limits)
        case Prove(obligations, weakening, limits) if obligations[0].kind is Kind.ADMISSION:
            yield from asking.answers(obligations, weakening, limits)
        case Look(stage, _, limits) if asking.is_asked(stage):
            yield from asking.sightings(stage, limits)
            yield from hypotheses.sightings(stage, limits)
        case Try(weakening, limits) if asking.is_asked(weakening):
            yield asking.trial(weakening, limits)
        case Prove(obligations, weakening, limits):
            specification = written(obligations[0].stage)
            if weakening is not None:
                specification = weakenings()[weakening].change(specification)
            yield from answers(specification, obligations, limits)
        case Look(stage, names, limits):
            yield from sightings(written(stage), stage, names, limits)
        case Try(weakening, limits):
            yield trial(written(weakening), weakenings()[weakening], limits)


def _checking() -> ModuleType:
    # CrossHair takes a while to import, and only contracts need it.
    from properties.contracts import checking

    return checking
