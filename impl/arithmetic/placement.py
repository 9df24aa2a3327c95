"""Placing one band: the step that admission repeats for each band of a chain.

A band needs at least `need` pages of `size` bytes, among them every pinned one: pinned pages lie in pin_lo <= page <
pin_hi, and there is none if the two are equal. A band that needs no page takes no room.
"""

from impl.arithmetic.choice import either, larger, select, smaller
from impl.arithmetic.grid import address, first_page_from, pages_until


def place_low(free: int, origin: int, size: int, need: int, pin_lo: int, pin_hi: int) -> tuple[int, int, int, bool]:
    """The lowest span of a band whose first free byte is `free`.

    No span that begins at `free` or above it and has what the band needs ends below this one.

    Returns:
        The span's first page and the page after its last, the first byte that is free above it, and whether there is
        such a span: it may not begin above a pinned page.
    """
    pinned = pin_lo < pin_hi
    lo = first_page_from(origin, size, free)
    hi = select(pinned, larger(lo + need, pin_hi), lo + need)
    end = select(lo < hi, address(origin, size, hi), free)
    return lo, hi, end, either(pin_lo >= pin_hi, lo <= pin_lo)


def place_high(limit: int, origin: int, size: int, need: int, pin_lo: int, pin_hi: int) -> tuple[int, int, int, bool]:
    """The highest span of a band that must end at byte `limit` or below it; the mirror image of `place_low`.

    Returns:
        The span's first page and the page after its last, the byte at which it starts (`limit` if it takes no room),
        and whether there is such a span: it may not end below a pinned page.
    """
    pinned = pin_lo < pin_hi
    hi = pages_until(origin, size, limit)
    lo = select(pinned, smaller(hi - need, pin_lo), hi - need)
    start = select(lo < hi, address(origin, size, lo), limit)
    return lo, hi, start, either(pin_lo >= pin_hi, pin_hi <= hi)
