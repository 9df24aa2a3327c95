"""From a failure that fuzzing found to everything that a person needs to see why: `explain` is what reports show."""

from bandgap.gate.prose import prose_of
from bandgap.gate.violation import Violation
from bandgap.history import history_of
from bandgap.scenes import scene_of
from fuzz.failure import Failure, Played
from fuzz.pasted import pasted
from fuzz.reproduction import Reproduction
from fuzz.targets.protocol import Target
from fuzz.watch import CLOSELY, FROM_OUTSIDE


def explain(failure: Failure, target: Target, where: str, file: str = "", command: str = "") -> Violation:
    """The failure as the reports show it.

    Args:
        failure: what broke, and the calls that break it.
        target: what was driven.
        where: what was being checked, for people.
        file: where the failure is saved, if it is.
        command: what a shell runs to see it again.
    """
    drawn = scene_of(failure)
    return Violation(
        check=failure.property,
        prose=prose_of(failure.property),
        where=where,
        problem=failure.problem,
        facts=(*(drawn.facts if drawn else ()), *_reservations(failure)),
        history=history_of(failure.records, failure.finding, failure.property, failure.problem),
        before=drawn.before if drawn else None,
        after=drawn.after if drawn else None,
        calls=len(failure.script),
        code=pasted(failure, target),
        file=file,
        command=command,
    )


def failure_again(reproduction: Reproduction, played: Played) -> Failure | None:
    """What came of making the calls of a saved failure again, as a failure; none where nothing broke."""
    broken = played.violation
    if broken is None:
        return None
    return Failure(
        reproduction.target,
        reproduction.built_setup(),
        broken.property,
        broken.problem,
        broken.finding,
        tuple(reproduction.script[: played.calls]),
        played.records,
        FROM_OUTSIDE if reproduction.from_outside else CLOSELY,
        reproduction.fault,
    )


def _reservations(failure: Failure) -> tuple[str, ...]:
    said = []
    if not failure.repeats:
        said.append("it did not show again when the same calls were made a second time")
    elif not failure.reduced:
        said.append("time ran out before the calls were as few as they can be")
    return tuple(said)
