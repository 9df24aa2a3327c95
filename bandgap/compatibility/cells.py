"""A cell: a sort of model and one or two features, and what is known of them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from bandgap.compatibility.refusals import NEEDS, refusal_of
from bandgap.compatibility.runs import RUNS

Verdict = Literal["allowed", "refused", "untested"]


@dataclass(frozen=True)
class Cell:
    """What is known of a sort of model with one or two features, or with none.

    Attributes:
        sort: of the model.
        features: none, one or two of them.
        verdict: of them.
        reason: of a refusal, or the number of runs; empty where nothing is known.
        remedy: of a refusal.
    """

    sort: str
    features: tuple[str, ...]
    verdict: Verdict
    reason: str
    remedy: str


def cell(sort: str, *features: str) -> Cell:
    """What is known of a sort of model and of these features together."""
    refused = refusal_of((sort, *features))
    if refused is not None:
        return Cell(sort, features, "refused", refused.reason, refused.remedy)
    runs = sum(run.sort == sort and run.features.issuperset(features) for run in RUNS)
    if runs:
        return Cell(sort, features, "allowed", f"{runs} run{'' if runs == 1 else 's'} compare every logit", "")
    return Cell(sort, features, "untested", "nobody has run them together", "")


@dataclass(frozen=True)
class Answer:
    """What is known of a whole set-up.

    Attributes:
        sort: of the model.
        features: all of them.
        cells: of the model alone, of each feature, and of each pair.
        together: whether one run had all the features at once, and not only each two of them.
    """

    sort: str
    features: tuple[str, ...]
    cells: tuple[Cell, ...]
    together: bool

    def of(self, verdict: Verdict) -> tuple[Cell, ...]:
        """The cells of a verdict, but for those of more features where fewer have it already."""
        found: list[Cell] = []
        for each in self.cells:
            if each.verdict == verdict and not any(set(one.features) <= set(each.features) for one in found):
                found.append(each)
        return tuple(found)

    @property
    def verdict(self) -> Verdict:
        """Refused if any cell is, and allowed if all are."""
        verdicts = {each.verdict for each in self.cells}
        return "refused" if "refused" in verdicts else "untested" if "untested" in verdicts else "allowed"


def answer(sort: str, features: Iterable[str]) -> Answer:
    """What is known of a set-up."""
    chosen = tuple(dict.fromkeys(features))
    cells = (
        *_lacking(sort, chosen),
        *(cell(sort, *some) for count in range(3) for some in combinations(chosen, count)),
    )
    together = any(run.sort == sort and run.features.issuperset(chosen) for run in RUNS)
    return Answer(sort, chosen, cells, together)


def _lacking(sort: str, features: tuple[str, ...]) -> Iterator[Cell]:
    for feature in features:
        needed = NEEDS.get(feature)
        if needed is not None and needed not in features:
            yield Cell(sort, (feature,), "refused", f"it is of no use without {needed}", f"add {needed}")
