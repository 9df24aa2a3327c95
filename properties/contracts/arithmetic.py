"""The contracts of each function.

Numbers are any. Where a chain is spoken of it has two or three bands; if its pages have a size there, that is because
products of two unknowns are more than CrossHair can look at on all paths.
"""

from impl.arithmetic.admission import Needs
from properties.contracts.contract import code, contract

# Conditions that are joined by & and | are one condition to CrossHair; `and` and `or` would make paths of their parts.


def start(band: Needs, lo: int) -> int:
    """The first byte of a span that begins at a page."""
    return band.origin + lo * band.size


def end(band: Needs, hi: int) -> int:
    """The byte after a span that ends before a page."""
    return band.origin + hi * band.size


def has(band: Needs, lo: int, hi: int) -> bool:
    """The span has what the band needs."""
    pinned = (lo <= band.pin_lo) & (band.pin_hi <= hi)
    return (lo <= hi) & (hi - lo >= band.need) & ((band.pin_lo >= band.pin_hi) | pinned)


def inside(base: int, capacity: int, band: Needs, lo: int, hi: int) -> bool:
    """It has that, and lies in the arena if it is not empty."""
    return has(band, lo, hi) & ((lo == hi) | ((base <= start(band, lo)) & (end(band, hi) <= capacity)))


# ------------------------------------------------------------------------------------------------------------- choice


@contract("select", takes_the_other=("then if condition else otherwise", "otherwise if condition else then"))
def takes_one(condition: bool, then: int, otherwise: int) -> bool:
    """The first if the condition is true, else the second.

    post: _
    """
    chosen: int = code.select(condition, then, otherwise)
    return chosen == then if condition else chosen == otherwise


@contract("both", asks_the_first_of_both=("return left and right", "return left"))
def needs_both(left: bool, right: bool) -> bool:
    """True if both are, and only then.

    post: _
    """
    found: bool = code.both(left, right)
    return found == (not (not left or not right))


@contract("either", asks_the_first=("return left or right", "return left"))
def needs_one(left: bool, right: bool) -> bool:
    """True if one is, and only then.

    post: _
    """
    found: bool = code.either(left, right)
    return found == (not (not left and not right))


@contract("larger", takes_the_smaller=("select(left >= right, left, right)", "select(left >= right, right, left)"))
def is_the_largest(left: int, right: int) -> bool:
    """One of the two, and no less than either.

    post: _
    """
    found: int = code.larger(left, right)
    return found in (left, right) and found >= left and found >= right


@contract("smaller", takes_the_larger=("select(left <= right, left, right)", "select(left <= right, right, left)"))
def is_the_smallest(left: int, right: int) -> bool:
    """One of the two, and no more than either.

    post: _
    """
    found: int = code.smaller(left, right)
    return found in (left, right) and found <= left and found <= right


# --------------------------------------------------------------------------------------------------------------- grid


@contract("ceil_div", rounds_down=("(dividend + divisor - 1) // divisor", "dividend // divisor"))
def rounds_up(dividend: int, divisor: int) -> bool:
    """The least quotient that is enough.

    pre: divisor > 0
    post: _
    """
    found: int = code.ceil_div(dividend, divisor)
    return found * divisor >= dividend > (found - 1) * divisor


@contract("address", leaves_a_byte_between=("return origin + page * size", "return origin + page * (size + 1)"))
def pages_lie_side_by_side(origin: int, size: int, page: int) -> bool:
    """Page 0 begins at the origin, and each page where the one before it ends.

    post: _
    """
    first: int = code.address(origin, size, 0)
    this: int = code.address(origin, size, page)
    following: int = code.address(origin, size, page + 1)
    return first == origin and following == this + size


@contract(
    "first_page_from", takes_the_page_below=("return ceil_div(byte - origin, size)", "return (byte - origin) // size")
)
def is_the_lowest_page(origin: int, size: int, byte: int) -> bool:
    """It begins at the byte or above it, and the page below does not.

    pre: size > 0
    post: _
    """
    page: int = code.first_page_from(origin, size, byte)
    return origin + page * size >= byte > origin + (page - 1) * size


@contract(
    "pages_until",
    counts_a_page_that_reaches_over=("return (byte - origin) // size", "return ceil_div(byte - origin, size)"),
)
def is_the_highest_page(origin: int, size: int, byte: int) -> bool:
    """The pages below it end at the byte or below it, and the next does not.

    pre: size > 0
    post: _
    """
    page: int = code.pages_until(origin, size, byte)
    return origin + page * size <= byte < origin + (page + 1) * size


# ---------------------------------------------------------------------------------------------------------- placement


@contract(
    "place_low",
    forgets_the_pins=("hi = select(pinned, larger(lo + need, pin_hi), lo + need)", "hi = lo + need"),
    begins_above_a_pin=("either(pin_lo >= pin_hi, lo <= pin_lo)", "either(True, lo <= pin_lo)"),
)
def low_span_has_what_is_needed(free: int, band: Needs) -> bool:
    """The span, if there is one, has the pages and the pins, begins at the free byte or above it, and ends as said.

    pre: band.size > 0 and band.need >= 0
    post: _
    """
    lo, hi, above, placed = code.place_low(free, *band)
    ends = above == (end(band, hi) if lo < hi else free)
    return bool((not placed) | (has(band, lo, hi) & (start(band, lo) >= free) & ends))


@contract(
    "place_low",
    gives_a_page_too_many=("larger(lo + need, pin_hi), lo + need)", "larger(lo + need, pin_hi), lo + need + 1)"),
    gives_room_to_nothing=("end = select(lo < hi, address(origin, size, hi), free)", "end = address(origin, size, hi)"),
)
def low_span_ends_lowest(free: int, band: Needs, lo: int, hi: int) -> bool:
    """If any span has what is needed, there is one, and it ends no higher than that.

    pre: band.size > 0 and band.need >= 0 and has(band, lo, hi) and start(band, lo) >= free
    post: _
    """
    _, _, above, placed = code.place_low(free, *band)
    return bool(placed & (above <= (end(band, hi) if lo < hi else free)))


@contract(
    "place_high",
    forgets_the_pins_below=("lo = select(pinned, smaller(hi - need, pin_lo), hi - need)", "lo = hi - need"),
    ends_below_a_pin=("either(pin_lo >= pin_hi, pin_hi <= hi)", "either(True, pin_hi <= hi)"),
)
def high_span_has_what_is_needed(limit: int, band: Needs) -> bool:
    """The span, if there is one, has the pages and the pins, ends at the limit or below it, and begins as said.

    pre: band.size > 0 and band.need >= 0
    post: _
    """
    lo, hi, below, placed = code.place_high(limit, *band)
    begins = below == (start(band, lo) if lo < hi else limit)
    return bool((not placed) | (has(band, lo, hi) & (end(band, hi) <= limit) & begins))


@contract(
    "place_high",
    gives_a_page_too_many_below=(
        "smaller(hi - need, pin_lo), hi - need)",
        "smaller(hi - need, pin_lo), hi - need - 1)",
    ),
    gives_room_to_nothing_above=(
        "start = select(lo < hi, address(origin, size, lo), limit)",
        "start = address(origin, size, lo)",
    ),
)
def high_span_begins_highest(limit: int, band: Needs, lo: int, hi: int) -> bool:
    """If any span has what is needed, there is one, and it begins no lower than that.

    pre: band.size > 0 and band.need >= 0 and has(band, lo, hi) and end(band, hi) <= limit
    post: _
    """
    _, _, below, placed = code.place_high(limit, *band)
    return bool(placed & (below >= (start(band, lo) if lo < hi else limit)))


# ---------------------------------------------------------------------------------------------------------- admission


@contract(
    "feasible",
    asks_the_last_alone=("return both(both(fits, placed), free <= start)", "return both(fits, placed)"),
    forgets_the_first=("fits = both(fits, placed)", "fits = fits"),
)
def what_fits_has_spans(base: int, capacity: int, low: Needs, high: Needs) -> bool:
    """Two bands with pages of 2 and 3 bytes: if they are said to fit, the packed spans are in order and inside.

    pre: low.need >= 0 and high.need >= 0 and base <= capacity
    post: _
    """
    low, high = low._replace(size=2), high._replace(size=3)
    if not code.feasible(base, capacity, [low, high]):
        return True
    low_lo, low_hi, free, _ = code.place_low(base, *low)
    high_lo, high_hi, begins, _ = code.place_high(capacity, *high)
    fit = inside(base, capacity, low, low_lo, low_hi) & inside(base, capacity, high, high_lo, high_hi)
    found: bool = fit & (base <= free) & (free <= begins) & (begins <= capacity)
    return found


@contract("feasible", wants_a_byte_between=("free <= start)", "free < start)"))
def what_has_spans_fits(
    base: int, capacity: int, low: Needs, high: Needs, low_lo: int, low_hi: int, high_lo: int, high_hi: int
) -> bool:
    """Two bands with pages of 2 and 3 bytes: if there are spans in order and inside, they are said to fit.

    pre: low.need >= 0 and high.need >= 0 and base <= capacity
    post: _
    """
    low, high = low._replace(size=2), high._replace(size=3)
    ordered = (low_lo == low_hi) | (high_lo == high_hi) | (end(low, low_hi) <= start(high, high_lo))
    both_inside = inside(base, capacity, low, low_lo, low_hi) & inside(base, capacity, high, high_lo, high_hi)
    if not (both_inside & ordered):
        return True
    found: bool = code.feasible(base, capacity, [low, high])
    return found


@contract("free_from", begins_anew=("place_low(free[-1], *band)[2]", "place_low(free[0], *band)[2]"))
def free_bytes_rise(base: int, low: Needs, middle: Needs, high: Needs) -> bool:
    """Three bands with pages of 2, 3 and 1 bytes: one number for each, the first the base, and none below another.

    pre: low.need >= 0 and middle.need >= 0 and high.need >= 0
    post: _
    """
    chain = [low._replace(size=2), middle._replace(size=3), high._replace(size=1)]
    free: list[int] = code.free_from(base, chain)
    return len(free) == 3 and (free[0] == base) & (free[0] <= free[1]) & (free[1] <= free[2])


@contract("free_until", begins_anew_above=("place_high(limits[-1], *band)[2]", "place_high(limits[0], *band)[2]"))
def limits_rise(capacity: int, low: Needs, middle: Needs, high: Needs) -> bool:
    """Three bands with pages of 2, 3 and 1 bytes: one number for each, the last the capacity, and none below another.

    pre: low.need >= 0 and middle.need >= 0 and high.need >= 0
    post: _
    """
    chain = [low._replace(size=2), middle._replace(size=3), high._replace(size=1)]
    until: list[int] = code.free_until(capacity, chain)
    return len(until) == 3 and (until[2] == capacity) & (until[0] <= until[1]) & (until[1] <= until[2])


def fits(free: int, limit: int, origin: int, size: int, count: int) -> bool:
    """So many pages of a grid lie between two bytes; none does if they are in order."""
    last = code.first_page_from(origin, size, free) + count
    room: bool = origin + last * size <= limit
    return free <= limit if count == 0 else room


@contract(
    "least_eviction",
    asks_for_a_page_less=("over = live + demand - room", "over = live + demand - room - 1"),
    promises_too_much=("return count, both(free <= limit, count <= live)", "return count, free <= limit"),
)
def what_is_given_up_suffices(free: int, limit: int, origin: int, size: int, live: int, demand: int) -> bool:
    """If it is said to suffice, there are so many pages, and what is left fits; else all would not be enough.

    pre: size > 0 and live >= 0 and demand >= 0
    post: _
    """
    count, suffices = code.least_eviction(free, limit, origin, size, live, demand)
    if not suffices:
        return not fits(free, limit, origin, size, demand)
    return 0 <= count <= live and fits(free, limit, origin, size, live - count + demand)


@contract(
    "least_eviction",
    asks_for_a_page_more=("least = select(over > 0, over, 0)", "least = select(over > 0, over + 1, 0)"),
)
def no_fewer_suffice(free: int, limit: int, origin: int, size: int, live: int, demand: int) -> bool:
    """If it is said to suffice, and a page less were given up, what is left would not fit.

    pre: size > 0 and live >= 0 and demand >= 0
    post: _
    """
    count, suffices = code.least_eviction(free, limit, origin, size, live, demand)
    return not suffices or count <= 0 or not fits(free, limit, origin, size, live - (count - 1) + demand)


# --------------------------------------------------------------------------------------------------------------- ends


@contract(
    "useful_ends",
    lets_the_first_begin_anywhere=("select(is_first, bottom, larger(lowest, useful_lo))", "larger(lowest, useful_lo)"),
    lets_the_last_end_anywhere=("select(is_last, top, smaller(highest, useful_hi))", "smaller(highest, useful_hi)"),
)
def ends_are_anchored(
    band: Needs, lowest: int, highest: int, live: int, live_lo: int, live_hi: int, bottom: int, top: int, first: bool
) -> bool:
    """The first band begins at the bottom and nowhere else, and the last ends at the top and nowhere else.

    post: _
    """
    pins = band.need, band.pin_lo, band.pin_hi
    found = code.useful_ends(*pins, lowest, highest, live, live_lo, live_hi, bottom, top, first, not first)
    lo_min, lo_max, hi_min, hi_max = found
    return bool((lo_min == bottom) & (lo_max == bottom) if first else (hi_min == top) & (hi_max == top))


@contract(
    "useful_ends",
    begins_below_its_room=("larger(lowest, useful_lo))", "useful_lo)"),
    ends_above_its_room=("smaller(highest, useful_hi))", "useful_hi)"),
    begins_too_late_for_its_pins=(
        "lo_max = select(pinned, smaller(highest - need, pin_lo), highest - need)",
        "lo_max = highest - need",
    ),
    ends_too_early_for_its_pins=(
        "hi_min = select(pinned, larger(lowest + need, pin_hi), lowest + need)",
        "hi_min = lowest + need",
    ),
)
def ends_stay_in_the_room(band: Needs, lowest: int, highest: int, live: int, live_lo: int, live_hi: int) -> bool:
    """A float begins and ends in its room, begins where there is still room for all, and ends where all is had.

    post: _
    """
    need, pin_lo, pin_hi = band.need, band.pin_lo, band.pin_hi
    found = code.useful_ends(need, pin_lo, pin_hi, lowest, highest, live, live_lo, live_hi, 0, 0, False, False)
    lo_min, lo_max, hi_min, hi_max = found
    inside_room = (lo_min >= lowest) & (hi_max <= highest) & (lo_max + need <= highest) & (hi_min - need >= lowest)
    return bool(inside_room & ((pin_lo >= pin_hi) | ((lo_max <= pin_lo) & (hi_min >= pin_hi))))


# ----------------------------------------------------------------------------------------------------------- in place


@contract(
    "float_in_place",
    grows_beyond_its_room=("max(0, more - above))", "0)"),
    appears_beyond_its_room=("max(lowest, min(wish, highest - need))", "wish"),
    appears_above_the_middle=("(lowest + highest - need) // 2", "(lowest + highest) // 2"),
)
def grows_in_its_room(free: int, limit: int, wish: int, band: Needs) -> bool:
    """A float with pages of 2 bytes that has room: it gets what it needs there, with its pins, and no page more.

    pre: band.pin_lo <= band.pin_hi and band.need > band.pin_hi - band.pin_lo
    post: _
    """
    band = band._replace(size=2)
    lowest = code.first_page_from(band.origin, 2, free)
    highest = code.pages_until(band.origin, 2, limit)
    pinned = band.pin_lo < band.pin_hi
    if highest - lowest < band.need or (pinned and not lowest <= band.pin_lo <= band.pin_hi <= highest):
        return True
    lo, hi = code.float_in_place(free, limit, wish, *band)
    found: bool = has(band, lo, hi) & (hi - lo == band.need) & (free <= start(band, lo)) & (end(band, hi) <= limit)
    return found


@contract(
    "in_place",
    grows_the_last_over_its_pins=("lo = min(lo, top - need) if lo < hi else top - need", "lo = top - need"),
    forgets_the_float=("free = address(origin, size, hi) if lo < hi else free", "free = base"),
)
def spans_contain_their_pins(low: Needs, middle: Needs, other: Needs, high: Needs, limit: int, wish: int) -> bool:
    """Four bands with pages of a byte: each has its pins, the ends are anchored, and a float appears clear of others.

    All but the second float have what they need in use; it is empty, and there is room for the page that it needs.

    pre: 0 < low.pin_hi <= middle.pin_lo < middle.pin_hi < limit <= high.pin_lo < 100
    post: _
    """
    chain = [
        Needs(0, 1, low.pin_hi, 0, low.pin_hi),
        Needs(0, 1, middle.pin_hi - middle.pin_lo, middle.pin_lo, middle.pin_hi),
        Needs(0, 1, 1, other.pin_lo, other.pin_lo),
        Needs(0, 1, 99 - high.pin_lo, high.pin_lo, 100),
    ]
    first, kept, appeared, last = code.in_place(0, 0, 100, chain, [0, 0, limit, 100], [-1, -1, wish, -1])
    ends = (first == (0, low.pin_hi)) & (last == (high.pin_lo, 100)) & (kept == (middle.pin_lo, middle.pin_hi))
    return bool(ends & (middle.pin_hi <= appeared[0]) & (appeared[1] == appeared[0] + 1) & (appeared[1] <= limit))


# ------------------------------------------------------------------------------------------------------------- fewest


@contract("first_try", tries_none=("return larger(1, 2 * least)", "return 2 * least"))
def some_are_tried(least: int) -> bool:
    """At least so many, and at least one.

    pre: least >= 0
    post: _
    """
    tried: int = code.first_try(least)
    return tried >= least and tried >= 1


@contract("widened", tries_the_same_again=("return tried + 1, 2 * tried", "return tried + 1, tried"))
def more_are_tried(tried: int) -> bool:
    """The least is one more than was tried, and no fewer than that are tried next.

    pre: tried >= 1
    post: _
    """
    least, following = code.widened(tried)
    return bool(least == tried + 1 and following >= least)


@contract("halfway", tries_the_most=("return (least + most) // 2", "return (least + most + 1) // 2"))
def lies_between(least: int, most: int) -> bool:
    """At least the least, and less than the most, which need not be tried.

    pre: least < most
    post: _
    """
    tried: int = code.halfway(least, most)
    return least <= tried < most


@contract(
    "narrowed",
    tries_what_was_not_enough=("select(suffices, least, tried + 1)", "select(suffices, least, tried)"),
    passes_over_what_was_enough=("select(suffices, tried, most)", "select(suffices, tried - 1, most)"),
)
def fewer_are_left(least: int, most: int, fewest: int) -> bool:
    """The fewest that are enough stay between the two, which come nearer to each other.

    pre: least <= fewest <= most and least < most
    post: _
    """
    suffices = code.halfway(least, most) >= fewest
    low, high = code.narrowed(least, most, suffices)
    return bool(least <= low <= fewest <= high <= most and high - low < most - least)
