"""From a failure that fuzzing found to everything that a person needs to see why: `explain` is what reports show."""

from contextlib import nullcontext
from pathlib import Path

from bandgap.disputes import sides_of
from bandgap.gate.prose import prose_of
from bandgap.gate.violation import Violation
from bandgap.history import history_of
from bandgap.scenes import scene_of
from bandgap.traits import traits_of
from events.records import End
from fuzz.failure import Failure
from fuzz.faults.all import FAULTS
from fuzz.looks import name_of_last
from fuzz.pasted import program
from fuzz.playing import play
from fuzz.reproduction import Reproduction, decoded, played_again
from fuzz.saving import BadFile
from fuzz.staging import stage_for
from fuzz.targets.all import TARGETS
from fuzz.targets.protocol import Target
from fuzz.violation import Violation as Broken
from impl.misuse import Misuse


def explain(failure: Failure, target: Target, where: str, file: str = "", command: str = "") -> Violation:
    """The failure as the reports show it.

    Args:
        failure: what broke, and the calls that break it.
        target: what was driven.
        where: what was being checked, for people.
        file: where the failure is saved, if it is.
        command: what a shell runs to see it again.
    """
    drawn = scene_of(failure.records, failure.property, failure.problem)
    code = program(failure, target)
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
        code=code.whole,
        file=file,
        command=command,
        call=name_of_last(failure.script),
        target=failure.target,
        steps=code.calls,
        sides=sides_of(failure.records, failure.finding, failure.problem, _rejection(failure, target)),
        traits=traits_of(failure),
        absent=failure.absent,
    )


def explained_again(reproduction: Reproduction, where: str = "", file: str = "") -> Violation | None:
    """Make the calls of a saved failure again, and explain what breaks now.

    None where nothing breaks, or where this process cannot drive its target.
    """
    target = TARGETS.get(reproduction.target)
    if target is None or (reproduction.fault is not None and reproduction.fault not in FAULTS):
        return None
    with FAULTS[reproduction.fault].apply() if reproduction.fault else nullcontext():
        played = played_again(reproduction, target)
        if played.violation is None:
            return None
        failure = Failure(
            reproduction.target,
            reproduction.built_setup(),
            played.violation.property,
            played.violation.problem,
            played.violation.finding,
            tuple(reproduction.script[: played.calls]),
            played.records,
            reproduction.watch(),
            reproduction.fault,
            absent=tuple(reproduction.absent),
        )
        return explain(failure, target, where or failure.setup.name, file)


def explained_file(file: Path) -> Violation | None:
    """The same for a file; none where it is not there, or is the failure of an allocator that runs elsewhere."""
    try:
        return explained_again(decoded(file.read_bytes()), file=str(file))
    except (OSError, BadFile):
        return None


def _rejection(failure: Failure, target: Target) -> Misuse | None:
    """The error with which the allocator rejects the last call of a failure; none if it does not."""
    record = failure.finding.record if failure.finding is not None else None
    if not isinstance(record, End) or record.outcome != "failed":
        return None
    try:
        play(failure.script, stage_for(target, failure.setup, failure.watch))
    except Broken as broken:
        # the judge objects while the error is on its way
        why: BaseException | None = broken
        while why is not None and not isinstance(why, Misuse):
            why = why.__context__
        return why
    return None


def _reservations(failure: Failure) -> tuple[str, ...]:
    said = []
    if not failure.repeats:
        said.append("it did not show again when the same calls were made a second time")
    elif not failure.reduced:
        said.append("time ran out before the calls were as few as they can be")
    return tuple(said)
