"""What is drawn is what the judge knows, in pieces and as a grid."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

import pytest

from bandgap.view import grid as grids
from bandgap.view import pieces as exact
from bandgap.view.grid import ROWS, Grid
from bandgap.view.packing import packed
from bandgap.view.pieces import Piece, Pieces, SpanPiece
from bandgap.view.watching import LOOKS, Look, Watcher
from events import records as r
from spec.judge.judge import Judge
from spec.state import LIVE, WITHHELD
from tests.spec.legal_streams import legal_trace
from tests.spec.situation import DONE, STATE, header, snapshot
from tests.view.traces import LEGAL


def watched(records: Iterable[Any], first: int = 1) -> tuple[Pieces, Grid]:
    pieces, grid = Pieces(), Grid()
    watcher = Watcher([pieces, grid], first)
    for record in records:
        assert watcher.take(record) is None
    watcher.close()
    return pieces, grid


def opened(*records: Any) -> list[Any]:
    return [header(), snapshot(), *records]


def test_a_page_is_followed_from_line_to_line() -> None:
    pieces, _ = watched(opened(*LEGAL))
    assert [piece for piece in pieces.pieces() or [] if (piece.band, piece.page) == (STATE, 3)] == [
        Piece(STATE, Look.LIVE, 3, 1, 6, 10, 13, 0, -1),
        Piece(STATE, Look.HELD, 3, 1, 10, 12, 13, 0, 6),
        Piece(STATE, Look.WITHHELD, 3, 1, 12, 14, 13, 0, 6),
    ]
    assert [span for span in pieces.spans if span.band == STATE] == [
        SpanPiece(STATE, 0, 4, 3, 15),
        SpanPiece(STATE, 0, 3, 15, 17),
    ]


def test_pages_that_lie_beside_each_other_are_one_piece() -> None:
    given = (r.Allocate([0, 0, 3]), r.Allocated(2, [45, 46, 47], [9, 8, 7]), r.End(ids=[[], [], [9, 8, 7]]))
    pieces, _ = watched(opened(*given))
    assert Piece(2, Look.LIVE, 45, 3, 4, 6, 9, -1, -1) in (pieces.pieces() or [])


def amounts_of_pieces(pieces: Pieces, bands: list[r.Band]) -> Counter[tuple[int, Look]]:
    """Bytes times lines of each band and look."""
    found: Counter[tuple[int, Look]] = Counter()
    for piece in pieces.pieces() or []:
        amount = piece.pages * bands[piece.band].page_bytes * (piece.end - piece.begin)
        found[piece.band, Look(piece.look)] += amount
        found[piece.band, Look.HOLE] -= amount
    for span in pieces.spans:
        found[span.band, Look.HOLE] += (span.hi - span.lo) * bands[span.band].page_bytes * (span.end - span.begin)
    return Counter({key: amount for key, amount in found.items() if amount})


def amounts_of_grid(grid: Grid) -> Counter[tuple[int, Look]]:
    found: Counter[tuple[int, Look]] = Counter()
    for column in grid.columns:
        for cell, amount in zip(column.cells.tolist(), column.amounts.tolist(), strict=True):
            band, look = divmod(cell // ROWS, len(LOOKS))
            found[band, Look(look)] += round(amount)
    return found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("columns", [2, 800])
def test_the_grid_adds_up_to_what_the_pieces_are(seed: int, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grids, "COLUMNS", columns)
    records = legal_trace(seed, 60)
    pieces, grid = watched(records)
    assert grid.header is not None
    assert amounts_of_grid(grid) == amounts_of_pieces(pieces, grid.header.bands)
    assert len(amounts_of_grid(grid)) >= 4
    assert len(grid.columns) <= 2 * columns
    assert sum(column.lines for column in grid.columns) == len(records) + 1 - grid.first


@pytest.mark.parametrize("seed", range(4))
def test_what_is_told_of_the_end_is_what_the_judge_knows(seed: int) -> None:
    records = legal_trace(seed, 60)
    pieces, grid = watched(records)
    judge = Judge()
    for record in records:
        assert judge.take(record) is None
    s = judge.state
    assert s is not None
    last = len(records) + 1
    shown = {
        (piece.band, piece.page + each): piece.look == Look.WITHHELD
        for piece in pieces.pieces() or []
        if piece.end == last
        for each in range(piece.pages)
    }
    assert shown == {place: status == WITHHELD for place, status in s.status.items() if status in (LIVE, WITHHELD)}
    assert grid.columns[-1].totals.spans == tuple((s.lo[band], s.hi[band]) for band in range(s.bands))


def test_a_part_begins_with_how_things_stand_there() -> None:
    whole, _ = watched(opened(*LEGAL))
    part, grid = watched(opened(*LEGAL), first=11)
    assert grid.first == 11
    assert {piece.begin for piece in part.pieces() or []} == {11, 12}
    expected = [piece._replace(begin=max(11, piece.begin)) for piece in whole.pieces() or [] if piece.end > 11]
    assert sorted(part.pieces() or []) == sorted(expected)


def test_where_records_were_lost_nothing_is_shown() -> None:
    pieces, _ = watched(opened(r.Lost(5), snapshot(), r.Share(STATE, [10]), DONE))
    assert {(piece.begin, piece.end) for piece in pieces.pieces() or []} == {(4, 7)}
    assert {(span.begin, span.end) for span in pieces.spans} == {(4, 7)}


def test_too_many_pieces_become_a_grid_in_which_nothing_is_rounded_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MOST_PIECES", 5)
    monkeypatch.setattr(grids, "COLUMNS", 2)
    pieces, grid = watched(opened(*LEGAL, *[r.Drain(), DONE] * 400))
    data = packed(grid, pieces, ())
    assert (data["pieces"], data["spans"]) == (None, None)
    mixes = {look for mix in data["grid"]["mixes"] for look in mix[::2]}
    assert STATE * 4 + Look.WITHHELD in mixes  # two lines of eight hundred
    assert all(sum(runs[::2]) == ROWS for runs in data["grid"]["columns"])
    assert data["grid"]["lines"] > 100


def test_more_than_is_kept_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "MOST_KEPT", 3)
    pieces, _ = watched(opened(*LEGAL))
    assert pieces.too_many
    assert pieces.pieces() is None
