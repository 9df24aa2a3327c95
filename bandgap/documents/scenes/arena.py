"""The scenes of the arena's actions and properties."""

from collections.abc import Mapping

from bandgap.documents.scenes.stage import Act, Offence, Scene
from properties.examples import Arena
from properties.shapes import Shape
from spec.state import READ, WRITE

STATE, WINDOW, FULL = 0, 1, 2
NAMES = ("state", "window", "full")
"""The bands, as they are drawn."""

ZERO, A, B = 0, 1, 2
"""Values that are written to pages."""

FORWARD, NEXT, TRANSFER = 0, 1, 2
"""Three tickets: two forward passes, the first of which runs before the second, and a network transfer."""

SHAPE = Shape(pages=6, vids=4, tickets=3, sizes=(4, 3, 2), publishers=2, values=4)

START = Arena(
    SHAPE,
    base=0,
    capacity=32,
    bottom=0,
    top=6,
    origins=(0, 10, 20),
    tables={
        "lo": {(FULL,): 3},
        "hi": {(STATE,): 2, (WINDOW,): 2, (FULL,): 6},
        "before": {(FORWARD, NEXT): True},
        "is_transfer": {(TRANSFER,): True},
    },
)
"""Two state pages of 4 bytes, two window pages of 3, three full pages of 2; all holes."""

LIVE: tuple[Act, ...] = (("allocate", FULL, 3, 0),)
"""Virtual page 0 lives at full page 3."""

WRITTEN: tuple[Act, ...] = (
    *LIVE,
    ("hold", FORWARD, FULL, 0, WRITE),
    ("issue", FORWARD, FULL, 3, A),
    ("land", FULL, 3),
)
"""The forward pass has written to it."""

SHOWS_A: tuple[Act, ...] = (*WRITTEN, ("complete", FORWARD))
"""That is over: the page shows what was written."""

READ_LATER: tuple[Act, ...] = (*LIVE, ("hold", FORWARD, FULL, 0, READ))
"""The forward pass reads it."""

WITHHELD: tuple[Act, ...] = (*READ_LATER, ("free", FULL, 0))
"""It was freed meanwhile."""

NO_WINDOW: tuple[Act, ...] = (("absorb-low", WINDOW), ("absorb-low", WINDOW))
"""The float is empty, and has no position."""


def _scene(shown: Act, before: tuple[Act, ...] = ()) -> Scene:
    return Scene(START, before, shown, NAMES)


ACTIONS: Mapping[str, Scene] = {
    "grow-low": _scene(("grow-low", FULL), LIVE),
    "grow-high": _scene(("grow-high", WINDOW), LIVE),
    "appear": _scene(("appear", WINDOW, 2), NO_WINDOW),
    "absorb-low": _scene(("absorb-low", FULL)),
    "absorb-high": _scene(("absorb-high", STATE)),
    "allocate": _scene(("allocate", FULL, 4, 1), LIVE),
    "allocate-wiped": _scene(("allocate-wiped", FULL, 3, 1, ZERO), (*SHOWS_A, ("free", FULL, 0))),
    "fork": _scene(("fork", FULL, 4, 1, 0), SHOWS_A),
    "share": _scene(("share", FULL, 0), LIVE),
    "unshare": _scene(("unshare", FULL, 0), (*LIVE, ("share", FULL, 0))),
    "free": _scene(("free", FULL, 0), READ_LATER),
    "hold": _scene(("hold", FORWARD, FULL, 0, READ), LIVE),
    "complete": _scene(("complete", FORWARD), WITHHELD),
    "settle": _scene(
        ("settle", FORWARD),
        (*LIVE, ("hold", FORWARD, FULL, 0, WRITE), ("issue", FORWARD, FULL, 3, A)),
    ),
    "drain": _scene(("drain",), (*SHOWS_A, ("move", FULL, 3, 5))),
    "issue": _scene(("issue", FORWARD, FULL, 3, A), (*LIVE, ("hold", FORWARD, FULL, 0, WRITE))),
    "land": _scene(("land", FULL, 3), (*LIVE, ("hold", FORWARD, FULL, 0, WRITE), ("issue", FORWARD, FULL, 3, A))),
    "move": _scene(("move", FULL, 3, 5), (*SHOWS_A, ("hold", NEXT, FULL, 0, READ))),
    "publish": _scene(("publish", 0), LIVE),
    "unpublish": _scene(("unpublish", 0), (("publish", 0), ("publish", 1))),
}
"""A scene for each action."""


def _offence(before: tuple[Act, ...], *wrong: Act, fault: str = "") -> Offence:
    return Offence(START, before, wrong, fault, NAMES)


TOUCHING: tuple[Act, ...] = (
    ("grow-high", WINDOW),
    ("grow-low", FULL),
    ("grow-low", FULL),
    ("grow-low", FULL),
    ("allocate", FULL, 0, 0),
)
"""The window band and the full band have grown until there is one byte between them."""

OLD_WRITE: tuple[Act, ...] = (
    *SHOWS_A,
    ("allocate", FULL, 4, 1),
    ("hold", NEXT, FULL, 1, WRITE),
    ("issue", NEXT, FULL, 4, B),
    ("land", FULL, 4),
    ("free", FULL, 0),
    ("complete", NEXT),
    ("move", FULL, 4, 3),
    ("drain",),
    ("hold", TRANSFER, FULL, 1, READ),
)

PROPERTIES: Mapping[str, Offence] = {
    "span": _offence(NO_WINDOW, ("absorb-low", WINDOW)),
    "band-order": _offence(TOUCHING, ("grow-high", WINDOW)),
    "inside-arena": _offence(
        (*NO_WINDOW, ("absorb-low", FULL), ("absorb-low", FULL), ("absorb-low", FULL)), ("appear", WINDOW, 7)
    ),
    "anchored-ends": _offence((), ("absorb-low", STATE)),
    "outside-is-free": _offence(LIVE, ("absorb-low", FULL)),
    "ledger-wellformed": _offence((*LIVE, ("hold", TRANSFER, FULL, 0, READ)), ("hold", FORWARD, FULL, 0, WRITE)),
    "retired-hold-nothing": _offence((*LIVE, ("complete", FORWARD)), ("hold", FORWARD, FULL, 0, READ)),
    "transfers-meet-nothing": _offence((*SHOWS_A, ("move", FULL, 3, 5)), ("hold", TRANSFER, FULL, 0, READ)),
    "flights-are-held": _offence(READ_LATER, ("issue", FORWARD, FULL, 3, A)),
    "holders-know-tenant": _offence(WITHHELD, ("allocate", FULL, 3, 1)),
    "writers-aim-true": _offence(WRITTEN, ("move", FULL, 3, 5)),
    "references": _offence(LIVE, ("unshare", FULL, 1)),
    "bijection": _offence(LIVE, ("allocate", FULL, 3, 1)),
    "content": _offence(
        (*LIVE, ("hold", FORWARD, FULL, 0, WRITE), ("issue", FORWARD, FULL, 3, A)), ("fork", FULL, 4, 1, 0)
    ),
    "conservation": _offence(LIVE, ("free", FULL, 0), fault="free.loses-the-page"),
    "ledger-gated-reuse": _offence(WITHHELD, ("allocate", FULL, 3, 1)),
    "holdings-kept": _offence((*LIVE, ("hold", TRANSFER, FULL, 0, READ)), ("settle", TRANSFER)),
    "held-bytes-frozen": _offence(OLD_WRITE, ("land", FULL, 3)),
    "sole-writer": _offence((*LIVE, ("share", FULL, 0)), ("hold", FORWARD, FULL, 0, WRITE)),
    "references-one-by-one": _offence((*LIVE, ("share", FULL, 0)), ("free", FULL, 0)),
    "stream-work-on-record": _offence(SHOWS_A, ("move", FULL, 3, 5), fault="move.leaves-the-copy-off-the-record"),
    "content-kept": _offence(SHOWS_A, ("move", FULL, 3, 5), fault="move.leaves-the-bytes-behind"),
    "gate-holds": _offence((*LIVE, ("publish", 0)), ("move", FULL, 3, 5)),
    "writers-pin": _offence(WRITTEN, ("move", FULL, 3, 5)),
    "ids-fresh": _offence(WITHHELD, ("allocate", FULL, 4, 0)),
    "no-overlap": _offence(TOUCHING, ("grow-high", WINDOW), ("allocate", WINDOW, 3, 0)),
    "unique-ids": _offence(LIVE, ("allocate", FULL, 4, 0)),
    "handout-is-unused": _offence(READ_LATER, ("free", FULL, 0), fault="free.forgets-the-holders"),
}
"""An offence against each property."""
