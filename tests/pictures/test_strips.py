"""Pictures of arenas say what they should, at any width, and without colour."""

import io

import pytest
from rich.console import Console

from bandgap.pictures import Arena, Band, Look, Mark, Page, Status, legend, strips

ARENA = Arena(
    base=2,
    capacity=18,
    bands=[
        Band("state", 2, 3, 0, 2, [Page(0, Status.LIVE, "v1")]),
        Band("window", 8, 2, 0, 3, [Page(1, Status.WITHHELD, "v0")]),
        Band("full", 4, 1, 12, 14, [Page(13, Status.LIVE, "v22")]),
    ],
    marks=[Mark(0, 2, 5, Look.CHANGED), Mark(1, 8, 12, Look.CHANGED), Mark(1, 10, 12, Look.WRONG)],
)

DRAWN = """\
        2       4       6       8       10      12      14      16      18
        ├───────┼───────┼───────┼───────┼───────┼───────┼───────┼───────┤
state   │████ v1 ███│···········│
        ~~~~~~~~~~~~~
window                          │·······│▒▒ v0 ▒│·······│
                                ~~~~~~~~^^^^^^^^^
full                                                            │···│v22│
"""


def plain(*arenas: Arena, width: int = 80) -> list[str]:
    return [
        "".join(f"{line.rstrip()}\n" for line in strip.plain.splitlines()) for strip in strips(*arenas, width=width)
    ]


def test_an_arena_is_drawn_to_scale_with_its_pages_and_marks() -> None:
    assert plain(ARENA) == [DRAWN]


def test_colour_adds_nothing_that_is_not_said() -> None:
    console = Console(file=io.StringIO(), no_color=True, width=80)
    console.print(strips(ARENA, width=80)[0])
    printed = console.file.getvalue()  # type: ignore[attr-defined]  # it was made as a StringIO
    assert "".join(f"{line.rstrip()}\n" for line in printed.splitlines()) == DRAWN


@pytest.mark.parametrize("width", [30, 40, 80, 100, 120, 200])
def test_a_picture_keeps_to_its_width(width: int) -> None:
    lines = plain(ARENA, width=width)[0].splitlines()
    assert all(len(line) <= width for line in lines)
    assert len(lines) == len(DRAWN.splitlines())


def test_two_arenas_share_a_scale() -> None:
    larger = Arena(0, 64, [Band("state", 2, 3, 0, 2, [Page(0, Status.LIVE, "v1")])])
    first, second = plain(ARENA, larger)
    (lane,) = [line for line in second.splitlines() if line.startswith("state")]
    (same,) = [line for line in first.splitlines() if line.startswith("state")]
    assert lane == same


def test_what_sticks_out_of_the_arena_and_of_its_span_is_drawn() -> None:
    outside = Arena(4, 8, [Band("full", 0, 1, 5, 6, [Page(9, Status.LIVE)])])
    ruler, lane = plain(outside)[0].splitlines()[1:]
    assert ruler.index("┤") < lane.rindex("█")
    assert "│ " in lane  # between the span and the page there is nothing


def test_overlapping_bands_are_seen_to_overlap() -> None:
    both = Arena(0, 8, [Band("low", 0, 4, 0, 1), Band("high", 2, 4, 0, 1)])
    low, high = (line for line in plain(both)[0].splitlines() if line[:1].isalpha())
    assert high.index("│") < low.rindex("│")


def test_an_empty_float_has_no_place() -> None:
    assert plain(Arena(0, 8, [Band("window", 2, 1, 3, 3)]))[0].splitlines()[2] == "window  empty"


def test_pages_too_small_to_be_told_apart_are_drawn_as_what_most_of_them_are() -> None:
    pages = [Page(p, Status.LIVE) for p in range(10_000)] + [Page(p, Status.WITHHELD) for p in range(10_000, 12_000)]
    lane = plain(Arena(0, 20_000 << 20, [Band("full", 0, 1 << 20, 0, 16_000, pages)]), width=106)[0].splitlines()[2]
    drawn = lane.removeprefix("full  ")
    assert drawn.count("█") == pytest.approx(50, abs=2)
    assert drawn.count("▒") == pytest.approx(10, abs=2)
    assert drawn.count("·") == pytest.approx(20, abs=2)
    assert drawn.strip("█▒·") == ""


def test_ticks_are_labelled_in_binary_units() -> None:
    assert "16G" in plain(Arena(0, 16 << 30, [Band("full", 0, 1 << 20, 0, 1)]))[0]


def test_the_legend_names_every_status_and_look_that_is_drawn() -> None:
    pages = [Page(number, status) for number, status in enumerate(Status)]
    marks = [Mark(0, 0, 1, look) for look in Look]
    every = legend(Arena(0, 9, [Band("full", 0, 1, 0, len(pages) + 1, pages)], marks)).plain
    assert every == "█ live   ▓ held   ▒ withheld   · hole   ? lost   ' acted on   ~ changed   ^ wrong"
    assert legend(ARENA).plain == "█ live   ▒ withheld   · hole   ~ changed   ^ wrong"
    assert legend().plain == every
