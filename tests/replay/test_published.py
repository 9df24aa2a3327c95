"""Published figures: budgets are found on the first column alone."""

from pathlib import Path

import pytest

from replay.published.calibrating import nearest, rising
from replay.published.document import replayed
from replay.published.rows import GB, ROWS, Conditions, Row

DOCUMENT = Path(__file__).parents[2] / "docs" / "published-results.md"


def test_a_rising_figure_is_met_over_a_range_of_budgets() -> None:
    found = rising(lambda budget: budget // 100, 7, 0, 10_000, 10)
    assert (found.least, found.most, found.reached) == (700, 790, 7)


def test_a_figure_that_is_jumped_over_is_met_just_above() -> None:
    found = rising(lambda budget: 10 if budget < 333 else 20, 15, 0, 1_000, 10)
    assert (found.least, found.most, found.reached) == (340, 340, 20)


def test_the_nearest_of_a_figure_that_rises_and_falls() -> None:
    found = nearest(lambda budget: abs(budget - 50), 20, 0, 100, 11)
    assert (found.least, found.reached) == (30, 20)


def test_where_the_figure_is_crossed_the_nearest_is_looked_for_between() -> None:
    found = nearest(lambda budget: 1_000 - budget, 294, 0, 1_000, 5, 6)
    assert abs(found.reached - 294) <= 4
    assert found.reached == 1_000 - found.least


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_published_row_is_in_the_document_with_its_prediction(row: Row) -> None:
    lines = [line for line in DOCUMENT.read_text().splitlines() if line.startswith(f"| {row.name} |")]
    assert len(lines) == 2 + len(row.others)
    assert f"{row.split:,.0f}, " in lines[0]
    assert "**" in lines[0]
    assert "%" in lines[0].split("|")[7]


def test_the_second_column_takes_no_part_in_the_calibration() -> None:
    read = ROWS[0].read
    quick = Row(
        "quick",
        "published-1k",
        80,
        "most",
        read,
        25,
        30,
        False,
        lambda measure, target: rising(measure, target, GB // 2, 3 * GB, GB // 20),
        Conditions("", "gpt-oss-20b"),
        (),
        "",
    )
    found = replayed(quick, quick.assumed)
    assert found.calibrated.reached == 25
    assert read(found.split) == 25
    assert all(value > 25 for value in found.predicted(quick))
