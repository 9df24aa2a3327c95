"""A fault and what became of it, in the same shape for all sorts of faults."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Verdict = Literal["caught", "caught by another property", "survived", "invalid", "not run"]


@dataclass(frozen=True)
class Seeded:
    """A seeded fault, before it is tried.

    Attributes:
        name: unlike that of any other.
        level: what it is a fault of: `specification`, `proof`, `allocator`, `device`, `recorder`, `kernel`, `judge`,
            a part of serving, or an adapter.
        precedent: a public report of a fault of its class, or the class; empty for what is left out to see what it is
            for.
        property: the one that must catch it.
        says: what is wrong, in a sentence.
    """

    name: str
    level: str
    precedent: str
    property: str
    says: str


@dataclass(frozen=True)
class Row:
    """What became of a fault.

    Attributes:
        fault: which was tried.
        verdict: `invalid` where it could not be tried as it should, `not run` where what it needs is not here.
        caught_by: the property that broke; none if none did.
        calls: until something broke for the first time; none where no calls are made.
        seconds: likewise.
        shrunk: calls of the shortest example; for a proof, the actions of its counterexample.
        problem: why there is no better verdict.
    """

    fault: Seeded
    verdict: Verdict
    caught_by: str | None = None
    calls: int | None = None
    seconds: float = 0.0
    shrunk: int | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Baseline:
    """How the unmodified code did, before any fault.

    Attributes:
        what: was tried.
        passed: of what, and how many.
        calls: to the allocator among them.
        property: that broke; none if it passes.
        problem: what was seen then.
    """

    what: str
    passed: str
    calls: int = 0
    property: str | None = None
    problem: str | None = None


@dataclass(frozen=True)
class Settings:
    """How faults are tried.

    Attributes:
        calls: judged calls after which a fault has survived.
        seed: of all choices.
    """

    calls: int
    seed: int


@dataclass(frozen=True)
class Source:
    """Faults of one sort.

    Attributes:
        faults: all of them.
        tried: tries some by name; gives how the unmodified code did, and if it passes a row for each.
    """

    faults: Callable[[], Sequence[Seeded]]
    tried: Callable[[Sequence[str], Settings], Iterator[Baseline | Row]]


@dataclass(frozen=True)
class Matrix:
    """What became of all that were chosen."""

    baselines: tuple[Baseline, ...]
    rows: tuple[Row, ...]

    @property
    def holds(self) -> bool:
        """The unmodified code passes, and what was run was caught by the property that it names; something was run."""
        run = [row for row in self.rows if row.verdict != "not run"]
        good = all(baseline.property is None for baseline in self.baselines)
        return good and bool(run) and all(row.verdict == "caught" for row in run)
