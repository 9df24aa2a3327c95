"""Virtual pages that a demand asks copies of: checked, and who has to be settled before they can be copied."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from impl.arguments import by_band, checked_ids
from impl.band import Band
from impl.ledger import Ledger
from impl.misuse import Misuse
from impl.numbers import Int64

Originals: TypeAlias = Sequence[Any] | Mapping[str, Any]
"""Ids to be copied of each band in chain order, or of some kinds by name."""


def checked_originals(
    originals: Any, demand: tuple[int, ...], names: tuple[str, ...], bands: Sequence[Band]
) -> tuple[Int64, ...]:
    """The ids to be copied of each band, given in chain order or by names of kinds; () if there are none.

    Raises:
        Misuse: an unknown kind, a list for too few or too many bands, an id that is not alive, or more originals than
            pages are asked for.
    """
    if type(originals) in (tuple, list) and not originals:
        return ()
    listed = by_band(originals, "originals", names, (), ("a list of ids", "lists"))
    checked = tuple([checked_ids(ids, band, "originals")[0] for ids, band in zip(listed, bands, strict=True)])
    for name, ids, count in zip(names, checked, demand, strict=True):
        if ids.size > count:
            problem = f"{ids.size} of kind {name}, and {count} pages are asked for"
            raise Misuse("originals", ids.tolist(), problem, "ask for at least a page for each copy")
    return checked if any(ids.size for ids in checked) else ()


def still_written(
    originals: tuple[Int64, ...], bands: Sequence[Band], ledger: Ledger, settle: tuple[int, ...]
) -> tuple[int, ...]:
    """Those of the tickets that may be settled which hold an original for writing, in the same order.

    Raises:
        Misuse: another ticket holds one for writing.
    """
    writers: set[int] = set()
    for ids, band in zip(originals, bands, strict=True):
        pages = band.ids.page_of[ids]
        if not np.count_nonzero(band.holders.writers[pages]):
            continue
        for number in ledger.writing(band.geometry.number, pages):
            if number not in settle:
                theirs = band.holders.among(pages, ledger.pages_written(band.geometry.number, number))
                raise Misuse(
                    "originals",
                    int(ids[theirs][0]),
                    f"ticket {number} still writes it",
                    "complete that ticket first, or name it among those that may be settled",
                )
            writers.add(number)
    return tuple(number for number in settle if number in writers)
