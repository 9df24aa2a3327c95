"""Where the span of a band may begin and end, so that no better one is left out."""

from impl.arithmetic.choice import both, larger, select, smaller


def useful_ends(
    need: int,
    pin_lo: int,
    pin_hi: int,
    lowest: int,
    highest: int,
    live: int,
    live_lo: int,
    live_hi: int,
    bottom: int,
    top: int,
    is_first: bool,
    is_last: bool,
) -> tuple[int, int, int, int]:
    """The pages at which a span may begin, and those at which it may end, of which the best are among the best of all.

    A span that begins below its first live page, or ends above its last one, gains nothing by reaching further, as long
    as it has what it needs and its pins.

    Args:
        need: the least count of pages; one or more.
        pin_lo: of the extent of pinned pages, which is empty if it is `pin_hi`.
        pin_hi: of the same.
        lowest: the first page of the band's room.
        highest: the page after the last of it.
        live: how many live pages there are, all of them from live_lo to below live_hi.
        live_lo: meaningless while there is none.
        live_hi: likewise.
        bottom: the page at which the span must begin if the band is the first.
        top: the page at which it must end if the band is the last.
        is_first: of the chain.
        is_last: of the chain.

    Returns:
        The first and the last page at which it may begin, and the first and the last at which it may end.
    """
    pinned = pin_lo < pin_hi
    lo_max = select(pinned, smaller(highest - need, pin_lo), highest - need)
    hi_min = select(pinned, larger(lowest + need, pin_hi), lowest + need)
    useful_lo = select(pinned, smaller(hi_min - need, pin_lo), hi_min - need)
    useful_lo = select(both(live > 0, live_lo < useful_lo), live_lo, useful_lo)
    useful_hi = select(pinned, larger(lo_max + need, pin_hi), lo_max + need)
    useful_hi = select(both(live > 0, live_hi > useful_hi), live_hi, useful_hi)
    return (
        select(is_first, bottom, larger(lowest, useful_lo)),
        select(is_first, bottom, lo_max),
        select(is_last, top, hi_min),
        select(is_last, top, smaller(highest, useful_hi)),
    )
