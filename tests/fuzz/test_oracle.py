from functools import cache
from random import Random

import pytest

from events.records import Refused
from fuzz.oracle.admission import PROPERTIES, Met, check_grant, check_refusal
from fuzz.oracle.packing import Chain, Want, fits
from fuzz.oracle.situation import COMPACT_ENDS, IN_PLACE, RELAYOUT, Situation
from fuzz.setups import setup_of
from fuzz.stage import Stage
from fuzz.targets.own import OWN
from fuzz.violation import Violation
from fuzz.watch import CLOSELY
from spec.admission.properties import PROPERTIES as SPECIFIED

CASES = 20_000


def _some_chain(rnd: Random) -> Chain:
    """Page sizes that do not divide, in an arena of a few pages; the ends are anchored at its ends or near them."""
    bands = rnd.choice((2, 2, 3, 3, 4))
    sizes = [rnd.choice((1, 2, 3, 5)) for _ in range(bands)]
    base = rnd.randint(0, 3)
    capacity = base + rnd.randint(6, 16)
    origins = [rnd.randint(-2, base) for _ in range(bands)]
    bottom = -((origins[0] - base) // sizes[0]) + rnd.choice((0, 0, 1))
    top = (capacity - origins[-1]) // sizes[-1] - rnd.choice((0, 0, 1))
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


# -------------------------------------------------------------------------------------------------------- the answers

ALL_OF_IT = 10**6


def _full() -> tuple[Situation, int, int]:
    """All pages of full attention that fit, the first at the far end released and two others held, each by a ticket."""
    stage = Stage(OWN, setup_of("toy-state-full"), CLOSELY)
    most = stage.allocator.chain.bands[1].limit - stage.allocator.chain.bands[1].first
    while (given := stage.allocate([0, most])) is None or not isinstance(given, list):
        most -= 1
    tickets = []
    for vid in (given[1][-1], given[1][-2]):
        ticket = stage.open("copy", "host")
        assert ticket is not None
        assert stage.hold(ticket, 1, [vid], "read")
        assert stage.release(1, [vid])
        tickets.append(ticket)
    assert stage.release(1, given[1][:1])
    assert stage.would_fit([0, 1])
    return Situation(stage.state), tickets[0], tickets[1]


def test_names_are_those_of_the_specification() -> None:
    assert SPECIFIED.keys() >= PROPERTIES


@pytest.mark.parametrize(
    ("demand", "met", "broken"),
    [
        ([0, 1], lambda first, second: Met(IN_PLACE, [], set()), None),
        ([0, 1], lambda first, second: Met(IN_PLACE, [first], set()), "lowest-step"),
        ([0, 1], lambda first, second: Met(COMPACT_ENDS, [], set()), "lowest-step"),
        ([0, 1], lambda first, second: Met(IN_PLACE, [], {1}), "lowest-step"),
        ([0, 2], lambda first, second: Met(IN_PLACE, [first], set()), None),
        ([0, 2], lambda first, second: Met(IN_PLACE, [second], set()), "lowest-step"),
        ([0, 2], lambda first, second: Met(IN_PLACE, [first, second], set()), "lowest-step"),
        ([0, 2], lambda first, second: Met(IN_PLACE, [], set()), "admission-sound"),
        ([0, 3], lambda first, second: Met(IN_PLACE, [first, second], set()), None),
        ([0, 4], lambda first, second: Met(RELAYOUT, [first, second], set()), "admission-sound"),
    ],
)
def test_a_demand_is_met_by_what_is_needed_and_no_more(demand: list[int], met: object, broken: str | None) -> None:
    case, first, second = _full()
    done = met(first, second)  # type: ignore[operator]  # a function of the tickets
    if broken is None:
        check_grant(case, demand, [first, second], done)
    else:
        with pytest.raises(Violation, match=broken):
            check_grant(case, demand, [first, second], done)


def test_what_has_to_be_settled_anyway_is_not_too_much() -> None:
    case, first, second = _full()
    check_grant(case, [0, 1], [first, second], Met(IN_PLACE, [second], set()), must=[second])
    with pytest.raises(Violation, match="lowest-step"):
        check_grant(case, [0, 1], [first, second], Met(IN_PLACE, [], set()), must=[second])


@pytest.mark.parametrize(
    ("demand", "settle", "refusal", "broken"),
    [
        ([0, 2], 1, lambda first, second: Refused("evict", evict=[None, 1]), "admission-complete"),
        ([0, 2], 0, lambda first, second: Refused("after-release", [first]), None),
        ([0, 2], 0, lambda first, second: Refused("after-release", [second]), None),
        ([0, 2], 0, lambda first, second: Refused("after-release", [first, second]), "honest-refusal"),
        ([0, 3], 0, lambda first, second: Refused("after-release", [first]), "honest-refusal"),
        ([0, 3], 0, lambda first, second: Refused("after-release", [first, second]), None),
        ([0, 3], 0, lambda first, second: Refused("after-release", [first, second], ["peer"]), "honest-refusal"),
        ([0, 4], 2, lambda first, second: Refused("after-release", [first, second]), "honest-refusal"),
        ([0, 4], 2, lambda first, second: Refused("evict", evict=[None, 1]), None),
        ([0, 4], 2, lambda first, second: Refused("evict", evict=[None, 2]), "honest-refusal"),
        ([0, 4], 2, lambda first, second: Refused("never"), "honest-refusal"),
        ([0, ALL_OF_IT], 2, lambda first, second: Refused("never"), None),
        ([0, ALL_OF_IT], 2, lambda first, second: Refused("evict", evict=[None, None]), "honest-refusal"),
    ],
)
def test_a_refusal_says_what_is_so(demand: list[int], settle: int, refusal: object, broken: str | None) -> None:
    case, *tickets = _full()
    said = refusal(*tickets)  # type: ignore[operator]  # a function of the tickets
    if broken is None:
        check_refusal(case, demand, tickets[:settle], said)
    else:
        with pytest.raises(Violation, match=broken):
            check_refusal(case, demand, tickets[:settle], said)
