"""From a failure that fuzzing found to a violation that is saved, drawn and explained."""

import shlex

from bandgap.gate.prose import prose_of
from bandgap.gate.scenes import scene_of
from bandgap.gate.settings import Settings
from bandgap.gate.violation import Violation
from fuzz.failure import Failure
from fuzz.pasted import pasted
from fuzz.reproduction import saved
from fuzz.targets.protocol import Target


def violation_of(failure: Failure, target: Target, where: str, settings: Settings) -> Violation:
    """The failure as the reports show it; its file is written."""
    path = str(saved(failure, settings.out / "failures"))
    drawn = scene_of(failure)
    return Violation(
        check=failure.property,
        prose=prose_of(failure.property),
        where=where,
        problem=failure.problem,
        facts=(*(drawn.facts if drawn else ()), *_reservations(failure)),
        before=drawn.before if drawn else None,
        after=drawn.after if drawn else None,
        calls=len(failure.script),
        code=pasted(failure, target),
        file=path,
        command=f"bandgap reproduce {shlex.quote(path)}",
    )


def _reservations(failure: Failure) -> tuple[str, ...]:
    said = []
    if not failure.repeats:
        said.append("it did not show again when the same calls were made a second time")
    elif not failure.reduced:
        said.append("time ran out before the calls were as few as they can be")
    return tuple(said)
