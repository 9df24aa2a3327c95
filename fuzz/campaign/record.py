"""What came of one unit, as the journal has it."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from fuzz.coverage import Coverage
from fuzz.looks import Look


class Finding(Struct, frozen=True, forbid_unknown_fields=True):
    """A failure that was made short and can be made again.

    Attributes:
        look: by which it is told from others.
        setup: on which it shows.
        problem: what is seen, a clause.
        calls: of its script.
        file: the file that makes it again, its whole text.
        shown: the calls as code.
    """

    look: Look
    setup: str
    problem: str
    calls: int
    file: str
    shown: str


class Met(Struct, frozen=True, forbid_unknown_fields=True):
    """A failure that a unit met.

    Attributes:
        look: of the failure when it was met.
        times: lives or examples that ended in it.
        short: how it looks once made short; none where the lane knew it.
        finding: what it is once made short; none where the lane or the unit knew it.
    """

    look: Look
    times: int
    short: Look | None = None
    finding: Finding | None = None


class Kept(Struct, frozen=True, forbid_unknown_fields=True):
    """Examples of Hypothesis' that are worth trying again.

    Attributes:
        failing: that broke something.
        covering: that exercised something which no other had.
        seen: what the covering ones exercised.
    """

    failing: tuple[bytes, ...] = ()
    covering: tuple[bytes, ...] = ()
    seen: tuple[str, ...] = ()

    def __add__(self, other: "Kept") -> "Kept":
        return Kept(
            _together(self.failing, other.failing),
            _together(self.covering, other.covering),
            _together(self.seen, other.seen),
        )


def _together(some: tuple, others: tuple) -> tuple:  # type: ignore[type-arg]  # whatever is in them
    return tuple(dict.fromkeys((*some, *others)))


NOTHING: Final = Kept()


class Record(Struct, frozen=True, forbid_unknown_fields=True):
    """What came of one unit.

    Attributes:
        lane: of the unit.
        index: of the unit in its lane.
        kind: see `Work.kinds`.
        setup: what allocators were built from; empty where it was all of them.
        lives: allocators that were built, driven and given up; of engines, scenes that were lived in.
        operations: of the engine.
        calls: judged.
        seconds: that it took; nothing depends on it.
        actions: page actions by name.
        outcomes: calls by name and how they ended.
        done: operations by name and what came of them.
        rejections: calls that were no legal ones, by name and reason.
        boundaries: states at the edge of something, by name.
        pairs: page actions that followed each other.
        calls_in_turn: calls that followed each other.
        events: what happened meanwhile, by name.
        met: failures.
        excused: lives that ended in what the target does not promise.
        kept: examples.
        broken: why nothing was learned; none if something was.
    """

    lane: int
    index: int
    kind: str
    setup: str
    lives: int = 0
    operations: int = 0
    calls: int = 0
    seconds: float = 0.0
    actions: dict[str, int] = {}
    outcomes: list[tuple[str, str, int]] = []
    done: list[tuple[str, str, int]] = []
    rejections: list[tuple[str, str, int]] = []
    boundaries: dict[str, int] = {}
    pairs: list[tuple[str, str, int]] = []
    calls_in_turn: list[tuple[str, str, int]] = []
    events: dict[str, int] = {}
    met: tuple[Met, ...] = ()
    excused: int = 0
    kept: Kept = NOTHING
    broken: str | None = None

    def coverage(self) -> Coverage:
        """What it exercised."""
        return Coverage(
            Counter(self.actions),
            _paired(self.outcomes),
            _paired(self.done),
            _paired(self.rejections),
            Counter(self.boundaries),
            _paired(self.pairs),
            _paired(self.calls_in_turn),
            Counter(self.events),
        )


def in_order(counts: Mapping[str, int]) -> dict[str, int]:
    """The same, so that it is written the same."""
    return dict(sorted(counts.items()))


def listed(counts: Mapping[tuple[str, str], int]) -> list[tuple[str, str, int]]:
    """Counts as a journal has them."""
    return [(name, how, times) for (name, how), times in sorted(counts.items())]


def _paired(counts: list[tuple[str, str, int]]) -> Counter[tuple[str, str]]:
    return Counter({(name, how): times for name, how, times in counts})
