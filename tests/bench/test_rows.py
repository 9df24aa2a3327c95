"""What a row says about samples."""

import pytest

from bench.rows import Beside, Figure, measured, row_of, spread

RATE = Figure("pairs", "pairs/s", True, "How many.")
TIME = Figure("decision", "us", False, "How long.")


def test_value_and_spread_are_of_the_rounds() -> None:
    row = row_of(RATE, [1, 2, 3, 4, 100], [])
    assert (row.value, row.spread) == (3, 2 / 3)
    assert (row.peer, row.peer_value, row.ratio, row.note) == (None, None, None, "How many.")


def test_one_round_has_no_spread() -> None:
    assert spread([7.0]) is None


@pytest.mark.parametrize(("figure", "ratio"), [(RATE, 4), (TIME, 0.25)])
def test_a_ratio_above_one_is_in_our_favour(figure: Figure, ratio: float) -> None:
    assert row_of(figure, [8, 8], [2, 2], Beside("Peer 1.0", None)).ratio == ratio


def test_the_ratio_is_of_rounds_not_of_medians() -> None:
    # a machine that slows down as the run goes on slows both
    row = row_of(RATE, [100, 10, 1], [50, 5, 0.5], Beside("Peer 1.0", None))
    assert (row.value, row.peer_value, row.ratio) == (10, 5, 2)


def test_a_peer_is_measured_in_the_same_rounds() -> None:
    order: list[str] = []

    def noting(who: str, figure: float) -> float:
        order.append(who)
        return figure

    beside = Beside("Peer 1.0", lambda: noting("theirs", 2))
    row = measured(RATE, 3, lambda: noting("ours", 6), beside)
    assert order == ["ours", "theirs"] * 3
    assert (row.peer, row.peer_value, row.ratio) == ("Peer 1.0", 2, 3)


def test_a_peer_that_is_not_there_is_excused() -> None:
    row = measured(RATE, 2, lambda: 6, Beside("Peer 1.0", None, "Peer 1.0 was not measured."))
    assert (row.peer, row.peer_value, row.ratio) == (None, None, None)
    assert row.note == "How many. Peer 1.0 was not measured."
