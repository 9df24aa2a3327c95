"""What the page draws, as plain values that go into it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bandgap.output import printable
from bandgap.traces.records import Begun
from bandgap.view.grid import ROWS, Column, Grid
from bandgap.view.pieces import Piece, Pieces, SpanPiece

SHARES = 16
"""The contents of a cell are rounded to so many shares; what was there at all is never rounded to nothing."""

ROWS_OF_TABLE = 16


def packed(grid: Grid, pieces: Pieces, files: Sequence[Begun]) -> dict[str, Any]:
    """Everything: the pieces if they are few enough, else the grid; and where there are several files, which."""
    header = grid.header
    assert header is not None  # something was told
    found = pieces.pieces()
    return {
        "bands": [
            {"name": printable(band.name), "page_bytes": band.page_bytes, "origin": band.origin}
            for band in header.bands
        ],
        "base": header.base,
        "capacity": header.capacity,
        "first": grid.first,
        "end": grid.begun,
        "files": [[printable(Path(begun.file).name), begun.first] for begun in files] if len(files) > 1 else [],
        "pieces": None if found is None else _columns(found, Piece._fields),
        "spans": None if found is None else _columns(pieces.spans, SpanPiece._fields),
        "grid": _grid(grid) if found is None else None,
    }


def samples(grid: Grid) -> list[dict[str, Any]]:
    """How things stood at some lines, evenly apart, and at the last."""
    header, columns = grid.header, grid.columns
    assert header is not None  # something was told
    chosen = sorted({round(at) for at in np.linspace(0, len(columns) - 1, min(ROWS_OF_TABLE, len(columns)))})
    found = []
    for column in (columns[at] for at in chosen):
        bands, spanned = [], 0
        for band, (lo, hi), pages in zip(header.bands, column.totals.spans, column.totals.pages, strict=True):
            live, held, withheld = pages
            spanned += (hi - lo) * band.page_bytes
            bands.append(
                {
                    "name": band.name,
                    "span_bytes": (hi - lo) * band.page_bytes,
                    "live_pages": live + held,
                    "held_pages": held,
                    "withheld_pages": withheld,
                    "holes": hi - lo - live - held - withheld,
                }
            )
        gap = header.capacity - header.base - spanned
        found.append({"line": column.totals.line, "tickets": column.totals.tickets, "gap_bytes": gap, "bands": bands})
    return found


def _columns(rows: Sequence[Sequence[int]], names: Sequence[str]) -> dict[str, list[int]]:
    turned = list(zip(*rows, strict=True)) or [()] * len(names)
    return {name: list(values) for name, values in zip(names, turned, strict=True)}


def _grid(grid: Grid) -> dict[str, Any]:
    """Each column as runs of rows that hold the same, named by their place in a list of all that cells hold."""
    mixes: dict[tuple[int, ...], int] = {(): 0}
    columns = [_runs(column, grid.row_bytes, mixes) for column in grid.columns]
    return {
        "rows": ROWS,
        "row_bytes": grid.row_bytes,
        "lines": grid.width,
        "shares": SHARES,
        "mixes": list(mixes),
        "columns": columns,
    }


def _runs(column: Column, row_bytes: int, mixes: dict[tuple[int, ...], int]) -> list[int]:
    """How many rows, and which mix, alternately."""
    shares = np.maximum(1, np.rint(column.amounts / (row_bytes * column.lines) * SHARES)).astype(np.int64)
    of_rows: list[list[int]] = [[] for _ in range(ROWS)]
    for cell, share in zip(column.cells.tolist(), shares.tolist(), strict=True):
        look, row = divmod(cell, ROWS)
        of_rows[row] += look, share
    runs: list[int] = []
    for held in of_rows:
        mix = mixes.setdefault(tuple(held), len(mixes))
        if runs and runs[-1] == mix:
            runs[-2] += 1
        else:
            runs += 1, mix
    return runs
