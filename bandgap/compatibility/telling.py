"""Compatibility for people and for programs."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from rich import box
from rich.console import RenderableType
from rich.markup import escape
from rich.table import Table

from bandgap.compatibility.cells import Answer, Cell, Verdict, cell
from bandgap.compatibility.words import FEATURES, SORTS

SIGNS: Final[Mapping[Verdict, str]] = {"allowed": "yes", "refused": "no", "untested": "?"}
"""In a table."""

_COLOURS: Final[Mapping[Verdict, str]] = {"allowed": "green", "refused": "red", "untested": "yellow"}


def document(answer: Answer, model: str) -> dict[str, Any]:
    """What `bandgap compat CONFIG --json` prints."""
    return {
        "verdict": answer.verdict,
        "model": model,
        "sort": answer.sort,
        "features": list(answer.features),
        "together": answer.together,
        "refused": [_refused(each, model) for each in answer.of("refused")],
        "untested": [list(each.features) for each in answer.of("untested")],
    }


def table_document(sorts: Iterable[str]) -> dict[str, Any]:
    """What `bandgap compat --json` prints: every cell, of models of these sorts."""
    return {
        "cells": [
            {
                "sort": each.sort,
                "features": list(each.features),
                "verdict": each.verdict,
                "reason": each.reason,
                "remedy": each.remedy,
            }
            for sort in sorts
            for each in cells_of(sort)
        ]
    }


def cells_of(sort: str) -> Iterator[Cell]:
    """All cells of a sort of model: of itself, of each feature, and of each pair."""
    names = list(FEATURES)
    yield cell(sort)
    for place, one in enumerate(names):
        yield cell(sort, one)
        yield from (cell(sort, one, other) for other in names[place + 1 :])


def report(answer: Answer, model: str) -> Iterator[str]:
    """What `bandgap compat CONFIG` prints."""
    colour = _COLOURS[answer.verdict]
    features = ", ".join(answer.features) or "no feature"
    yield f"[bold {colour}]{answer.verdict}[/]  {escape(model)} ({answer.sort}), {features}"
    for each in answer.of("refused"):
        told = _refused(each, model)
        yield escape(f"  {told['field']} = {told['value']}: {told['problem']}; {told['remedy']}")
    for each in answer.of("untested") if answer.verdict == "untested" else ():
        yield escape(f"  not run together: {' and '.join(each.features) or each.sort}")
    if answer.verdict == "allowed":
        yield (
            "  one run had all of them" if answer.together else "  each two of them were run together, not all at once"
        )


def tables() -> Iterator[RenderableType]:
    """What `bandgap compat` prints: each feature on each sort of model."""
    table = _table("feature", [sort.heading for sort in SORTS.values()])
    for feature in FEATURES:
        table.add_row(feature, *(_sign(cell(sort, feature)) for sort in SORTS))
    yield table
    yield LEGEND
    yield "[dim]--model M shows which features of a model go together.[/]"


def tables_of(sort: str) -> Iterator[RenderableType]:
    """What `bandgap compat --model M` prints: each feature with each other on models of a sort."""
    names = list(FEATURES)
    table = _table("feature", [f"{number}" for number in range(1, len(names) + 1)], padding=0)
    for number, feature in enumerate(names, 1):
        row = [cell(sort, feature) if other == feature else cell(sort, feature, other) for other in names[:number]]
        table.add_row(f"{number} {feature}", *(_mark(each) for each in row), *[""] * (len(names) - number))
    yield f"[bold]{sort}[/]: {SORTS[sort].says}"
    yield table
    yield "[green]+[/] run together, every logit compared   [red]-[/] refused   [yellow]?[/] not tested"


LEGEND: Final = "yes: run, and every logit compared   no: refused   ?: not tested"
"""Of the signs."""

_MARKS: Final[Mapping[Verdict, str]] = {"allowed": "+", "refused": "-", "untested": "?"}


def _table(first: str, others: list[str], padding: int = 1) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, padding, 0, 0))
    table.add_column(first, no_wrap=True)
    for other in others:
        table.add_column(other, justify="center", max_width=6, min_width=2)
    return table


def _sign(each: Cell) -> str:
    return f"[{_COLOURS[each.verdict]}]{SIGNS[each.verdict]}[/]"


def _mark(each: Cell) -> str:
    return f"[{_COLOURS[each.verdict]}]{_MARKS[each.verdict]}[/]"


def _refused(each: Cell, model: str) -> dict[str, str]:
    field, value = ("features", ", ".join(each.features)) if each.features else ("model", model)
    return {"field": field, "value": value, "problem": each.reason, "remedy": each.remedy}
