"""An arena as lines of text: a ruler of bytes, then a lane for each band with its pages drawn to scale."""

from bisect import bisect_left
from collections.abc import Sequence
from math import ceil, floor

from rich.text import Text

from bandgap.output import short_name
from bandgap.pictures.arena import Arena, Band, Look, Mark, Page, Status, used
from bandgap.pictures.scale import Scale, scale_of

FILLS = {Status.LIVE: "█", Status.HELD: "▓", Status.WITHHELD: "▒", Status.HOLE: "·", Status.LOST: "?"}
STYLES = {
    Status.LIVE: "cyan",
    Status.HELD: "green",
    Status.WITHHELD: "yellow",
    Status.HOLE: "dim",
    Status.LOST: "red",
}

Cell = tuple[str, str]
"""A character and its style."""

LOOKS: dict[Look, Cell] = {
    Look.ACTED_ON: ("'", "bold blue"),
    Look.CHANGED: ("~", "bold magenta"),
    Look.WRONG: ("^", "bold red"),
}

SPACE: Cell = (" ", "")
EDGE: Cell = ("│", "")

LEAST_COLUMNS = 16
"""Columns that the bytes get, however narrow the terminal."""

NARROW = 2
"""Pages of fewer columns than this are not drawn one by one."""


def strips(*arenas: Arena, width: int = 100) -> list[Text]:
    """A picture of each arena, all on one scale, in at most so many columns, if that leaves some for the bytes."""
    margin = max(len(short_name(band.name)) for arena in arenas for band in arena.bands) + 2
    scale = scale_of(arenas, max(width - margin - 1, LEAST_COLUMNS))
    return [_strip(arena, scale, margin) for arena in arenas]


def legend(*arenas: Arena) -> Text:
    """What the characters in pictures of these arenas say; all of them, if none is given."""
    statuses, looks = used(*arenas) if arenas else (tuple(Status), tuple(Look))
    said = [(FILLS[status], STYLES[status], status.value) for status in statuses]
    said += [(*LOOKS[look], look.value) for look in looks]
    return Text("   ").join(Text.assemble((fill, style), f" {name}") for fill, style, name in said)


def _strip(arena: Arena, scale: Scale, margin: int) -> Text:
    lines = [("", line) for line in _ruler(arena, scale)]
    for number, band in enumerate(arena.bands):
        lines.append((short_name(band.name), _lane(band, scale)))
        marks = [mark for mark in arena.marks if mark.band == number]
        if marks:
            lines.append(("", _marks(marks, scale)))
    return Text("\n").join(_line(name, cells, margin) for name, cells in lines)


def _line(name: str, cells: Sequence[Cell], margin: int) -> Text:
    line = Text(name.ljust(margin), style="bold")
    line.stylize("not bold", len(name))
    for character, style in cells:
        line.append(character, style=f"not bold {style}")
    line.rstrip()
    return line


def _ruler(arena: Arena, scale: Scale) -> list[list[Cell]]:
    numbers = [SPACE] * (scale.columns + 8)
    line: list[Cell] = [SPACE] * (scale.columns + 1)
    begin, end = scale.column(arena.base), scale.column(arena.capacity)
    line[begin : end + 1] = [("─", "dim")] * (end + 1 - begin)
    free_from = 0
    for column, label in scale.ticks():
        line[column] = ("┼" if begin <= column <= end else "╵", "dim")
        if column >= free_from:
            numbers[column : column + len(label)] = [(character, "dim") for character in label]
            free_from = column + len(label) + 1
    line[begin], line[end] = ("├", ""), ("┤", "")
    return [numbers, line]


def _lane(band: Band, scale: Scale) -> list[Cell]:
    if band.lo >= band.hi and not band.pages:
        return [(character, "dim") for character in "empty"]
    if band.page_bytes * scale.columns < NARROW * (scale.end - scale.begin):
        return _mostly(band, scale)
    cells = [SPACE] * (scale.columns + 1)
    listed = {page.number: page for page in band.pages}
    for number in sorted({*listed, *range(band.lo, band.hi)}):
        begin, end = scale.column(band.address(number)), scale.column(band.address(number + 1))
        cells[begin : end + 1] = [EDGE, *_page(listed.get(number, Page(number, Status.HOLE)), end - begin - 1), EDGE]
    return cells


def _page(page: Page, columns: int) -> list[Cell]:
    """The inside of a page; its label is left out rather than cut."""
    text = f" {page.label} " if page.label and len(page.label) + 2 <= columns else ""
    text = text or page.label if len(page.label) <= columns else ""
    return [(c, STYLES[page.status]) for c in text.center(columns, "\0").replace("\0", FILLS[page.status])]


def _mostly(band: Band, scale: Scale) -> list[Cell]:
    """For pages too small to be told apart: in each column what most of its pages are."""
    numbers = {status: sorted(page.number for page in band.pages if page.status == status) for status in Status}
    cells = []
    for column in range(scale.columns):
        begin, end = ((scale.address(x) - band.origin) / band.page_bytes for x in (column, column + 1))
        first, last = floor(begin), ceil(end)
        count = {status: bisect_left(of, last) - bisect_left(of, first) for status, of in numbers.items()}
        within = max(0, min(last, band.hi) - max(first, band.lo))
        count[Status.HOLE] = max(
            count[Status.HOLE], within - sum(count[each] for each in Status if each is not Status.HOLE)
        )
        most = max(Status, key=lambda status: count[status])
        cells.append((FILLS[most], STYLES[most]) if count[most] else SPACE)
    return cells


def _marks(marks: Sequence[Mark], scale: Scale) -> list[Cell]:
    cells = [SPACE] * (scale.columns + 1)
    for mark in sorted(marks, key=lambda mark: list(Look).index(mark.look)):
        begin, end = scale.column(mark.begin), scale.column(mark.end)
        cells[begin : end + 1] = [LOOKS[mark.look]] * (end + 1 - begin)
    return cells
