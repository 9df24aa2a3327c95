"""What some requests need of one band for their next tokens: new pages, and copies of pages that others refer to."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from impl.layout import Kind
from impl.requests.protocol import Pages
from impl.requests.reach import first_written, places
from impl.requests.request import Request


@dataclass(frozen=True, slots=True)
class Growth:
    """The needs of some requests in one band."""

    copying: list[tuple[Request, int]]
    """Who gets a copy, and the place of which page."""
    originals: list[int]
    """The virtual pages that are copied, one for each of these."""
    growing: list[tuple[Request, int]]
    """Who gets new pages, and how many."""
    demand: int
    """Pages, the copies included."""

    def hand_over(self, band: int, ids: list[int]) -> None:
        """Give the requests what the allocator gave: the copies come first."""
        copies = len(self.copying)
        for (request, place), vid in zip(self.copying, ids[:copies], strict=True):
            request.pages[band][place - request.first[band]] = vid
        begin = copies
        for request, count in self.growing:
            request.pages[band].extend(ids[begin : begin + count])
            begin += count


def growth_of(allocator: Pages, band: int, kind: Kind, growing: Sequence[tuple[Request, int]]) -> Growth:
    """What these requests need of a band, each for so many more tokens."""
    needs = [
        (request, places(kind, request.tokens + count) - request.first[band] - len(request.pages[band]))
        for request, count in growing
    ]
    written = [
        (request, place, vid)
        for request, _ in growing
        if (vid := request.page_at(band, place := first_written(kind, request.tokens))) is not None
    ]
    copying, originals = _shared(allocator, band, written)
    growing_by = [(request, more) for request, more in needs if more > 0]
    return Growth(copying, originals, growing_by, len(copying) + sum(more for _, more in growing_by))


def _shared(
    allocator: Pages, band: int, written: list[tuple[Request, int, int]]
) -> tuple[list[tuple[Request, int]], list[int]]:
    """Of the pages that are about to be written, those that somebody else will still refer to then."""
    if not written:
        return [], []
    references = allocator.count_references(band, [vid for _, _, vid in written]).tolist()
    copied: Counter[int] = Counter()
    copying: list[tuple[Request, int]] = []
    originals: list[int] = []
    for (request, place, vid), count in zip(written, references, strict=True):
        # of several requests of a batch that share a page and nobody else does, the last one keeps it
        if count - copied[vid] > 1:
            copied[vid] += 1
            copying.append((request, place))
            originals.append(vid)
    return copying, originals
