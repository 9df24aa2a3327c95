"""Split pools: a fixed number of pages for each kind, chosen before the first request, as engines have it today."""

from collections.abc import Sequence

from impl.layout import Kind, Layout
from impl.plan import Refusal
from replay.memory.protocol import Demand, Occupancy, Pages, Uses


class SplitMemory:
    """Pools under the same scheduler as the arena.

    They are given every advantage: no sink, no bytes for alignment, no page tables, and what is given back is handed
    out again at once, as a stream that runs forwards in order allows.

    Args:
        layout: the model's kinds.
        pages: of each kind in chain order.
    """

    moved_bytes = 0

    def __init__(self, layout: Layout, pages: Sequence[int]) -> None:
        self._kinds, self._size = layout.kinds, tuple(pages)
        self._free = [list(range(count - 1, -1, -1)) for count in pages]
        # of pages with more than one reference, how many more
        self._more: list[dict[int, int]] = [{} for _ in pages]
        self._bytes = [kind.page_bytes for kind in layout.kinds]
        self.copied_bytes = 0

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """See `Memory.kinds`."""
        return self._kinds

    @property
    def capacity(self) -> int:
        """Bytes of all pools."""
        return sum(count * size for count, size in zip(self._size, self._bytes, strict=True))

    @property
    def free_bytes(self) -> int:
        """Bytes in no live page."""
        return sum(len(free) * size for free, size in zip(self._free, self._bytes, strict=True))

    def refusal(self, demand: Demand) -> Refusal | None:
        """See `Memory.refusal`."""
        short = [count - len(free) for count, free in zip(demand, self._free, strict=True)]
        if max(short) <= 0:
            return None
        if self.refusal_if_empty(demand):
            return Refusal(demand, "never")
        lacking = sum(each > 0 for each in short)
        evict = tuple(each if each > 0 and lacking == 1 else None for each in short)
        return Refusal(demand, "evict", evict=evict)

    def refusal_if_empty(self, demand: Demand) -> bool:
        """See `Memory.refusal_if_empty`."""
        return any(count > size for count, size in zip(demand, self._size, strict=True))

    def allocate(self, demand: Demand, originals: Pages | None = None) -> list[list[int]] | Refusal:
        """See `Memory.allocate`."""
        refusal = self.refusal(demand)
        if refusal is not None:
            return refusal
        given = []
        for count, free in zip(demand, self._free, strict=True):
            given.append(free[len(free) - count :])
            del free[len(free) - count :]
        if originals is not None:
            self.copied_bytes += sum(len(ids) * size for ids, size in zip(originals, self._bytes, strict=True))
        return given

    def share(self, band: int, ids: list[int]) -> None:
        """See `Memory.share`."""
        more = self._more[band]
        for vid in ids:
            more[vid] = more.get(vid, 0) + 1

    def release(self, band: int, ids: list[int], *, in_flight: bool) -> None:
        """See `Memory.release`."""
        more, free = self._more[band], self._free[band]
        if not more:
            free.extend(ids)
            return
        for vid in ids:
            count = more.get(vid, 0)
            if count == 0:
                free.append(vid)
            elif count == 1:
                del more[vid]
            else:
                more[vid] = count - 1

    def launched(self, step: int, uses: Uses) -> None:
        """See `Memory.launched`; pools do not ask what it uses."""

    def landed(self, step: int) -> None:
        """See `Memory.landed`."""

    def occupancy(self) -> Occupancy:
        """See `Memory.occupancy`: pools lie one above the other."""
        begins, ends, at = [], [], 0
        for count, size in zip(self._size, self._bytes, strict=True):
            begins.append(at)
            at += count * size
            ends.append(at)
        idle = tuple(len(free) * size for free, size in zip(self._free, self._bytes, strict=True))
        used = tuple(end - begin - free for begin, end, free in zip(begins, ends, idle, strict=True))
        elsewhere = 1 - max(idle) / sum(idle) if sum(idle) else 0.0
        return Occupancy(used, tuple(begins), tuple(ends), idle, 0, elsewhere)

    def live(self) -> tuple[int, ...]:
        """See `Memory.live`."""
        return tuple(size - len(free) for size, free in zip(self._size, self._free, strict=True))
