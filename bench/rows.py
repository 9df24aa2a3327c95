"""A figure, how far it varies, and how it compares with a peer's from the same run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles


@dataclass(frozen=True)
class Row:
    """One figure of a report. All are medians of the rounds of one run."""

    name: str
    value: float
    unit: str
    spread: float | None
    """The distance between the quartiles of the rounds, as a share of the median; none where there was one round."""
    peer: str | None
    """The peer whose figure stands beside ours; none where nobody's was measured."""
    peer_value: float | None
    ratio: float | None
    """How many times better ours is: more per second, or less time, memory or growth. The median of the ratios of each
    round, in which ours and the peer's were measured one right after the other."""
    note: str
    """What exactly was measured, and why there is no peer."""


@dataclass(frozen=True)
class Figure:
    """What is measured, in which unit, and whether more of it is better."""

    name: str
    unit: str
    more_is_better: bool
    note: str


@dataclass(frozen=True)
class Beside:
    """A peer to measure in the same rounds."""

    peer: str
    measure: Callable[[], float] | None
    """None where the peer is not to be had."""
    missing: str = ""
    """Says so in that case."""


NOBODY = Beside("", None)
"""There is nothing to compare with."""


def measured(figure: Figure, rounds: int, ours: Callable[[], float], beside: Beside = NOBODY) -> Row:
    """The row of a figure: in each round ours is measured, then the peer's."""
    pairs = [(ours(), beside.measure() if beside.measure else None) for _ in range(rounds)]
    return row_of(figure, [mine for mine, _ in pairs], [theirs for _, theirs in pairs if theirs is not None], beside)


def row_of(figure: Figure, ours: Sequence[float], theirs: Sequence[float], beside: Beside = NOBODY) -> Row:
    """The row of a figure from the samples of each round; `theirs` is empty where there is no peer."""
    note = f"{figure.note} {beside.missing}".strip()
    if not theirs:
        return Row(figure.name, median(ours), figure.unit, spread(ours), None, None, None, note)
    ratios = [mine / other if figure.more_is_better else other / mine for mine, other in zip(ours, theirs, strict=True)]
    return Row(figure.name, median(ours), figure.unit, spread(ours), beside.peer, median(theirs), median(ratios), note)


def spread(samples: Sequence[float]) -> float | None:
    """The distance between the quartiles as a share of the median; None for a single sample."""
    if len(samples) < 2:
        return None
    low, _, high = quantiles(samples, n=4, method="inclusive")
    return (high - low) / median(samples)
