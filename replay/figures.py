"""The figures that an operator compares, in the order in which they are shown."""

from collections.abc import Callable

from replay.comparison import Comparison
from replay.outcome import Outcome

GB = 1e9


def outcomes_of(comparison: Comparison) -> list[Outcome]:
    """The outcomes that there are: unified, split, best static."""
    return [each for each in (comparison.unified, comparison.split, comparison.best) if each is not None]


def told(outcome: Outcome) -> list[str]:
    """The ratios of its pools, by the first words of their names."""
    return [f"{name.split('_')[0]} ratio {value:.3g}" for name, value in outcome.ratios.items()]


Figure = tuple[str, Callable[[Outcome], float], Callable[[float], str]]


def whole(value: float) -> str:
    """A number without decimals."""
    return f"{value:,.0f}"


def seconds(value: float) -> str:
    """Seconds, to the millisecond where there are few."""
    return f"{value:,.3f}" if value < 10 else f"{value:,.1f}"


def tenths(value: float) -> str:
    """A number with one decimal."""
    return f"{value:,.1f}"


def gigabytes(value: float) -> str:
    """Bytes in units of 10**9."""
    return f"{value / GB:,.2f} GB"


def share(value: float) -> str:
    """A share as a percentage."""
    return f"{value:.1%}"


FIGURES: tuple[Figure, ...] = (
    ("output tokens/s", lambda each: each.output_per_second, whole),
    ("first token, median s", lambda each: each.first_token_median, seconds),
    ("first token, p99 s", lambda each: each.first_token_p99, seconds),
    ("answer, median s", lambda each: each.answer_median, seconds),
    ("most active requests", lambda each: each.most_running, whole),
    ("mean active requests", lambda each: each.mean_running, tenths),
    ("retractions per thousand", lambda each: each.retractions_per_thousand, tenths),
    ("rejected", lambda each: each.rejected, whole),
    ("completed", lambda each: each.completed, whole),
    ("prefix tokens found", lambda each: each.cached_tokens, whole),
    ("bytes moved", lambda each: each.moved_bytes, gigabytes),
    ("seconds spent on moves", lambda each: each.moving_seconds, seconds),
    ("free bytes not together", lambda each: each.fragmentation, share),
)
"""Title, how it is read, and how it is shown."""


def difference(one: float, other: float, show: Callable[[float], str]) -> str:
    """How far a figure of the arena is from another memory's; empty where that says nothing."""
    if show in (gigabytes, share) or not other:
        sign = "-" if one < other else "+"
        return "" if one == other else f"{sign}{show(abs(one - other))}"
    if one >= 10 * other:
        return f"{one / other:,.0f} times"
    return "same" if one == other else f"{one / other - 1:+.1%}"
