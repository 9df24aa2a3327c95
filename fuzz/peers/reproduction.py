"""A failure of another's allocator as one file: what was driven, and the calls, as JSON with one call a line.

A file may come from anywhere: it is bounded, it names a target and no file or module, and nothing in it is executed.
"""

from pathlib import Path
from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from events.records import Name
from fuzz.campaign.files import in_a_name
from fuzz.peers.hunting import Finding
from fuzz.peers.lives import Lived, lived
from fuzz.peers.process import Life, PeerProcess
from fuzz.saving import BadFile, as_json, decoded_as, laid_out, put

FORMAT: Final = "bandgap-peer-1"
"""The first field of a file says it; a reader refuses any other."""

LARGEST_FILE: Final = 1 << 24
"""Bytes."""

Text = Annotated[str, Meta(max_length=4000)]
Arguments = Annotated[list[Any], Meta(min_length=1, max_length=100)]


class Reproduction(Struct, frozen=True, forbid_unknown_fields=True):
    """What a file says."""

    format: Name
    target: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,40}(==[A-Za-z0-9.+-]{1,40})?$")]
    version: Name
    setup: Name
    property: Name
    problem: Text
    fault: Name | None
    script: Annotated[list[Arguments], Meta(max_length=10_000)]


def is_reproduction(data: bytes) -> bool:
    """It says that it is a file of this format."""
    return data[:200].lstrip().startswith(b'{\n  "format": "bandgap-peer-')


def encoded(finding: Finding, target: str, version: str) -> bytes:
    """The file of a failure of a target, which is named without any path."""
    head = {
        "format": FORMAT,
        "target": target,
        "version": version,
        "setup": finding.setup,
        "property": finding.property,
        "problem": finding.problem[:4000],
        "fault": finding.fault,
    }
    return laid_out({name: as_json(value) for name, value in head.items()}, finding.script)


def saved(finding: Finding, target: str, version: str, folder: Path) -> Path:
    """Write the file of a failure into a folder, under a name that its contents give it."""
    data = encoded(finding, target, version)
    return put(data, folder, f"{target}-{in_a_name(finding.property)}")


def decoded(data: bytes) -> Reproduction:
    """What a file says.

    Raises:
        BadFile: it is no file of this format.
    """
    if len(data) > LARGEST_FILE:
        raise BadFile(f"has more than {LARGEST_FILE} bytes, the most that a reproduction may have")
    found = decoded_as(data, Reproduction)
    if found.format != FORMAT:
        raise BadFile(f"is of format {found.format!r}; this reader knows {FORMAT!r}")
    if not all(isinstance(call[0], str) for call in found.script):
        raise BadFile("is no reproduction: a call begins with its name")
    return found


def played_again(reproduction: Reproduction, process: PeerProcess) -> Lived:
    """Make the calls of a file once more.

    Raises:
        BadFile: the target has no such setup or fault.
        PeerFailed: the calls are not the driver's.
    """
    description = process.description
    if reproduction.setup not in description.setups:
        raise BadFile(f"names a setup that this target does not have: {reproduction.setup!r}")
    if reproduction.fault is not None and reproduction.fault not in description.faults:
        raise BadFile(f"names a fault that this target does not have: {reproduction.fault!r}")
    script = tuple(list(call) for call in reproduction.script)
    return lived(process, Life(reproduction.setup, script=script, fault=reproduction.fault))
