"""The same model with fewer layers, so that its memory fits a test."""

from dataclasses import replace

from impl.layout.kinds import Kind, Layout, Row
from impl.layout.rows import place
from impl.layout.stored import Stored


def with_fewer_layers(layout: Layout, *, divide_by: int) -> Layout:
    """A layout that keeps one in `divide_by` of each kind's layers, at least one, the first ones.

    Row shapes, dtypes, page sizes and the chain stay; so do the ratios between the kinds' page bytes, as far as layer
    counts divide. Draft layers are counted apart, so that fused rows do not vanish.

    Args:
        layout: of a whole model.
        divide_by: 1 or more; a number above every layer count leaves one layer of each kind.

    Raises:
        ValueError: `divide_by` is below 1.
    """
    if divide_by < 1:
        raise ValueError(f"divide_by = {divide_by}: must be at least 1")
    return replace(layout, kinds=tuple(_thinned(kind, divide_by) for kind in layout.kinds))


def _thinned(kind: Kind, divide_by: int) -> Kind:
    kept = _some([row for row in kind.rows if not row.draft], divide_by)
    kept += _some([row for row in kind.rows if row.draft], divide_by)
    stored = [Stored(row.layer, kind.lifetime, kind.window, row.part, row.shape, row.dtype, row.draft) for row in kept]
    rows, entry_bytes = place(stored)
    return replace(kind, rows=rows, entry_bytes=entry_bytes)


def _some(rows: list[Row], divide_by: int) -> list[Row]:
    layers = sorted({row.layer for row in rows})
    kept = set(layers[: max(1, round(len(layers) / divide_by))])
    return [row for row in rows if row.layer in kept]
