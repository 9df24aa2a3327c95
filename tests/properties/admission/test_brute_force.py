"""What the arithmetic decides, against the definition read of every layout there is."""

from itertools import product
from random import Random

import numpy as np

from impl.arithmetic.admission import Needs, feasible, free_from, free_until, least_eviction
from spec.admission.layouts import is_legal
from spec.admission.maps import Says
from spec.admission.refusals import evicted
from spec.state import State
from tests.properties.admission.arrays import every_layout, reading_arrays

PAGES = range(-1, 12)


def exists(s: State) -> bool:
    return bool(np.any(is_legal(s)))


def with_case(s: State, need: list[int], pins: list[tuple[int, int]]) -> State:
    return s.but(need=need, fixed=Says(lambda band, page: pins[band][0] <= page < pins[band][1]))


def chain(origins: list[int], sizes: list[int], need: list[int], pins: list[tuple[int, int]]) -> list[Needs]:
    return [Needs(*each[:3], *each[3]) for each in zip(origins, sizes, need, pins, strict=True)]


def test_every_chain_of_two_bands_in_seven_bytes() -> None:
    judged = cases = admitted = 0
    for sizes, origin in (([2, 1], 0), ([2, 1], 1), ([3, 2], 1)):
        origins, base, capacity = [origin, 0], 1, 7 // sizes[1] * sizes[1]
        layouts = every_layout(origins, sizes, base, capacity)
        extents = [
            [(0, 0), *[(lo, hi) for lo in range(limit) for hi in range(lo + 1, limit + 1)]]
            for limit in (capacity // size for size in sizes)
        ]
        with reading_arrays(2, PAGES):
            for need in product(range(4), range(3)):
                for pins in product(*extents):
                    found = feasible(base, capacity, chain(origins, sizes, list(need), list(pins)))
                    assert found == exists(with_case(layouts, list(need), list(pins))), (sizes, origins, need, pins)
                    cases += 1
                    admitted += found
                    judged += layouts.lo[0].size
    assert judged >= 100_000
    assert 400 < admitted < cases - 400


def test_many_chains_of_three_bands() -> None:
    rnd = Random(0)
    judged = admitted = 0
    sizes, base, capacity = [2, 3, 1], 1, 9
    for origins in ([1, 0, 0], [0, 1, 0]):
        layouts = every_layout(origins, sizes, base, capacity)
        with reading_arrays(3, PAGES):
            for _ in range(100):
                need = [rnd.choice((0, 1, 1, 2)) for _ in sizes]
                pins = []
                for size in sizes:
                    lo = rnd.randrange(capacity // size)
                    pins.append(rnd.choice([(0, 0), (0, 0), (lo, rnd.randint(lo + 1, min(lo + 2, capacity // size)))]))
                found = feasible(base, capacity, chain(origins, sizes, need, pins))
                assert found == exists(with_case(layouts, need, pins)), (origins, need, pins)
                admitted += found
                judged += layouts.lo[0].size
    assert judged >= 1_000_000
    assert 40 < admitted < 160


def test_the_least_evictions_of_many_chains() -> None:
    rnd = Random(0)
    origins, sizes, base, capacity = [1, 0, 0], [2, 3, 1], 1, 9
    layouts = every_layout(origins, sizes, base, capacity)
    answers = set()
    with reading_arrays(3, PAGES):
        for _ in range(30):
            live, demand = ([rnd.randrange(3) for _ in sizes] for _ in range(2))
            whole = chain(origins, sizes, [a + b for a, b in zip(live, demand, strict=True)], [(0, 0)] * 3)
            froms, limits = free_from(base, whole), free_until(capacity, whole)
            for band in range(3):
                room = froms[band], limits[band], origins[band], sizes[band]
                least, suffices = least_eviction(*room, live[band], demand[band])
                enough = [n for n in range(live[band] + 1) if exists(evicted(layouts, live, demand, band, n))]
                assert (least if suffices else None) == min(enough, default=None), (live, demand, band)
                answers.add(min(enough, default=None))
    assert answers == {None, 0, 1, 2}
