"""The order in which bands take on new spans."""

from collections.abc import Sequence

from impl.ledger import Extent


def in_legal_order(now: Sequence[Extent], then: Sequence[Extent]) -> list[int]:
    """The bands whose span changes, in an order in which each finds all the room that it needs.

    A band that takes its turn first grows until it has its present and its new span, then moves its pages, then gives
    up what it no longer needs. Bands that shrink at both sides come first; they need no room. Those that move right
    follow, from the right: such a band finds all that is above it already where it will be, or else still higher than
    that, because it will come down later. Then those that move left, from the left, by the same argument. Those that
    only grow come last, when all their neighbours are where they will be. So no spare room is needed.
    """
    # an empty span has no position to change
    changed = [band for band, (lo, hi) in enumerate(then) if lo < hi and now[band] != (lo, hi)]
    turns: dict[str, list[int]] = {"shrink": [], "right": [], "left": [], "grow": []}
    for band in changed:
        turns[_turn(now[band], then[band])].append(band)
    return turns["shrink"] + turns["right"][::-1] + turns["left"] + turns["grow"]


def _turn(now: Extent, then: Extent) -> str:
    if now[0] == now[1]:
        return "grow"
    if now[0] <= then[0] and then[1] <= now[1]:
        return "shrink"
    if now[0] < then[0] and now[1] < then[1]:
        return "right"
    if then[0] < now[0] and then[1] < now[1]:
        return "left"
    return "grow"
