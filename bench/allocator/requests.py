"""Requests that come and go: the cost of 32 pages, with and without device work that still holds them."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from bench.allocator.arenas import filled, granted
from bench.allocator.pace import Pace
from bench.peers.process import PeerProcess
from bench.peers.seat import Seat
from bench.rows import Figure, Row, measured
from bench.timing import per_second
from impl.allocator import Allocator
from impl.recording import RecordedAllocator

REQUEST_PAGES: Final = 32
PAGES: Final = 65_536
FEW, MANY = 1_000, 1_000_000

_ARENA: Final = "Full attention beside an empty state band, half of its pages live."


def rows(pace: Pace, sglang: Seat) -> Iterator[Row]:
    """Rows of requests of 32 pages, beside SGLang's allocator."""
    for page_size in (16, 1):
        yield _pairs(pace, sglang, page_size)
    yield _held(pace)
    yield _growth(pace, sglang)


def _pairs(pace: Pace, sglang: Seat, page_size: int) -> Row:
    figure = Figure(
        f"allocate+free 32 pages, page size {page_size}",
        "pairs/s",
        True,
        f"{_ARENA} 64 k pages. Indices are numpy arrays here, torch tensors on the CPU there, with lazy compaction.",
    )
    ours = partial(_pairs_per_second, filled(page_size, PAGES, 0.5)[0], pace)
    theirs = partial(_theirs_per_second, page_size=page_size, pages=PAGES, pace=pace)
    return measured(figure, pace.rounds, ours, sglang.beside(theirs))


def _held(pace: Pace) -> Row:
    figure = Figure(
        "allocate, hold, free while held, complete",
        "cycles/s",
        True,
        f"{_ARENA} 32 of 64 k pages, page size 16, held for writing by one ticket. No peer has a ledger.",
    )
    allocator, _ = filled(16, PAGES, 0.5)
    return measured(figure, pace.rounds, partial(per_second, partial(held_pair, allocator), pace.seconds))


def _growth(pace: Pace, sglang: Seat) -> Row:
    figure = Figure(
        "cost per call from 1 thousand to 1 million pages",
        "times",
        False,
        f"allocate+free 32 pages, page size 1. {_ARENA}",
    )
    few, many = (filled(1, pages, 0.5)[0] for pages in (FEW, MANY))

    def ours() -> float:
        return _pairs_per_second(few, pace) / _pairs_per_second(many, pace)

    def theirs(process: PeerProcess) -> float:
        small = _theirs_per_second(process, page_size=1, pages=FEW, pace=pace)
        return small / _theirs_per_second(process, page_size=1, pages=MANY, pace=pace)

    return measured(figure, pace.rounds, ours, sglang.beside(theirs))


def pair(allocator: Allocator | RecordedAllocator) -> None:
    """A request is admitted and finished."""
    grant = granted(allocator.allocate((0, REQUEST_PAGES)))
    allocator.release(1, grant.ids[1])


def held_pair(allocator: Allocator) -> None:
    """A request is admitted, a forward writes to it, it is finished meanwhile, and the forward completes."""
    grant = granted(allocator.allocate((0, REQUEST_PAGES)))
    ticket = allocator.open("forward", "main")
    allocator.hold(ticket, 1, grant.ids[1], "write")
    allocator.release(1, grant.ids[1])
    allocator.complete(ticket)


def _pairs_per_second(allocator: Allocator, pace: Pace) -> float:
    return per_second(partial(pair, allocator), pace.seconds)


def _theirs_per_second(process: PeerProcess, page_size: int, pages: int, pace: Pace) -> float:
    return process.ask("pairs", page_size=page_size, pages=pages, request_pages=REQUEST_PAGES, seconds=pace.seconds)
