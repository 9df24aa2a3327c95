"""Device work: forwards, host copies and transfers are launched, write, and end."""

from collections.abc import Sequence

from events.records import Mode, User
from fuzz.engine.engine import MOST_TICKETS, Engine, pick, some
from fuzz.engine.operations import Draws, operation
from fuzz.engine.pressure import compact
from fuzz.engine.request import Request, first_written
from fuzz.engine.requests import fork
from spec.state import LIVE, READ

MOST_FORWARDS = 2
MOST_MET = 16
"""Pages that one transfer asks for although work is queued on them."""


@operation(weight=10)
def launch(engine: Engine, draws: Draws) -> str:
    """A forward over a few requests: it reads their pages and writes those of the new tokens and the states."""
    if not engine.requests:
        return "no request"
    if len(engine.tickets("forward")) >= MOST_FORWARDS:
        return "two in flight"
    copies = engine.tickets("copy")
    waits = copies if draws[2] % 4 else some(copies, draws[2] // 4)
    ticket = engine.stage.open("forward", "compute", waits)
    if ticket is None:
        return "rejected"
    batch = {id(request): request for request in (engine.request(draws[0] + n) for n in range(1 + draws[1] % 4))}
    outcome = "launched"
    for request in batch.values():
        if draws[3] % 8:
            # a page that others see is copied before it is written, most of the time
            engine.grow(request, 0, engine.settleable(draws[3] // 8))
        if not _run(engine, ticket, request):
            outcome = "partly rejected"
    for request in batch.values():
        engine.slide(request)
    return outcome


def _run(engine: Engine, ticket: int, request: Request) -> bool:
    request.forwards.add(ticket)
    taken = True
    for band, kind in enumerate(engine.kinds):
        pages = request.pages[band]
        if not pages:
            continue
        # what was launched before is only read
        begin = max(0, first_written(kind, request.launched) - request.first[band])
        read, written = pages[:begin], pages[begin:]
        for ids, mode in ((read, "read"), (written, "write")):
            taken &= not ids or engine.stage.hold(ticket, band, ids, mode)  # type: ignore[arg-type]  # one of both
        engine.stage.issue(ticket, band, written)
    request.launched = request.tokens
    return taken


@operation(weight=2)
def hand_over(engine: Engine, draws: Draws) -> str:
    """A forward is settled, and a copy on a stream that knows nothing of it goes on with its request at once."""
    busy = [request for request in engine.requests if request.forwards]
    if not busy or len(engine.stage.tickets) >= MOST_TICKETS:
        return "none in flight"
    request = pick(busy, draws[0])
    engine.stage.settle(pick(sorted(request.forwards), draws[1]))
    engine.forget_forwards()
    ticket = engine.stage.open("copy", "host")
    if ticket is None:
        return "rejected"
    return _held(engine, ticket, request, draws[2], "read")


@operation(weight=6)
def land_some(engine: Engine, draws: Draws) -> str:
    """Some of what a ticket writes arrives."""
    flights = engine.stage.flights
    if not flights:
        return "nothing in flight"
    ticket = pick(sorted({flight[0] for flight in flights.values()}), draws[0])
    landed = False
    for band in engine.bands:
        ids = [vid for (where, _), (other, vid, _) in flights.items() if other == ticket and where == band]
        chosen = some(ids, draws[1] | 1 << draws[2] % 16)
        if chosen:
            engine.stage.land(ticket, band, chosen)
            landed = True
    return "landed" if landed else "none chosen"


@operation(weight=8)
def result(engine: Engine, draws: Draws) -> str:
    """A forward is over; not always the one that was launched first."""
    forwards = engine.tickets("forward")
    return _completed(engine, forwards[:1] if draws[1] % 4 else forwards, draws[0])


@operation(weight=3)
def copied(engine: Engine, draws: Draws) -> str:
    """A host copy is over."""
    return _completed(engine, engine.tickets("copy"), draws[0])


@operation(weight=4)
def transferred(engine: Engine, draws: Draws) -> str:
    """A transfer is over, perhaps long after whoever asked for it has gone; after the last the gate mostly opens."""
    outcome = _completed(engine, engine.tickets("transfer"), draws[0])
    if draws[2] % 4 and not engine.tickets("transfer"):
        engine.open_the_gate()
    return outcome


@operation(weight=2)
def fail_a_transfer(engine: Engine, draws: Draws) -> str:
    """A transfer fails, and its peer may go on to touch what it was given; it is over when the peer is gone."""
    transfers = [ticket for ticket in engine.tickets("transfer") if ticket not in engine.quarantined]
    if not transfers:
        return "none outstanding"
    ticket = pick(transfers, draws[0])
    taken = engine.stage.quarantine(ticket)
    engine.quarantined.add(ticket)
    return "in quarantine" if taken else "rejected"


def _completed(engine: Engine, tickets: Sequence[int], draw: int) -> str:
    if not tickets:
        return "none outstanding"
    ticket = pick(tickets, draw)
    taken = engine.stage.complete(ticket)
    engine.forget_forwards()
    return "completed" if taken else "rejected"


@operation(weight=2)
def settle(engine: Engine, draws: Draws) -> str:
    """The allocator's stream is made to wait for a forward or a copy."""
    tickets = engine.tickets("forward", "copy")
    if not tickets:
        return "none outstanding"
    taken = engine.stage.settle(pick(tickets, draws[0]))
    engine.forget_forwards()
    return "settled" if taken else "rejected"


@operation(weight=2)
def drain(engine: Engine, draws: Draws) -> str:
    """The allocator's stream is seen to have caught up."""
    engine.stage.drain()
    return "drained"


@operation(weight=3)
def copy_out(engine: Engine, draws: Draws) -> str:
    """A host copy reads pages of a request, mostly behind the forwards that write them."""
    return _used(engine, draws, "copy", "read")


@operation(weight=2)
def copy_in(engine: Engine, draws: Draws) -> str:
    """Pages are loaded back from the host for a new request."""
    return _filled(engine, draws, "copy")


@operation(weight=2)
def send(engine: Engine, draws: Draws) -> str:
    """A request's addresses are published and a transfer reads its pages."""
    return _used(engine, draws, "transfer", "read")


@operation(weight=2)
def receive(engine: Engine, draws: Draws) -> str:
    """Addresses of new pages are published and a transfer writes them."""
    return _filled(engine, draws, "transfer")


@operation(weight=4)
def hold_more(engine: Engine, draws: Draws) -> str:
    """A ticket that was opened long ago asks for pages, some of them again, perhaps behind the back of a later one."""
    tickets = list(engine.stage.tickets)
    if not tickets or not engine.requests:
        return "no ticket or no request"
    ticket, request = pick(tickets, draws[0]), engine.request(draws[1])
    band = pick(engine.bands, draws[2])
    ids = some(request.pages[band], draws[3] | 1)
    if not ids:
        return "no page"
    mode: Mode = "write" if draws[2] // 256 % 2 else "read"
    taken = engine.stage.hold(ticket, band, ids, mode)
    if taken and mode == "write":
        engine.stage.issue(ticket, band, ids)
    return "taken" if taken else "rejected"


@operation(weight=3)
def write_again(engine: Engine, draws: Draws) -> str:
    """A ticket writes once more to what it was given long ago, whoever has gone since."""
    tickets = [ticket for ticket in engine.stage.tickets if engine.stage.given_to(ticket)]
    if not tickets:
        return "nobody may write"
    ticket = pick(tickets, draws[0])
    band, _ = pick(given := engine.stage.given_to(ticket), draws[1])
    engine.stage.issue(ticket, band, some([vid for where, vid in given if where == band], draws[2] | 1))
    return "written"


@operation(weight=1)
def announce(engine: Engine, draws: Draws) -> str:
    """Someone publishes addresses long before anything is sent there."""
    who = f"peer {draws[0] % 3}"
    engine.publishers[who] = None
    engine.stage.publish(who)
    return "published"


@operation(weight=2)
def meet_queued_work(engine: Engine, draws: Draws) -> str:
    """A transfer asks for pages that no ticket holds, and on which the allocator's stream may still have work to do.

    Some of it was asked for just before: pages were copied or moved. It must be given none of them.
    """
    s = engine.stage.state
    if draws[3] % 2:
        fork(engine, (draws[3] // 2, 0, 0, 0))
    else:
        compact(engine, draws)
    held = {(band, page) for _, band, page in s.held}
    queued = [place for place in s.queued if place not in held and s.status[place] == LIVE]
    if not queued:
        return "nothing is queued"
    ticket = _opened(engine, draws, "transfer")
    if ticket is None:
        return "no ticket"
    for number in range(min(MOST_MET, len(queued))):
        band, page = pick(queued, draws[0] + number)
        vid = s.vid_at[band, page]
        # where the work reads, only a writer meets it
        mode: Mode = "write" if s.queued[band, page] == READ or draws[1] >> number & 1 else "read"
        if engine.stage.hold(ticket, band, [vid], mode):
            return "taken"
    return "rejected"


@operation(weight=3)
def unpublish(engine: Engine, draws: Draws) -> str:
    """Someone takes its addresses back, perhaps before its transfer is over."""
    if not engine.publishers:
        return "nobody published"
    who = pick(list(engine.publishers), draws[0])
    del engine.publishers[who]
    engine.stage.unpublish(who)
    return "unpublished"


def _used(engine: Engine, draws: Draws, user: User, mode: Mode) -> str:
    if not engine.requests:
        return "no request"
    ticket = _opened(engine, draws, user)
    if ticket is None:
        return "no ticket"
    request = engine.request(draws[0])
    return _held(engine, ticket, request, draws[1], mode)


def _filled(engine: Engine, draws: Draws, user: User) -> str:
    request, outcome = engine.start(1 + draws[0] % (4 * engine.page_tokens), engine.settleable(draws[3]))
    if request is None:
        return outcome
    request.launched = request.tokens
    ticket = _opened(engine, draws, user)
    if ticket is None:
        return "no ticket"
    outcome = _held(engine, ticket, request, draws[1], "write")
    for band in engine.bands:
        engine.stage.issue(ticket, band, request.pages[band])
    return outcome


def _opened(engine: Engine, draws: Draws, user: User) -> int | None:
    if len(engine.stage.tickets) >= MOST_TICKETS:
        return None
    if user == "copy":
        others = engine.tickets("forward", "copy")
        return engine.stage.open(user, "host", others if draws[2] % 4 else some(others, draws[2] // 4))
    who = f"peer {draws[2] % 3}"
    engine.publishers[who] = None
    engine.stage.publish(who)
    return engine.stage.open(user)


def _held(engine: Engine, ticket: int, request: Request, draw: int, mode: Mode) -> str:
    bands = some(engine.bands, draw) or engine.bands
    taken = [engine.stage.hold(ticket, band, request.pages[band], mode) for band in bands if request.pages[band]]
    return "held" if all(taken) else "rejected"
