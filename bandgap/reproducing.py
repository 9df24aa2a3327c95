"""Makes the calls of a failure of Bandgap's own allocator again, on any device there is."""

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final

from bandgap.errors import UsageError
from fuzz.faults.all import FAULTS
from fuzz.playing import play
from fuzz.reproduction import Reproduction, decoded, played_again
from fuzz.saving import BadFile
from fuzz.stage import Stage
from fuzz.targets.all import TARGETS
from fuzz.targets.simulated import SIMULATED
from fuzz.violation import Violation

if TYPE_CHECKING:
    from gpu_tests.allocator.place import Place

GPU: Final = "bandgap-streams"
"""The allocator on CUDA's streams."""


def read(file: Path, data: bytes) -> Reproduction:
    """What a file says.

    Raises:
        UsageError: it is no such file, or names what is not known here.
    """
    try:
        reproduction = decoded(data)
    except BadFile as error:
        raise UsageError("FILE", str(file), str(error), "give a failure that was saved") from error
    if reproduction.fault is not None and reproduction.fault not in FAULTS:
        raise UsageError("fault", reproduction.fault, "is no seeded fault", "it may have been renamed since")
    return reproduction


def broken_by(reproduction: Reproduction, target: str | None) -> Violation | None:
    """What breaks when its calls are made again; None if nothing does.

    Args:
        reproduction: of the failure.
        target: on which, by name; none for the one on which it was found.

    Raises:
        UsageError: there is no such target, it is not to be had here, or it does not promise what broke.
    """
    field, name = ("target", reproduction.target) if target is None else ("--target", target)
    if name not in {GPU, *TARGETS}:
        raise UsageError(field, name, "is not known here", f"the targets are {', '.join((*TARGETS, GPU))}")
    promises = SIMULATED.promises if name == GPU else TARGETS[name].promises
    if reproduction.property not in promises:
        raise UsageError(field, name, f"does not promise {reproduction.property}", "leave --target out")
    with FAULTS[reproduction.fault].apply() if reproduction.fault else nullcontext():
        if name == GPU:
            return on_streams(reproduction, _gpu())
        return played_again(reproduction, TARGETS[name]).violation


def on_streams(reproduction: Reproduction, place: "Place") -> Violation | None:
    """What breaks on the streams of a place."""
    from gpu_tests.allocator.stage import StreamStage
    from gpu_tests.allocator.target import StreamTarget

    stage = StreamStage(StreamTarget(place), reproduction.built_setup(), reproduction.watch())
    return _broken(reproduction, stage)


def _broken(reproduction: Reproduction, stage: Stage) -> Violation | None:
    try:
        play(reproduction.script, stage)
    except Violation as violation:
        return violation
    return None


def _gpu() -> "Place":
    try:
        from gpu_tests.allocator.place import on
        from gpu_tests.surroundings import NoGpu, gpu
    except ImportError as error:
        raise UsageError("--target", GPU, f"is not installed: {error}", "run this from a checkout") from error
    try:
        return on(gpu())
    except NoGpu as error:
        raise UsageError("--target", GPU, str(error), f"leave it out, or give {SIMULATED.name}") from error
