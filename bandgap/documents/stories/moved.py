"""What a decision moved, marked where it was and where it is."""

from collections.abc import Iterator
from dataclasses import replace

from bandgap.pictures import Arena, Band, Look, Mark, Status


def with_moves(before: Arena, after: Arena) -> tuple[Arena, Arena]:
    """Both arenas; pages that were copied are marked as acted on where they were, and as changed where they are."""
    moves = [
        (number, source, target)
        for number, bands in enumerate(zip(before.bands, after.bands, strict=True))
        for source, target in _moves(*bands)
    ]
    return (
        replace(before, marks=[_mark(before, band, source, Look.ACTED_ON) for band, source, _ in moves]),
        replace(after, marks=[_mark(after, band, target, Look.CHANGED) for band, _, target in moves]),
    )


def _moves(before: Band, after: Band) -> Iterator[tuple[int, int]]:
    """The page at which each virtual page was and is that lives in both, at different ones."""
    now = {page.label: page.number for page in after.pages if page.status in {Status.LIVE, Status.HELD}}
    for page in before.pages:
        if page.status in {Status.LIVE, Status.HELD} and now.get(page.label, page.number) != page.number:
            yield page.number, now[page.label]


def _mark(arena: Arena, number: int, page: int, look: Look) -> Mark:
    band = arena.bands[number]
    return Mark(number, band.address(page), band.address(page + 1), look)
