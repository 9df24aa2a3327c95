"""Where a layout keeps what a layer stores."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeAlias

from impl.layout import Kind, Row


class Place(NamedTuple):
    """Where a part of a layer is kept: a row of a band's entries."""

    band: int
    row: Row


Places: TypeAlias = Mapping[tuple[int, str], Place]
"""By layer and part."""


def places_of(kinds: Iterable[Kind]) -> dict[tuple[int, str], Place]:
    """The place of each part of each layer, given the kinds in chain order."""
    return {(row.layer, row.part): Place(band, row) for band, kind in enumerate(kinds) for row in kind.rows}
