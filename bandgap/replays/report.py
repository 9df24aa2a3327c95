"""A replay as tables for people and as a document for programs."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from rich import box
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from replay.advice import fewer_active, recommendation
from replay.comparison import Comparison
from replay.cost.device import DEVICES
from replay.cost.step import CONSTANTS
from replay.figures import FIGURES, GB, difference, gigabytes, outcomes_of, told
from replay.job import Settings
from replay.outcome import Outcome
from replay.over_time import over_time_of
from replay.sweep import Point


def tables(comparison: Comparison) -> Iterator[RenderableType]:
    """What `bandgap replay` prints."""
    settings = comparison.settings
    yield (
        f"[bold]{escape(comparison.traffic)}[/]: {comparison.requests:,} requests, the longest of "
        f"{comparison.longest:,} tokens, on [bold]{escape(settings.layout.model)}[/]"
    )
    yield _served(settings)
    outcomes = outcomes_of(comparison)
    yield ""
    yield _figures(outcomes)
    yield ""
    yield _bytes(outcomes)
    if comparison.searched:
        where = (
            "on all of it"
            if comparison.searched_on == comparison.requests
            else f"on its busiest {comparison.searched_on:,} requests"
        )
        yield f"[dim]Best static: of {comparison.searched} splits that were tried {where}.[/]"
    why = fewer_active(comparison)
    if why is not None:
        yield f"\n{why[0].upper()}{why[1:]}."
    yield f"\n[bold]{escape(recommendation(comparison))}[/]"
    yield (
        "[dim]Pages, admission, moves and refusals are the allocator's own; step times are a model's, with these "
        f"constants: {escape(_constants(settings))}.[/]"
    )


def sweep_table(points: Sequence[Point]) -> Table:
    """What `bandgap replay --sweep` prints."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    names = list(dict.fromkeys(name for point in points for name in point.values))
    for name in ("memory", *names):
        table.add_column(name, justify="left" if name == "memory" else "right")
    columns = [figure for figure in FIGURES if figure[0] in SWEPT]
    for title, _, _ in columns:
        table.add_column(title, justify="right", overflow="fold")
    for point in points:
        values = [_value(name, point.values[name]) if name in point.values else "" for name in names]
        shown = [show(read(point.outcome)) for _, read, show in columns]
        table.add_row(point.outcome.memory, *values, *shown)
    return table


def document(comparison: Comparison) -> dict[str, Any]:
    """What `bandgap replay --json` prints; times are seconds, sizes bytes."""
    settings = comparison.settings
    return {
        "traffic": comparison.traffic,
        "requests": comparison.requests,
        "settings": settings_document(settings),
        "outcomes": [outcome_document(outcome) for outcome in outcomes_of(comparison)],
        "best_static": {"splits_tried": comparison.searched, "requests": comparison.searched_on},
        "doubt": None if comparison.doubt is None else asdict(comparison.doubt),
        "fewer_active": fewer_active(comparison),
        "recommendation": recommendation(comparison),
        "interrupted": comparison.interrupted,
    }


def sweep_document(settings: Settings, points: Sequence[Point]) -> dict[str, Any]:
    """What `bandgap replay --sweep --json` prints."""
    shown = [{"values": point.values, "outcome": outcome_document(point.outcome, over_time=False)} for point in points]
    return {"settings": settings_document(settings), "points": shown}


def settings_document(settings: Settings) -> dict[str, Any]:
    """Everything that a run depends on beside its traffic."""
    costs, device = settings.costs, DEVICES[settings.device]
    return {
        "model": settings.layout.model,
        "page_tokens": settings.options.page_tokens,
        "kv_dtype": settings.options.kv_dtype,
        "tp_size": settings.options.tp_size,
        "arena_bytes": settings.arena_bytes,
        "device": asdict(device),
        "weights": asdict(costs.weights),
        "constants": asdict(settings.constants),
        "policy": asdict(settings.policy),
    }


def outcome_document(outcome: Outcome, *, over_time: bool = True) -> dict[str, Any]:
    """The figures of one memory."""
    figures = asdict(replace(outcome, timeline=()))
    del figures["timeline"]
    for name in ("idle_bytes", "used_bytes", "peak_bytes"):
        figures[name] = dict(zip(outcome.kinds, figures[name], strict=True))
    figures["pools"] = dict(zip(outcome.kinds, outcome.pools, strict=False))
    if over_time:
        figures["over_time"] = over_time_of(outcome)
    return figures


SWEPT = {
    "output tokens/s",
    "first token, p99 s",
    "most active requests",
    "retractions per thousand",
    "rejected",
    "bytes moved",
}


def _served(settings: Settings) -> str:
    policy = settings.policy
    overlap = "overlapping steps" if policy.overlap else "no overlap"
    return (
        f"{settings.arena_bytes / GB:,.1f} GB for all kinds on one {settings.device.upper()}, tensor parallel "
        f"{settings.options.tp_size}, {settings.options.page_tokens} tokens to a page, prompts in chunks of "
        f"{policy.chunk_tokens:,}, {overlap}"
    )


def _figures(outcomes: Sequence[Outcome]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("")
    for outcome in outcomes:
        table.add_column("\n".join([outcome.memory, *told(outcome)]), justify="right", overflow="fold")
    # runs that were stopped have done unequal parts of the traffic
    compared = [] if any(outcome.interrupted for outcome in outcomes) else outcomes[1:]
    for outcome in compared:
        table.add_column(f"unified against {outcome.memory}", justify="right", overflow="fold")
    for title, read, show in FIGURES:
        values = [read(outcome) for outcome in outcomes]
        unified = values[0]
        table.add_row(
            title, *map(show, values), *(difference(unified, other, show) for other in values[1 : 1 + len(compared)])
        )
    return table


def _bytes(outcomes: Sequence[Outcome]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1, 0, 0))
    table.add_column("bytes, mean over time")
    for outcome in outcomes:
        table.add_column(outcome.memory, justify="right", overflow="fold")
    for band, kind in enumerate(outcomes[0].kinds if outcomes else ()):
        table.add_row(f"{kind} in use", *(gigabytes(each.used_bytes[band]) for each in outcomes))
        table.add_row(f"{kind} idle", *(gigabytes(each.idle_bytes[band]) for each in outcomes))
    table.add_row("free for any kind", *(gigabytes(each.shared_bytes) for each in outcomes))
    return table


def _constants(settings: Settings) -> str:
    return ", ".join(f"{name} = {getattr(settings.constants, name):.3g}" for name in CONSTANTS)


def _value(name: str, value: float) -> str:
    return gigabytes(value) if name == "arena" else f"{value:g}"
