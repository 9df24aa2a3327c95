"""What a campaign is, and the code that it is about."""

import platform
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Final

from msgspec import Meta, Struct

from fuzz.peers.environments import package_of

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


def code_now(target: str, checkout: str | None = None) -> str:
    """A hash of the code that is installed here, of what chooses, and of a driver's file or a peer's checkout.

    Raises:
        OSError: there is no such file.
        NoEnvironment: there is no such checkout.
    """
    driven = Path(target).read_bytes() if target.endswith(".py") else b""
    if checkout is not None:
        key = target.partition("==")[0]
        driven = _code_of(package_of(Path(checkout), key) / key)
    return sha256(code_of_rooms() + driven).hexdigest()[:16]


@cache
def _code_of(package: Path) -> bytes:
    """A hash of a package's files as they are when this is first asked."""
    found = sha256()
    for path in sorted(package.rglob("*.py")):
        found.update(str(path.relative_to(package)).encode() + b"\0" + path.read_bytes() + b"\0")
    return found.digest()


@cache
def code_of_rooms() -> bytes:
    """A hash of the rooms' files as they are when this is first asked, and of the versions of what chooses."""
    found = sha256(f"{platform.python_version()} {version('hypothesis')}".encode())
    for path in (path for room in ROOMS for path in sorted((_ROOT / room).rglob("*.py"))):
        found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.digest()
