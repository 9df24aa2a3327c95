"""A record in words, without the pages and ids that are of no concern."""

from collections.abc import Callable
from typing import Any

import msgspec

from bandgap.history.focus import Focus
from bandgap.phrases import counted
from bandgap.record_words import in_words
from events import records as r

Keep = Callable[[tuple[int, ...]], bool]


def said(record: Any, header: r.Header | None, focus: Focus) -> str:
    """The record as a sentence; what it says of other pages is only counted."""
    columns, keep = _columns(record, focus)
    if not columns:
        return in_words(record, header)
    rows = list(zip(*(getattr(record, name) for name in columns), strict=False))
    kept = [row for row in rows if keep(row)]
    if not kept or len(kept) == len(rows):
        return in_words(record, header)
    narrow = msgspec.structs.replace(
        record, **{name: list(values) for name, values in zip(columns, zip(*kept, strict=True), strict=True)}
    )
    return f"{in_words(narrow, header)}, with {counted(len(rows) - len(kept), 'other')}"


def _columns(record: Any, focus: Focus) -> tuple[tuple[str, ...], Keep]:
    """The columns that belong together, and which of their rows are of concern."""
    band = getattr(record, "band", 0)

    def page(number: int) -> bool:
        return (band, number) in focus.places

    def vid(number: int) -> bool:
        return (band, number) in focus.ids

    match record:
        case r.Allocated() | r.Wiped():
            return ("pages", "ids"), lambda row: page(row[0]) or vid(row[1])
        case r.Forked():
            return ("pages", "ids", "copied"), lambda row: page(row[0]) or vid(row[1])
        case r.Moved():
            return ("sources", "targets"), lambda row: page(row[0]) or page(row[1])
        case r.Share() | r.Release() | r.Hold():
            return ("ids",), lambda row: vid(row[0])
        case r.Issue():
            return ("pages", "values"), lambda row: page(row[0])
        case r.Land():
            return ("pages",), lambda row: page(row[0])
    return (), lambda _: True
