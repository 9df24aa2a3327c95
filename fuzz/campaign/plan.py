"""What a campaign is, and the code that it is about."""

import platform
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Final

from msgspec import Struct

ROOMS: Final = ("events", "fuzz", "impl", "spec")
"""Whose code decides what a unit comes to."""

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
    """

    target: str
    seed: int
    lanes: int
    unit_calls: int
    fault: str | None
    code: str


def code_now(target: str) -> str:
    """A hash of the code that is installed here, of a driver's file if the target is one, and of what chooses."""
    driver = Path(target).read_bytes() if target.endswith(".py") else b""
    return sha256(code_of_rooms() + driver).hexdigest()[:16]


@cache
def code_of_rooms() -> bytes:
    """A hash of the rooms' files as they are when this is first asked, and of the versions of what chooses."""
    found = sha256(f"{platform.python_version()} {version('hypothesis')}".encode())
    for path in (path for room in ROOMS for path in sorted((_ROOT / room).rglob("*.py"))):
        found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.digest()
