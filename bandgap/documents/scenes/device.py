"""The scenes of the device's actions and properties: the arena of the other scenes, and accesses 0, 1, 2, ...

An access is one reading or one writing. They are used in their order here, and the device runs each after all those
before it, unless a scene says otherwise.
"""

from collections.abc import Mapping
from dataclasses import replace

from bandgap.documents.scenes.arena import FORWARD, FULL, NAMES, NEXT, SHAPE, START, TRANSFER, A, B
from bandgap.documents.scenes.stage import Act, Offence, Scene, with_tables
from properties.examples import Arena, Entries
from spec.device.state import DEVICE
from spec.state import READ, WRITE

ACCESSES = 6
IN_TURN: Entries = {(one, other): True for other in range(ACCESSES) for one in range(other)}
"""Each access runs after all those before it."""

ON_DEVICE = with_tables(replace(START, shape=replace(SHAPE, accesses=ACCESSES), signature=DEVICE), {"ahead": IN_TURN})


def _unordered(one: int, other: int) -> Arena:
    """The start of a scene in which the device may run these two in either order."""
    return with_tables(ON_DEVICE, {"ahead": {key: True for key in IN_TURN if key != (one, other)}})


NAMED: tuple[Act, ...] = (("device/allocate", FULL, 3, 0, 0), ("device/land", 0))
"""Virtual page 0 lives at full page 3, and the device's page table says so."""

HELD: tuple[Act, ...] = (*NAMED, ("device/hold", FORWARD, FULL, 0, WRITE))
"""The forward pass is to write it."""

ISSUED: tuple[Act, ...] = (*HELD, ("device/issue-write", FORWARD, FULL, 3, A, 1))
"""The write is issued."""

LANDED: tuple[Act, ...] = (*ISSUED, ("device/land", 1))
"""It has arrived."""

SHOWS_A: tuple[Act, ...] = (*LANDED, ("device/complete", FORWARD))
"""That is over."""

MOVING: Act = ("device/move", FULL, 3, 5, 2, 3, 4)
"""The page is copied by the allocator's stream, and the device's page table is told."""


def _scene(shown: Act, before: tuple[Act, ...] = ()) -> Scene:
    return Scene(ON_DEVICE, before, shown, NAMES)


ACTIONS: Mapping[str, Scene] = {
    "device/issue-read": _scene(
        ("device/issue-read", NEXT, FULL, 3, 2), (*LANDED, ("device/hold", NEXT, FULL, 0, READ))
    ),
    "device/issue-write": _scene(("device/issue-write", FORWARD, FULL, 3, A, 1), HELD),
    "device/look-up": _scene(("device/look-up", FORWARD, FULL, 3, 1), HELD),
    "device/complete": _scene(("device/complete", FORWARD), LANDED),
    "device/drain": _scene(
        ("device/drain",), (*SHOWS_A, MOVING, ("device/land", 2), ("device/land", 3), ("device/land", 4))
    ),
    "device/allocate": _scene(("device/allocate", FULL, 4, 1, 1), NAMED),
    "device/allocate-wiped": _scene(("device/allocate-wiped", FULL, 4, 1, B, 1, 2), NAMED),
    "device/fork": _scene(("device/fork", FULL, 4, 1, 0, 2, 3, 4), SHOWS_A),
    "device/move": _scene(MOVING, SHOWS_A),
    "device/land": _scene(("device/land", 1), ISSUED),
    "device/tear": _scene(("device/tear", 2), (*LANDED, ("device/issue-write", FORWARD, FULL, 3, B, 2))),
}
"""A scene for each action to which the device adds something."""


def _offence(before: tuple[Act, ...], *wrong: Act, start: Arena = ON_DEVICE, fault: str = "") -> Offence:
    return Offence(start, before, wrong, fault, NAMES)


TWO_WRITES: tuple[Act, ...] = (
    *LANDED,
    ("device/issue-write", FORWARD, FULL, 3, B, 2),
    ("device/land", 2),
    ("device/hold", NEXT, FULL, 0, READ),
)

PROPERTIES: Mapping[str, Offence] = {
    "accesses-on-record": _offence((*HELD, ("device/look-up", FORWARD, FULL, 3, 1)), ("device/complete", FORWARD)),
    "well-formed": _offence(
        (*LANDED, ("device/hold", NEXT, FULL, 0, READ)),
        ("device/issue-read", NEXT, FULL, 3, 2),
        fault="device/issue-read.fills-nothing-in",
    ),
    "flights-are-issued": _offence(
        HELD,
        ("device/issue-write", FORWARD, FULL, 3, A, 1),
        fault="device/issue-write.forgets-who-wrote-last",
    ),
    "over-in-order": _offence((*ISSUED, ("device/issue-write", FORWARD, FULL, 3, B, 2)), ("device/land", 2)),
    "race-free": _offence(
        (*ISSUED, ("device/hold", NEXT, FULL, 0, READ)),
        ("device/issue-read", NEXT, FULL, 3, 2),
        start=_unordered(1, 2),
    ),
    "pages-hold-the-latest": _offence(
        (*SHOWS_A, ("device/free", FULL, 0)),
        ("device/allocate-wiped", FULL, 3, 1, B, 2, 3),
        fault="device/allocate-wiped.wipes-nothing",
    ),
    "reads-find-the-latest": _offence(
        (*ISSUED, ("device/hold", NEXT, FULL, 0, READ)),
        ("device/issue-read", NEXT, FULL, 3, 2),
        start=_unordered(1, 2),
    ),
    "copies-bring-what-they-found": _offence(
        NAMED, ("device/fork", FULL, 4, 1, 0, 1, 2, 3), fault="device/fork.trusts-what-it-copies"
    ),
    "entries-name-the-latest": _offence(SHOWS_A, MOVING, fault="device/move.tells-the-table-the-old-page"),
    "lookups-find-the-latest": _offence(
        (("device/allocate", FULL, 3, 0, 0), ("device/hold", FORWARD, FULL, 0, READ)),
        ("device/look-up", FORWARD, FULL, 3, 1),
        start=_unordered(0, 1),
    ),
    "no-foreign-bytes": _offence(
        (
            *LANDED,
            ("device/issue-read", FORWARD, FULL, 3, 2),
            ("device/issue-write", FORWARD, FULL, 3, B, 3),
        ),
        ("device/tear", 3),
    ),
    "lookups-are-true": _offence(
        HELD,
        ("device/look-up", FORWARD, FULL, 3, 1),
        fault="device/look-up.looks-for-a-virtual-page-at-a-physical-one",
    ),
    "held-memory-frozen": _offence(TWO_WRITES, ("device/land", 1)),
    "transfers-are-alone": _offence(
        (*SHOWS_A, MOVING),
        ("device/hold", TRANSFER, FULL, 0, READ),
        ("device/issue-read", TRANSFER, FULL, 5, 5),
    ),
}
"""An offence against each property of the device."""
