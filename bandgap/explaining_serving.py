"""From a failure of serving that fuzzing found to everything that a person needs to see why."""

from collections.abc import Iterator
from pathlib import Path

from bandgap.gate.prose import prose_of
from bandgap.gate.violation import Violation
from fuzz.saving import BadFile
from fuzz.serving.failure import Failure
from fuzz.serving.pasted import pasted
from fuzz.serving.reproduction import Reproduction, decoded, lived_again


def explain_serving(failure: Failure, where: str, file: str = "", command: str = "") -> Violation:
    """The failure as the reports show it.

    Args:
        failure: what broke, and the operations that break it.
        where: what was being checked, for people.
        file: where the failure is saved, if it is.
        command: what a shell runs to see it again.
    """
    return Violation(
        check=failure.property,
        prose=prose_of(failure.property),
        where=where,
        problem=failure.problem,
        facts=tuple(_facts(failure)),
        calls=len(failure.script),
        code=pasted(failure),
        file=file,
        command=command,
        absent=failure.absent,
    )


def explained_again(reproduction: Reproduction, where: str = "serving", file: str = "") -> Violation | None:
    """Live the life of a saved failure again, and explain what breaks now; None where nothing does."""
    life = lived_again(reproduction)
    if life.violation is None:
        return None
    seen = life.violation.property, life.violation.problem, life.violation.finding
    absent = tuple(reproduction.absent)
    return explain_serving(
        Failure(reproduction.scene, *seen, life.script, reproduction.fault, absent=absent), where, file
    )


def explained_serving_file(path: Path) -> Violation | None:
    """The same for a file; None where it is no such file, too."""
    try:
        return explained_again(decoded(path.read_bytes()), file=str(path))
    except (OSError, BadFile):
        return None


def _facts(failure: Failure) -> Iterator[str]:
    yield f"the scene: {failure.scene.said()}"
    if not failure.repeats:
        yield "it did not show again when the same operations were done a second time"
    elif not failure.reduced:
        yield "time ran out before the operations were as few as they can be"
