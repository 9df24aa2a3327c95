"""References kept for the length of a block of code, so that nothing in it gives these pages up."""

from collections.abc import Sequence
from types import TracebackType

from impl.requests.protocol import Pages


class Pins:
    """Given back at the end of a `with`, however it ends."""

    def __init__(self) -> None:
        self._kept: list[tuple[Pages, int, list[int]]] = []

    def add(self, allocator: Pages, band: int, ids: Sequence[int]) -> None:
        """Keep these virtual pages of a band."""
        if ids:
            allocator.share(band, ids)
            self._kept.append((allocator, band, list(ids)))

    def __enter__(self) -> "Pins":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        for allocator, band, ids in self._kept:
            allocator.release(band, ids)
