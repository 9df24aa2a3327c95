"""The same pictures as PNG files, for documents and slides."""

from pathlib import Path
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from replay.comparison import Comparison
from replay.figures import GB, outcomes_of
from replay.outcome import Outcome

COLOURS: Final = ("#D55E00", "#CC79A7", "#009E73", "#0072B2", "#E69F00")
"""Okabe and Ito's, told apart by most eyes."""
LINES: Final = (("#0072B2", "-"), ("#D55E00", ":"), ("#009E73", "--"))


def write_pictures(comparison: Comparison, folder: Path) -> list[Path]:
    """Write `arena.png` and `requests.png`; the folder is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    outcomes = outcomes_of(comparison)
    arena, requests = folder / "arena.png", folder / "requests.png"
    _save(_arena(comparison, outcomes), arena)
    _save(_requests(outcomes), requests)
    return [arena, requests]


def _arena(comparison: Comparison, outcomes: list[Outcome]) -> Figure:
    figure = Figure(figsize=(10, 2.6 * len(outcomes) + 0.6), layout="constrained")
    top = max(outcome.capacity for outcome in outcomes) / GB
    axes = figure.subplots(len(outcomes), 1, squeeze=False, sharex=True)[:, 0]
    for axis, outcome in zip(axes, outcomes, strict=True):
        _areas(axis, outcome)
        axis.set_ylim(0, top)
        axis.set_title(outcome.memory, loc="left", fontsize=10)
        axis.set_ylabel("GB by address")
    axes[-1].set_xlabel("seconds")
    figure.suptitle(f"{comparison.traffic} on {comparison.settings.layout.model}", fontsize=11)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False, fontsize=9)
    return figure


def _areas(axis: Axes, outcome: Outcome) -> None:
    at = np.array([sample.at for sample in outcome.timeline])
    last = len(outcome.kinds) - 1
    for band, kind in enumerate(outcome.kinds):
        ink = COLOURS[(band + len(COLOURS) - len(outcome.kinds) + 2) % len(COLOURS)]
        occupancies = [sample.occupancy for sample in outcome.timeline]
        begins = np.array([each.begins[band] for each in occupancies]) / GB
        ends = np.array([each.ends[band] for each in occupancies]) / GB
        used = np.array([each.used[band] for each in occupancies]) / GB
        low, high = (ends - used, ends) if band == last else (begins, begins + used)
        axis.fill_between(
            at, begins, ends, facecolor="none", edgecolor=ink, hatch="////", linewidth=0, label=f"{kind} idle"
        )
        axis.fill_between(at, low, high, color=ink, linewidth=0, label=kind)
    axis.margins(x=0)


def _requests(outcomes: list[Outcome]) -> Figure:
    figure = Figure(figsize=(10, 4.6), layout="constrained")
    running, waiting = figure.subplots(2, 1, sharex=True)
    for outcome, (ink, line) in zip(outcomes, LINES, strict=False):
        at = [sample.at for sample in outcome.timeline]
        running.plot(at, [sample.running for sample in outcome.timeline], line, color=ink, label=outcome.memory)
        waiting.plot(at, [sample.waiting for sample in outcome.timeline], line, color=ink)
    running.set_ylabel("run")
    waiting.set_ylabel("wait")
    waiting.set_xlabel("seconds")
    for axis in (running, waiting):
        axis.margins(x=0)
        axis.set_ylim(bottom=0)
    figure.legend(loc="outside lower center", ncols=len(outcomes), frameon=False)
    return figure


def _save(figure: Figure, path: Path) -> None:
    FigureCanvasAgg(figure).print_figure(path, dpi=120)
