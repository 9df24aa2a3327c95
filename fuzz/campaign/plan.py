"""What a campaign is, and the code that it is about."""

import platform
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Final

from msgspec import Meta, Struct

from fuzz.peers.environments import Driven, found, is_peer

ROOMS: Final = ("events", "fuzz", "impl", "spec")
"""Whose code decides what a unit comes to."""

MOST_LANES: Final = 1024

_ROOT = Path(__file__).parents[2]


class Plan(Struct, frozen=True, forbid_unknown_fields=True):
    """What a campaign is: two with the same plan and the same corpus to begin with do the same.

    Attributes:
        target: by name.
        seed: of all choices.
        lanes: that are worked off side by side.
        unit_calls: judged calls of one unit of the seeded driver, about; one of the state machine takes as long.
        fault: the seeded fault that is in force, by name; none for what is really there.
        code: of the rooms that decide what a unit comes to; see `code_now`.
        checkout: of a peer's sources, driven instead of its release.
        python: the interpreter in which another's allocator is driven, if not its usual one.
    """

    target: str
    seed: int
    lanes: Annotated[int, Meta(ge=1, le=MOST_LANES)]
    unit_calls: Annotated[int, Meta(ge=1)]
    fault: str | None
    code: str
    checkout: str | None = None
    python: str | None = None


def code_now(target: str, checkout: str | None = None, python: str | None = None) -> str:
    """A hash of the code that is installed here, and of what chooses.

    Of another's allocator also of its driver's file or its checkout, and of the releases that are installed where it is
    driven, its own among them.

    Raises:
        OSError: its driver's file or its checkout cannot be read.
        NoEnvironment: there is no such driver, checkout or environment.
    """
    code = code_of_rooms()
    if is_peer(target):
        there, own = (None if path is None else Path(path) for path in (checkout, python))
        driven = found(target, checkout=there, python=own)
        code += _releases_of(driven)
        if driven.checkout is not None:
            code += _code_of(driven.checkout / driven.key)
        elif target.endswith(".py"):
            code += Path(driven.driver).read_bytes()
    return sha256(code).hexdigest()[:16]


@cache
def _releases_of(driven: Driven) -> bytes:
    """A hash of what is installed where it is driven, as it is when this is first asked."""
    return sha256(driven.releases()).digest()


@cache
def _code_of(package: Path) -> bytes:
    """A hash of a package's files as they are when this is first asked."""
    code = sha256()
    for path in sorted(package.rglob("*.py")):
        code.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes() + b"\0")
    return code.digest()


@cache
def code_of_rooms() -> bytes:
    """A hash of the rooms' files as they are when this is first asked, and of the versions of what chooses."""
    code = sha256(f"{platform.python_version()} {version('hypothesis')}".encode())
    for path in (path for room in ROOMS for path in sorted((_ROOT / room).rglob("*.py"))):
        code.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return code.digest()
