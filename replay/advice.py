"""What an operator is told, in a sentence each."""

from replay.comparison import DOUBT, Comparison, gain
from replay.outcome import Outcome

NOTABLE = 0.01
"""A gain of less counts as none."""
SHORT = 0.95
"""The share of the arena that is live at once: with less, nothing had to wait for memory for long."""
NOTABLE_WAIT = 0.1
"""A difference in the 99th percentile of first tokens that is worth telling, as a share of it."""


def recommendation(comparison: Comparison) -> str:
    """Whether to turn unified memory on, why, and how sure that is."""
    unified, other = comparison.unified, comparison.best or comparison.split
    if unified is None or other is None or unified.interrupted or other.interrupted:
        return "No recommendation: the run was interrupted before there was an answer."
    against = "the best static split in hindsight" if comparison.best else "the split pools at these ratios"
    gained = gain(unified, other)
    waits = _waits(unified, other)
    if unified.rejected != other.rejected:
        verb = "Turn unified memory on" if unified.rejected < other.rejected else "Leave unified memory off"
        return (
            f"{verb}: it rejects {unified.rejected:,} requests, and {against} {other.rejected:,}{_doubt(comparison)}."
        )
    if gained >= NOTABLE:
        return f"Turn unified memory on: {gained:.1%} more output tokens/s than {against}, {waits}{_doubt(comparison)}."
    if gained <= -NOTABLE:
        return _behind(comparison, unified, gained, against)
    if unified.first_token_p99 < (1 - NOTABLE_WAIT) * other.first_token_p99:
        return (
            f"Turn unified memory on: as many output tokens/s, to within {NOTABLE:.0%}, as {against}, "
            f"{waits}{_doubt(comparison)}."
        )
    if unified.first_token_p99 > (1 + NOTABLE_WAIT) * other.first_token_p99:
        return (
            f"Leave unified memory off: as many output tokens/s, to within {NOTABLE:.0%}, as {against}, but "
            f"{waits}{_doubt(comparison)}."
        )
    return _level(comparison, unified, against)


def fewer_active(comparison: Comparison) -> str | None:
    """Why unified memory served fewer requests at once than the best static split; None if it did not."""
    unified, best = comparison.unified, comparison.best
    if unified is None or best is None or unified.most_running >= best.most_running:
        return None
    numbers = f"at most {unified.most_running:,} requests ran at once, and {best.most_running:,} with the best split"
    if unified.output_per_second >= best.output_per_second * (1 - NOTABLE) and (
        unified.answer_median <= best.answer_median or unified.first_token_p99 <= best.first_token_p99
    ):
        return f"{numbers}: answers came sooner, so that fewer were under way"
    if unified.rejected < best.rejected:
        return f"{numbers}: it served longer requests, which the split rejects"
    if unified.retractions < best.retractions:
        return f"{numbers}: the split admitted more than it could finish, and retracted {best.retractions:,}"
    return f"{numbers}: bytes lie in the sink, in holes and in gaps smaller than a page, which pools do not have"


def _level(comparison: Comparison, unified: Outcome, against: str) -> str:
    split = comparison.split
    if comparison.best is not None and split is not None and gain(unified, split) >= NOTABLE:
        return (
            f"Turn unified memory on: it does what {against} does with no ratio to choose, "
            f"{gain(unified, split):.1%} more output tokens/s than the split pools at these ratios, "
            f"{_waits(unified, split)}{_doubt(comparison)}."
        )
    live = sum(unified.peak_bytes) / unified.capacity
    short = f"memory was never short, with {live:.0%} of the arena live at most" if live < SHORT else "memory was short"
    return (
        f"Unified memory is no faster on this traffic than {against}, and needs no ratio to be chosen: "
        f"{short}{_doubt(comparison)}."
    )


def _behind(comparison: Comparison, unified: Outcome, gained: float, against: str) -> str:
    split = comparison.split
    fewer = f"{-gained:.1%} fewer output tokens/s than {against}"
    over_split = 0.0 if split is None else gain(unified, split)
    if comparison.best is None or over_split < NOTABLE or -gained > over_split / 2:
        return f"Leave unified memory off: {fewer}{_doubt(comparison)}."
    return (
        f"Turn unified memory on unless the ratio can be tuned to this traffic: {over_split:.1%} more output tokens/s "
        f"than the split pools at these ratios, but {fewer}{_doubt(comparison)}."
    )


def _waits(unified: Outcome, other: Outcome) -> str:
    return f"with first tokens after {unified.first_token_p99:.2f} s instead of {other.first_token_p99:.2f} s at p99"


def _doubt(comparison: Comparison) -> str:
    doubt = comparison.doubt
    if doubt is None:
        return "; how sure that is was not looked into"
    where = "" if comparison.searched_on == comparison.requests else f" on the busiest {comparison.searched_on:,}"
    range_of = f"between {doubt.least:+.1%} and {doubt.most:+.1%}{where}"
    return f"; were the cost model wrong by {DOUBT - 1:.0%} either way, it would be {range_of} against the best split"
