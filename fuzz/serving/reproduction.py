"""A failure of serving as one file: the scene and the operations, as JSON with one operation a line.

A file may come from anywhere: it is bounded, it names a scene and operations that are known, and nothing in it is
executed.
"""

from pathlib import Path
from typing import Annotated, Final, TypeAlias

from msgspec import Meta, Struct

from events.records import Name
from fuzz.saving import BadFile, as_json, decoded_as, laid_out, put
from fuzz.serving.failure import Failure
from fuzz.serving.faults import FAULTS, in_force
from fuzz.serving.kinds import KINDS
from fuzz.serving.living import Life, Script, lived
from fuzz.serving.operations import Operation
from fuzz.serving.scene import Scene

FORMAT: Final = "bandgap-serving-1"
"""The first field of a file says it; a reader refuses any other."""

LARGEST_FILE: Final = 1 << 22
"""Bytes."""

Text = Annotated[str, Meta(max_length=4000)]
Draw = Annotated[int, Meta(ge=0, lt=1 << 16)]
Line: TypeAlias = tuple[Name, Draw, Draw, Draw, Draw]


class Reproduction(Struct, frozen=True, forbid_unknown_fields=True):
    """What a file says."""

    format: Name
    property: Name
    problem: Text
    fault: Name | None
    absent: Annotated[list[Name], Meta(max_length=256)]
    scene: Scene
    script: Annotated[list[Line], Meta(max_length=10_000)]


def operations_of(reproduction: Reproduction) -> Script:
    """The operations of a file."""
    return tuple(Operation(name, (one, two, three, four)) for name, one, two, three, four in reproduction.script)


def is_reproduction(data: bytes) -> bool:
    """It says that it is a file of this format."""
    return data[:200].lstrip().startswith(b'{\n  "format": "bandgap-serving-')


def encoded(failure: Failure) -> bytes:
    """The file of a failure."""
    head = {
        "format": FORMAT,
        "property": failure.property,
        "problem": failure.problem[:4000],
        "fault": failure.fault,
        "absent": failure.absent,
        "scene": failure.scene,
    }
    calls = [[name, *draws] for name, draws in failure.script]
    return laid_out({name: as_json(value) for name, value in head.items()}, calls)


def saved(failure: Failure, folder: Path) -> Path:
    """Write the file of a failure into a folder, under a name that its contents give it."""
    data = encoded(failure)
    return put(data, folder, f"serving-{failure.property}")


def decoded(data: bytes) -> Reproduction:
    """What a file says.

    Raises:
        BadFile: it is no file of this format, or says what cannot be.
    """
    if len(data) > LARGEST_FILE:
        raise BadFile(f"has more than {LARGEST_FILE} bytes, the most that a reproduction may have")
    found = decoded_as(data, Reproduction)
    if found.format != FORMAT:
        raise BadFile(f"is of format {found.format!r}; this reader knows {FORMAT!r}")
    unknown = [operation.name for operation in operations_of(found) if operation.name not in KINDS]
    if unknown:
        raise BadFile(f"names an operation that is not known: {unknown[0]!r}")
    if found.fault is not None and found.fault not in FAULTS:
        raise BadFile(f"names a seeded fault that is not known: {found.fault!r}")
    return found


def lived_again(reproduction: Reproduction) -> Life:
    """Live the life of a file once more, under the fault under which it broke."""
    with in_force(reproduction.fault):
        return lived(reproduction.scene, operations_of(reproduction))
