from functools import cache
from random import Random

from fuzz.oracle.packing import Chain, Want, fits

CASES = 20_000


def _some_chain(rnd: Random) -> Chain:
    """Page sizes that do not divide, in an arena of a few pages; the first band begins near its base."""
    bands = rnd.choice((2, 2, 3, 3, 4))
    sizes = [rnd.choice((1, 2, 3, 5)) for _ in range(bands)]
    base = rnd.randint(0, 3)
    capacity = base + rnd.randint(4, 14)
    origins = [rnd.randint(-2, base) for _ in range(bands)]
    bottom = -((origins[0] - base) // sizes[0])
    top = (capacity - origins[-1]) // sizes[-1]
    return Chain(origins, sizes, base, capacity, bottom, top)


def _some_wants(rnd: Random, chain: Chain) -> list[Want]:
    """Mostly a little; pinned pages are where pages of the band can be."""
    wants = []
    for origin, size in zip(chain.origins, chain.sizes, strict=True):
        low, high = -((origin - chain.base) // size), (chain.capacity - origin) // size
        if rnd.random() < 0.4 or high <= low:
            wants.append(Want(rnd.choice((0, 0, 1, 2, 3))))
            continue
        first = rnd.randrange(low, high)
        end = rnd.randint(first + 1, min(high, first + 3))
        wants.append(Want(rnd.randint(1, 4), first, end))
    return wants


def _spans_exist(chain: Chain, wants: list[Want]) -> bool:
    """The definition: every span of every band is tried."""
    last = len(wants) - 1

    @cache
    def exist(band: int, free: int) -> bool:
        if band > last:
            return True
        want, origin, size = wants[band], chain.origins[band], chain.sizes[band]
        pages = range(-3, chain.capacity + 4)
        for lo in [chain.bottom] if band == 0 else pages:
            for hi in [chain.top] if band == last else pages:
                if lo > hi or hi - lo < want.pages or (want.first < want.end and not lo <= want.first < want.end <= hi):
                    continue
                if lo == hi:
                    if exist(band + 1, free):
                        return True
                    continue
                start, end = origin + lo * size, origin + hi * size
                if free <= start and end <= chain.capacity and exist(band + 1, end):
                    return True
        # an end that is anchored may be empty as well
        return not want.pages and exist(band + 1, free)

    return exist(0, chain.base)


def test_packing_decides_as_trying_every_span_does() -> None:
    rnd = Random(4)
    seen = {True: 0, False: 0}
    for _ in range(CASES):
        chain = _some_chain(rnd)
        wants = _some_wants(rnd, chain)
        assert fits(chain, wants) == _spans_exist(chain, wants), (chain, wants)
        seen[fits(chain, wants)] += 1
    assert min(seen.values()) > CASES // 6
