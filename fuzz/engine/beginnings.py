"""What begins beside what is there: copies of what others keep, and windows that come back when all else is full."""

from fuzz.engine.engine import MOST_REQUESTS, Engine, pick, some
from fuzz.engine.operations import Draws, operation
from fuzz.engine.pressure import most_that_fits
from fuzz.engine.request import Request, pages_covering
from impl.plan import Refusal


@operation(weight=1)
def keep_copies(engine: Engine, draws: Draws) -> str:
    """Some pages of one kind are copied, and both go on, as a state is kept beside the prefix that it belongs to."""
    if not engine.requests:
        return "no request"
    band = pick(engine.bands, draws[1])
    ids = some(engine.request(draws[0]).pages[band], draws[2] | 1 << draws[2] % 4)
    return _begun(engine, band, ids, [0 for _ in engine.bands], engine.settleable(draws[3])) if ids else "no page"


@operation(weight=1)
def begin_windows_again(engine: Engine, draws: Draws) -> str:
    """Floats lose all that they have, and get a page each again: at once, or with about the most that fits of an end.

    Just before, or in the same call, pages of an end are shared, given up by one of those who share them, or copied.
    """
    floats = engine.bands[1:-1]
    for band in some(floats, draws[0]) or floats:
        _lose(engine, band)
    end = engine.bands[0] if draws[1] % 2 else engine.bands[-1]
    having = [request for request in engine.requests if request.pages[end]]
    ids = pick(having, draws[2]).pages[end][:1] if having else []
    demand = [int(band in floats) for band in engine.bands]
    settle = engine.settleable(draws[3])
    before = draws[1] // 2 % 4
    if ids and before:
        if before == 3:
            _begun(engine, end, ids, [0 for _ in engine.bands], settle)
        elif len(engine.requests) < MOST_REQUESTS:
            engine.stage.share(end, ids)
            if before == 1:
                engine.requests.append(_having(engine, end, ids))
            else:
                engine.stage.release(end, ids)
    copied: list[int] = []
    if draws[1] // 8 % 4:
        most = most_that_fits(engine, end, demand, settle) or 0
        demand[end] = max(0, most - (0, 0, 1, 3)[draws[1] // 64 % 4])
        copied = ids if demand[end] and draws[1] // 32 % 2 else []
        demand[end] -= len(copied)
    return _begun(engine, end, copied, demand, settle)


def _lose(engine: Engine, band: int) -> None:
    """No request has a page of this band any more."""
    for request in engine.requests:
        if request.pages[band]:
            engine.stage.release(band, request.pages[band])
            request.pages[band] = []
            request.first[band] = pages_covering(engine.kinds[band], request.tokens)


def _begun(engine: Engine, band: int, ids: list[int], more: list[int], settle: list[int]) -> str:
    """A new request begins with copies of some pages of a band, and with more pages."""
    if len(engine.requests) >= MOST_REQUESTS:
        return "enough requests"
    demand = [count + (len(ids) if other == band else 0) for other, count in enumerate(more)]
    originals = [ids if other == band else [] for other in engine.bands] if ids else []
    given = engine.stage.allocate(demand, settle, originals)
    if given is None:
        return "rejected"
    if isinstance(given, Refusal):
        return f"refused {given.reason}"
    engine.requests.append(Request(0, given, [0] * len(given)))
    return "begun"


def _having(engine: Engine, band: int, ids: list[int]) -> Request:
    return Request(0, [list(ids) if other == band else [] for other in engine.bands], [0 for _ in engine.bands])
