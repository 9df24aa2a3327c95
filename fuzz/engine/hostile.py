"""What an engine does at the worst moment: gates flip, tickets end in any order, requests end halfway."""

from fuzz.engine.engine import MOST_REQUESTS, Engine, pick
from fuzz.engine.operations import Draws, operation
from fuzz.engine.pressure import MOST_STEPS, most_that_fits
from fuzz.engine.request import Request, first_written


@operation(weight=3)
def leave_holes(engine: Engine, draws: Draws) -> str:
    """A few short requests arrive, one after the other, and every second one ends at once."""
    started = [
        engine.start(1 + (draws[1] >> number) % (2 * engine.page_tokens), engine.settleable(draws[2]))[0]
        for number in range(2 + draws[0] % 4)
    ]
    ended = [request for request in started[draws[3] % 2 :: 2] if request is not None]
    for request in ended:
        engine.give_up(request)
    return "holes" if ended else "none arrived"


@operation(weight=1)
def fill_up(engine: Engine, draws: Draws) -> str:
    """Kind by kind, the most that fits by one of the steps is taken; then an old request may end."""
    settle = engine.settleable(draws[2])
    outcome = "nothing fits"
    for number in engine.bands:
        band = pick(engine.bands, draws[0] + number)
        if len(engine.requests) >= MOST_REQUESTS:
            return "enough requests"
        none = [0 for _ in engine.bands]
        most = most_that_fits(engine, band, none, settle, 1 + draws[1] % MOST_STEPS)
        if not most:
            continue
        given = engine.stage.allocate([most if other == band else 0 for other in engine.bands], settle)
        if isinstance(given, list):
            engine.requests.append(Request(0, given, [0] * len(given)))
            outcome = "filled"
    if draws[3] % 4 and engine.requests:
        engine.give_up(engine.request(1 << 15 | draws[3] >> 2))
    return outcome


@operation(weight=2)
def flip_the_gate(engine: Engine, draws: Draws) -> str:
    """The gate closes and opens again around compaction and growth, for one guest or two, in either order."""
    stage = engine.stage
    names = [f"guest {number}" for number in range(1 + draws[0] % 2)]
    for who in names:
        stage.publish(who)
    moved = stage.compact(1 << 40)
    if engine.requests:
        engine.grow(engine.request(draws[1]), 1 + draws[2] % (2 * engine.page_tokens), engine.settleable(draws[3]))
    for who in names[::-1] if draws[0] // 2 % 2 else names:
        stage.unpublish(who)
        moved = stage.compact((0, 1 << 40)[draws[3] % 2])
    return "moved" if moved else "nothing to move"


@operation(weight=2)
def retire_all(engine: Engine, draws: Draws) -> str:
    """Every ticket ends, the newest first or in any order, by completion or settling, perhaps with a drain between."""
    stage = engine.stage
    waiting = list(stage.tickets)
    if not waiting:
        return "none outstanding"
    number = 0
    while waiting:
        place = -1 if draws[0] % 4 == 0 else draws[1] * (number + 1) % len(waiting)
        ticket = waiting.pop(place)
        settled = draws[2] >> number % 16 & 1 and stage.tickets[ticket][0] != "transfer"
        if settled:
            stage.settle(ticket)
        else:
            stage.complete(ticket)
        if draws[3] >> number % 16 & 1:
            stage.drain()
        number += 1
    engine.forget_forwards()
    if draws[0] & 4:
        engine.open_the_gate()
    return "all over"


@operation(weight=2)
def abort_while_launching(engine: Engine, draws: Draws) -> str:
    """A request ends while its forward is being launched, and what it was given before is written then."""
    if not engine.requests:
        return "no request"
    stage, request = engine.stage, engine.request(draws[0])
    ticket = stage.open("forward", "compute")
    if ticket is None:
        return "rejected"
    given = []
    for band, kind in enumerate(engine.kinds):
        begin = max(0, first_written(kind, request.launched) - request.first[band])
        ids = request.pages[band][begin:]
        if ids and stage.hold(ticket, band, ids, "write"):
            given.append((band, list(ids)))
        if band == draws[1] % len(engine.kinds):
            break
    before = draws[2] % (len(given) + 1)
    for band, ids in given[:before]:
        stage.issue(ticket, band, ids)
    engine.give_up(request, backwards=draws[3] % 2 == 1)
    for band, ids in given[before:]:
        stage.issue(ticket, band, ids)
    if draws[3] & 2:
        stage.compact(1 << 40)
    if draws[3] & 4:
        stage.complete(ticket)
    return "in flight" if given else "nothing was given"


@operation(weight=2)
def reschedule(engine: Engine, draws: Draws) -> str:
    """From now on the device works fast, slowly, or in an order of another sort."""
    return engine.stage.reschedule(draws)
