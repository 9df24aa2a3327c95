"""The least that a run must have exercised: one that did less has shown nothing, however it ended."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from fuzz import coverage as names
from fuzz.boundaries import BOUNDARIES
from fuzz.coverage import Coverage
from fuzz.engine.kinds import KINDS
from spec.specification import ACTIONS

OUTCOMES: Final = (
    ("allocate", "step 1"),
    ("allocate", "step 1 settling"),
    ("allocate", "step 2"),
    ("allocate", "step 2 settling"),
    ("allocate", "step 3"),
    ("allocate", "step 3 settling"),
    ("allocate", "never"),
    ("allocate", "after-release"),
    ("allocate", "evict"),
    ("allocate", "wiped"),
    ("allocate", "rejected"),
    ("allocate", "copies"),
    ("allocate", "copies behind their writers"),
    ("plan", "fits"),
    ("plan", "does not fit"),
    ("share", "done"),
    ("share", "rejected"),
    ("release", "done"),
    ("release", "rejected"),
    ("clear", "done"),
    ("open", "forward"),
    ("open", "copy"),
    ("open", "transfer"),
    ("open", "rejected"),
    ("hold", "forward read"),
    ("hold", "forward write"),
    ("hold", "copy read"),
    ("hold", "copy write"),
    ("hold", "transfer read"),
    ("hold", "transfer write"),
    ("hold", "rejected"),
    ("issue", "done"),
    ("land", "done"),
    ("complete", "forward"),
    ("complete", "copy"),
    ("complete", "transfer"),
    ("complete", "rejected"),
    ("quarantine", "done"),
    ("quarantine", "rejected"),
    ("settle", "forward"),
    ("settle", "copy"),
    ("settle", "rejected"),
    ("drain", "done"),
    ("publish", "done"),
    ("unpublish", "done"),
    ("unpublish", "rejected"),
    ("compact", "moved"),
    ("compact", "nothing to move"),
    ("malformed", "rejected"),
    ("release memory", "done"),
    ("release memory", "rejected"),
    ("resume memory", "done"),
    ("resume memory", "rejected"),
    ("allocate", "rejected without memory"),
    ("hold", "rejected without memory"),
    ("publish", "rejected without memory"),
    ("compact", "rejected without memory"),
)
"""Calls and how they ended: each step of admission, each reason of a refusal, each user and mode of a ticket, and each
call that can be made by mistake."""


REJECTIONS: Final = (
    ("hold", "the ticket has not retired"),
    ("hold", "the virtual page is alive"),
    ("hold", "writing needs a sole reference"),
    ("hold", "where either writes, every other holder runs before this ticket"),
    ("hold", "a transfer meets nothing left on the allocator's stream"),
    ("hold", "ticket # was never opened"),
    ("complete", "the ticket has not retired"),
    ("complete", "ticket # was never opened"),
    ("settle", "the ticket has not retired"),
    ("settle", "a stream can wait for it"),
    ("settle", "ticket # was never opened"),
    ("share", "the virtual page is alive"),
    ("free", "the virtual page is alive"),
    ("release", "there is no band #"),
    ("unpublish", "# has published nothing"),
    ("open", "ticket # is a forward, which needs a stream"),
    ("open", "ticket # is a transfer, which is on no stream and waits for nothing"),
    ("open", "ticket # waits for ticket #, a transfer, for which no stream can wait"),
    ("allocate", "the demand must say how many pages of each of the # bands"),
    ("allocate", "ticket # cannot be settled: it is not outstanding, or is a transfer"),
    ("allocate", "the originals must be said of each of the # bands, or of none"),
    ("allocate", "# originals for # pages of band #"),
    ("allocate", "id # of band #, to be copied, is not alive"),
    ("allocate", "id # of band #, to be copied, is held for writing by others than may be settled"),
)
"""Why calls are no legal ones: the sentences of guards that a caller can offend, and what is wrong before any guard."""

NOT_OFFENDED: Final = {
    ("complete", "all its writes have landed"): "the driver lets all writes land before it says that a ticket is over",
    ("issue", "the ticket holds the page for writing"): "the driver writes only to what it was given",
    ("land", "a write is in flight to the page"): "the driver lets only land what is in flight",
    ("unshare", "another reference remains"): "of a release the number of references decides which action it is",
    ("free", "nobody else refers to it"): "of a release the number of references decides which action it is",
}
"""Sentences of the guards of a driver's own actions that no call of this driver offends, and why."""

GROWING: Final = frozenset({"grow-low", "grow-high", "appear"})
ABSORBING: Final = frozenset({"absorb-low", "absorb-high"})

_AFTER_GROWING: Final = GROWING | {"allocate", "allocate-wiped", "fork", "move"}
_BEFORE_ABSORBING: Final = ABSORBING | {"free", "complete", "settle", "move"}


def can_follow(first: str, second: str) -> bool:
    """Whether a page action can come right after another one.

    A span grows only to take a page in, which a step of the same call does; and it gives pages up as soon as they come
    free at its side. Nothing moves while somebody has published addresses. Of bands that are laid out anew those that
    move come before those that appear, in each of which the same call hands out a page.
    """
    if second == "move" and first in {"publish", "appear"}:
        return False
    if first == "move":
        return second in ABSORBING
    if second in ABSORBING:
        return first in _BEFORE_ABSORBING
    return first not in GROWING or second in _AFTER_GROWING


CALLS: Final = (
    "allocate",
    "plan",
    "share",
    "release",
    "clear",
    "open",
    "hold",
    "issue",
    "land",
    "complete",
    "quarantine",
    "settle",
    "drain",
    "publish",
    "unpublish",
    "compact",
    "release-memory",
    "resume-memory",
    "malformed",
)
"""By the names that scripts have for them."""

PAIRS: Final = tuple(pair for pair in product(ACTIONS, repeat=2) if can_follow(*pair))
CALL_PAIRS: Final = tuple(product(CALLS, repeat=2))


@dataclass(frozen=True)
class Part:
    """One sort of what can be exercised.

    Attributes:
        what: it is called.
        names: all that there is of it, as `Coverage.named` has it.
    """

    what: str
    names: tuple[str, ...]


PARTS: Final = (
    Part("page actions", tuple(map(names.action, ACTIONS))),
    Part("ways in which calls end", tuple(names.call(*each) for each in OUTCOMES)),
    Part("reasons why calls are rejected", tuple(names.rejected(*each) for each in REJECTIONS)),
    Part("boundary states", tuple(map(names.boundary, BOUNDARIES))),
    Part("operations of the engine", tuple(map(names.operation, KINDS))),
    Part("pairs of page actions", tuple(names.pair(*each) for each in PAIRS)),
    Part("pairs of calls", tuple(names.calls(*each) for each in CALL_PAIRS)),
)
"""All of the specification that a run of our own allocator can exercise."""


@dataclass(frozen=True)
class Reached:
    """How much of a part was exercised at all.

    Attributes:
        part: of what there is.
        number: that was exercised.
        never: what was not, by name.
    """

    part: Part
    number: int
    never: tuple[str, ...]


def reached(times: Mapping[str, int], parts: Sequence[Part] = PARTS) -> Iterator[Reached]:
    """Of each part, given how often each thing was exercised by name."""
    for part in parts:
        never = tuple(name for name in part.names if not times.get(name))
        yield Reached(part, len(part.names) - len(never), never)


DIFFERENT: Final = {"pairs of page actions": "pair ", "pairs of calls": "calls "}
"""What is asked of them is how many different ones there were; and how their names begin."""


def exercised(times: Mapping[str, int], what: str) -> int:
    """How often something was exercised; of pairs, how many different ones were."""
    beginning = DIFFERENT.get(what)
    if beginning is None:
        return times.get(what, 0)
    return sum(1 for name, number in times.items() if number and name.startswith(beginning))


def floors(action: int, rare: int, pairs: int, call_pairs: int) -> dict[str, int]:
    """The least of every page action, of everything rarer, and of different pairs of page actions and of calls."""
    least = {name: action if part.what == "page actions" else rare for part in PARTS[:-2] for name in part.names}
    return {**least, "pairs of page actions": pairs, "pairs of calls": call_pairs}


PER_ACTION: Final = 5_000
PER_RARE: Final = 100_000
"""Judged calls among which a page action happens once at least, and anything that is rarer."""

FEW: Final = 100_000
"""Judged calls with which a campaign counts as a small one."""


def campaign_floors(calls: int) -> dict[str, int]:
    """What a campaign of so many judged calls must have exercised: everything, and more often the larger it is."""
    pairs = (150, 180) if calls < FEW else (240, 290)
    return floors(max(1, calls // PER_ACTION), max(1, calls // PER_RARE), *pairs)


def unexercised(coverage: Coverage, calls: int = 0) -> tuple[str, ...]:
    """What a run of so many calls, on chains with a float, must have done and did less of."""
    times = dict(coverage.named())
    return tuple(what for what, least in campaign_floors(calls).items() if exercised(times, what) < least)
