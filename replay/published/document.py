"""Writes `docs/published-results.md`: `python -m replay.published > docs/published-results.md` (minutes)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

from impl.layout import Options
from replay.comparison import gain
from replay.cost.device import H200
from replay.job import Settings, run_job, split_job, unified_job
from replay.memory.ratios import Ratios
from replay.outcome import Outcome
from replay.published.calibrating import Calibrated
from replay.published.rows import GB, ROWS, Conditions, Row
from replay.traffic.drawn import traffic_of
from replay.traffic.traffic import Traffic

SEED: Final = 1
AT_RATIO: Final = 0.1
NEAR: Final = 0.1
"""A share of the split figure: a replay that comes no nearer is not calibrated, and predicts nothing."""
LOST: Final = 0.12
"""The share of the throughput that was published as lost at that ratio."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A row under some conditions."""

    conditions: Conditions
    calibrated: Calibrated
    split: Outcome
    unified: tuple[Outcome, ...]
    """What unified memory does at both ends of the budgets that agree with the split column."""

    def predicted(self, row: Row) -> list[float]:
        """The second column, at both ends."""
        return sorted({row.read(outcome) for outcome in self.unified})


def replayed(row: Row, conditions: Conditions) -> Replayed:
    """Calibrate a row on its first column, and predict the second."""
    traffic = traffic_of(row.mix, SEED, row.requests)
    settings = settings_of(conditions)

    def measure(budget: int) -> float:
        return row.read(_split(replace(settings, arena_bytes=budget), traffic, conditions.ratios))

    calibrated = row.search(measure, row.split)
    ends = sorted({calibrated.least, calibrated.most})
    unified = tuple(run_job(unified_job(replace(settings, arena_bytes=budget)), traffic) for budget in ends)
    split = _split(replace(settings, arena_bytes=ends[0]), traffic, conditions.ratios)
    return Replayed(conditions, calibrated, split, unified)


def settings_of(conditions: Conditions, budget: int = 1) -> Settings:
    """The settings of some conditions."""
    return Settings(conditions.model, Options(conditions.page_tokens), budget)


def document() -> Iterator[str]:
    """The lines of the document."""
    yield from _HEAD
    assumed = [replayed(row, row.assumed) for row in ROWS]
    yield f"| {' | '.join(_COLUMNS)} |"
    yield "|---" * len(_COLUMNS) + "|"
    for row, found in zip(ROWS, assumed, strict=True):
        yield _line(row, found)
    for row, found in zip(ROWS, assumed, strict=True):
        yield from _wrong(row, found)
    yield from _others(assumed)
    yield from _at_the_same_budget(assumed[0])
    yield "\n## What had to be assumed\n"
    for row in ROWS:
        yield f"- **{row.name}**: {row.assumptions}"
    yield from _TAIL


def _line(row: Row, found: Replayed) -> str:
    about = "about " if row.about else ""
    predicted = found.predicted(row)
    shown = " to ".join(f"{value:,.0f}" for value in predicted)
    errors = [value / row.unified - 1 for value in predicted]
    error = " to ".join(f"{value:+.0%}" for value in errors)
    budgets = sorted({found.calibrated.least, found.calibrated.most})
    arena = " to ".join(f"{budget / GB:.1f}" for budget in budgets)
    faster = gain(found.unified[0], found.split)
    return (
        f"| {row.name} | {row.figure} | {row.split:,.0f}, {about}{row.unified:,.0f} | {arena} GB | "
        f"{found.calibrated.reached:,.0f} | **{shown}** | {error} | {faster:+.1%} |"
    )


def _wrong(row: Row, found: Replayed) -> Iterator[str]:
    """Of a row whose second figure is nothing by the replay, what that says."""
    if not any(found.predicted(row)):
        yield (
            f"\n**{row.name}** is predicted wrongly. With the memory that gives split pools the published figure, one "
            f"arena holds every request to its end and retracts none. The ratio, which is not stated, decides it: the "
            f"lines below show that the nearer the pools are to what this traffic needs, the less one arena has over "
            f"them, and that an engine may still retract {row.unified:,.0f} of a thousand where its states had hardly "
            f"more room than they need. No ratio is chosen here to fit the second column."
        )


def _others(assumed: list[Replayed]) -> Iterator[str]:
    yield "\n## How much depends on what is not stated\n"
    yield "Each line is calibrated anew, on the split column alone.\n"
    yield "| row | under | arena | replayed split | predicted unified | published unified | error |"
    yield "|---|---|---|---|---|---|---|"
    for row, first in zip(ROWS, assumed, strict=True):
        for found in (first, *(replayed(row, conditions) for conditions in row.others)):
            predicted = found.predicted(row)
            error = " to ".join(f"{value / row.unified - 1:+.0%}" for value in predicted)
            shown = " to ".join(f"{value:,.0f}" for value in predicted)
            if abs(found.calibrated.reached - row.split) > NEAR * row.split:
                shown, error = "none: no budget gives the split figure", ""
            yield (
                f"| {row.name} | {found.conditions.says} | {found.calibrated.least / GB:.1f} GB | "
                f"{found.calibrated.reached:,.0f} | {shown} | {row.unified:,.0f} | {error} |"
            )


def _at_the_same_budget(most: Replayed) -> Iterator[str]:
    """The rows that state no figure to calibrate on use the budget of the first."""
    conditions, budget = most.conditions, most.calibrated.least
    settings = settings_of(conditions, budget)
    moderate = traffic_of("published-1k", SEED)
    arena, pools = run_job(unified_job(settings), moderate), _split(settings, moderate, conditions.ratios)
    narrow = _split(settings, traffic_of("published-most", SEED, ROWS[0].requests), Ratios(AT_RATIO, AT_RATIO))
    yield "\n## Rows without a figure to calibrate on\n"
    yield f"At the arena of the first row, {budget / GB:.1f} GB.\n"
    yield (
        f"- **1,024 in, 256 out, 64 at once: near parity.** Predicted: {gain(arena, pools):+.1%} output tokens/s "
        f"({arena.output_per_second:,.0f} and {pools.output_per_second:,.0f}), {arena.retractions} and "
        f"{pools.retractions} retractions. The model is not stated; taken to be GPT-OSS-20B."
    )
    lost = 1 - narrow.output_per_second / most.unified[0].output_per_second
    against = 1 - narrow.output_per_second / most.split.output_per_second
    yield (
        f"- **{LOST:.0%} lost at ratio {AT_RATIO}.** Which ratio, of which run, and lost against what is not stated; "
        f"taken to be split pools at swa_full_tokens_ratio {AT_RATIO} under the traffic of the first row. Predicted: "
        f"they lose {lost:.1%} of the output tokens/s of unified memory, and {against:.1%} of those of split pools at "
        f"the ratio of the first row, with {narrow.retractions_per_thousand:,.0f} retractions per thousand instead of "
        f"{most.split.retractions_per_thousand:,.0f}."
    )


def _split(settings: Settings, traffic: Traffic, ratios: Ratios) -> Outcome:
    return run_job(split_job(settings, ratios), traffic)


_HEAD: Final = (
    "# Published results, replayed",
    "",
    "Figures that were published of unified memory for hybrid models, beside what `bandgap replay` predicts for the "
    "same workloads. They are quoted without the configuration that they were measured under, which was not at hand. "
    "Nothing here was measured on a GPU: pages, admission and refusals are this allocator's, the scheduler is a plain "
    f"engine's, and step times are a model's of one {H200.name.upper()} with its default constants.",
    "",
    "How it is done: no row states how many bytes the pools had. So for each row the budget is calibrated on the "
    "*split* column alone, until split pools do what was published of split pools; then the same budget is given to "
    "one arena, and what that does is the prediction. Nothing is fitted to the second column, and errors are left as "
    "they are.",
    "",
    "`python -m replay.published` writes this document.",
    "",
)

_COLUMNS: Final = (
    "row",
    "figure",
    "published: split, unified",
    "arena that gives the split figure",
    "replayed split",
    "predicted unified",
    "error",
    "output tokens/s, predicted gain",
)

_TAIL: Final = (
    "",
    "For all rows: bf16 KV, one rank, prompts in chunks of 8,192 tokens, overlapping steps, no shared prefixes, "
    "outputs of exactly the stated length, SGLang's default ratios where none is named, weights as "
    "`replay/cost/model.py` states them. A prediction of how many requests fit depends on the layout and the ratio; "
    "one of retractions depends on the engine's policy above all, and is to be trusted least.",
)
