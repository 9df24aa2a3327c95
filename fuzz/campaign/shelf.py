"""A shelf of the corpus: the examples of one target and setup, as Hypothesis takes and puts them during a unit."""

from collections.abc import Iterable

import hypothesis
from hypothesis.database import ExampleDatabase

from fuzz.campaign.record import Kept
from fuzz.coverage import Coverage


class Shelf(ExampleDatabase):
    """What lay there when the unit began, in an order that is always the same, and what the unit adds.

    Hypothesis tries failing examples first, then some of those that were on its front: an example is put there that
    exercised something which no example did before. Nothing is thrown away: what fails no more may fail again.
    """

    def __init__(self, before: Kept) -> None:
        super().__init__()
        self._before, self._seen = before, set(before.seen)
        self._failing: dict[bytes, None] = {}
        self._covering: dict[bytes, None] = {}
        self._new: list[str] = []
        self._pending: list[str] = []

    @property
    def database(self) -> ExampleDatabase:
        """See `fuzz.machine.Corpus`."""
        return self

    @property
    def added(self) -> Kept:
        """What the unit put there."""
        return Kept(tuple(self._failing), tuple(self._covering), tuple(self._new))

    def came_to(self, coverage: Coverage) -> None:
        """See `fuzz.machine.Corpus`."""
        self._pending = [feature for feature in features_of(coverage) if feature not in self._seen]
        for feature in self._pending:
            hypothesis.target(1.0, label=feature)

    def fetch(self, key: bytes) -> Iterable[bytes]:
        """See `ExampleDatabase`."""
        if key.endswith(b".pareto"):
            return sorted(self._before.covering)
        return () if key.endswith(b".secondary") else sorted(self._before.failing)

    def save(self, key: bytes, value: bytes) -> None:
        """See `ExampleDatabase`."""
        if key.endswith(b".pareto"):
            if self._pending:
                self._covering[value] = None
                self._new += self._pending
                self._seen.update(self._pending)
                self._pending = []
        elif not key.endswith(b".secondary"):
            self._failing[value] = None

    def delete(self, key: bytes, value: bytes) -> None:
        """Nothing is thrown away."""


def features_of(coverage: Coverage) -> list[str]:
    """What an example may be the first to exercise: how calls and operations ended, why not, and the edges."""
    counted = (*coverage.outcomes, *coverage.operations, *coverage.rejections)
    found = [*(f"{name}: {how}" for name, how in counted), *coverage.boundaries]
    return sorted(set(found))
