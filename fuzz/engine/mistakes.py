"""Mistakes that a caller makes on purpose here: each call must be rejected, and nothing may have changed."""

from fuzz.engine.engine import MOST_TICKETS, Engine, pick
from fuzz.engine.operations import Draws, operation
from fuzz.malformed import CASES
from fuzz.script import FAR_AHEAD


@operation(weight=1)
def release_twice(engine: Engine, draws: Draws) -> str:
    """One reference more is given up than there is."""
    band, ids = _pages_of_someone(engine, draws)
    if not ids:
        return "no page"
    vid = pick(ids, draws[2])
    references = engine.stage.state.refs[band, vid]
    return _rejected(engine.stage.release(band, [vid] * (references + 1)))


@operation(weight=1)
def use_after_free(engine: Engine, draws: Draws) -> str:
    """A page that was given up is shared, held or released."""
    band = pick(engine.bands, draws[0])
    geometry = engine.stage.allocator.chain.bands[band]
    alive = engine.stage.state.refs
    vid = geometry.first + draws[1] % (geometry.limit - geometry.first)
    if alive[band, vid]:
        return "alive"
    stage = engine.stage
    if draws[2] % 3 == 0:
        return _rejected(stage.share(band, [vid]))
    if draws[2] % 3 == 1:
        return _rejected(stage.release(band, [vid]))
    tickets = list(stage.tickets)
    return _rejected(bool(tickets) and stage.hold(pick(tickets, draws[3]), band, [vid], "read"))


@operation(weight=1)
def ids_that_never_were(engine: Engine, draws: Draws) -> str:
    """An id below or above all that can be handed out."""
    band = pick(engine.bands, draws[0])
    vid = (-1, engine.stage.allocator.chain.bands[band].limit, 1 << 40, -(1 << 40))[draws[1] % 4]
    return _rejected(engine.stage.release(band, [vid]) if draws[2] % 2 else engine.stage.share(band, [vid]))


@operation(weight=1)
def retire_twice(engine: Engine, draws: Draws) -> str:
    """A ticket that has retired, or was never opened, is completed, settled or given pages."""
    stage = engine.stage
    unknown = (
        stage.allocator.next_ticket - 1 - draws[0] % 4 if draws[1] % 4 else stage.allocator.next_ticket + FAR_AHEAD
    )
    if unknown in stage.tickets or unknown < 0:
        return "outstanding"
    if draws[2] % 3 == 0:
        return _rejected(stage.complete(unknown))
    if draws[2] % 3 == 1:
        return _rejected(stage.settle(unknown))
    band, ids = _pages_of_someone(engine, draws)
    return _rejected(stage.hold(unknown, band, ids[:1], "read"))


@operation(weight=1)
def settle_a_transfer(engine: Engine, draws: Draws) -> str:
    """A stream is asked to wait for a transfer, or a transfer for a stream."""
    stage, transfers = engine.stage, engine.tickets("transfer")
    if draws[0] % 4 == 0:
        return _rejected(stage.open("transfer", "compute") is not None)
    if not transfers:
        return "no transfer"
    ticket = pick(transfers, draws[1])
    if draws[0] % 4 == 1:
        return _rejected(stage.settle(ticket))
    if draws[0] % 4 == 2:
        return _rejected(isinstance(stage.allocate([0 for _ in engine.bands], [ticket]), list))
    return _rejected(stage.open("copy", "host", [ticket]) is not None)


@operation(weight=2)
def write_what_is_in_use(engine: Engine, draws: Draws) -> str:
    """A ticket that waits for nobody asks to write pages of a request, whoever uses or shares them."""
    stage = engine.stage
    band, ids = _pages_of_someone(engine, draws)
    if not ids:
        return "no page"
    shared = [vid for vid in ids if stage.state.refs[band, vid] > 1]
    ids = shared if shared and draws[3] & 2 else ids
    ticket = stage.open("copy", f"stray {draws[2] % 2}") if len(stage.tickets) < MOST_TICKETS else None
    if ticket is None:
        return "no ticket"
    taken = stage.hold(ticket, band, ids, "write")
    if taken and draws[3] % 2:
        stage.issue(ticket, band, ids)
    return "taken" if taken else "rejected"


@operation(weight=1)
def quarantine_what_has_not_failed(engine: Engine, draws: Draws) -> str:
    """A forward, a copy, or a transfer that is in quarantine or over, is put in quarantine."""
    stage = engine.stage
    others = [*engine.tickets("forward", "copy"), *(engine.quarantined & stage.tickets.keys())]
    if draws[0] % 4 and others:
        return _rejected(stage.quarantine(pick(others, draws[1])))
    return _rejected(stage.quarantine(stage.allocator.next_ticket + FAR_AHEAD))


@operation(weight=1)
def release_memory_in_use(engine: Engine, draws: Draws) -> str:
    """The arena's bytes are asked back, whoever needs them."""
    return _rejected(engine.stage.release_memory())


@operation(weight=1)
def copy_what_cannot_be(engine: Engine, draws: Draws) -> str:
    """Copies are asked for of pages that are not alive, of more pages than are asked for, or of too few bands."""
    band = pick(engine.bands, draws[0])
    demand = [1 if other == band else 0 for other in engine.bands]
    geometry = engine.stage.allocator.chain.bands[band]
    vid = geometry.first + draws[1] % (geometry.limit - geometry.first)
    named: list[list[list[int]]] = [[[] for _ in engine.bands] for _ in range(3)]
    named[0][band] = [vid, vid]
    named[1][band] = [vid if not engine.stage.state.refs[band, vid] else geometry.limit]
    named[2] = named[2][1:]
    return _rejected(isinstance(engine.stage.allocate(demand, [], named[draws[2] % 3]), list))


@operation(weight=1)
def unpublish_nothing(engine: Engine, draws: Draws) -> str:
    """Someone who published nothing takes it back."""
    return _rejected(engine.stage.unpublish(f"stranger {draws[0] % 2}"))


@operation(weight=1)
def malformed(engine: Engine, draws: Draws) -> str:
    """A call whose arguments are not even of the right type."""
    engine.stage.malformed(pick(list(CASES), draws[0]))
    return "rejected"


def _pages_of_someone(engine: Engine, draws: Draws) -> tuple[int, list[int]]:
    band = pick(engine.bands, draws[1])
    if not engine.requests:
        return band, []
    return band, engine.request(draws[0]).pages[band]


def _rejected(taken: bool) -> str:
    return "taken" if taken else "rejected"
