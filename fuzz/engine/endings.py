"""When everything ends: all is given up at once, and the arena's memory is given back for a while."""

from fuzz.engine.engine import Engine
from fuzz.engine.operations import Draws, operation


@operation(weight=1)
def clear(engine: Engine, draws: Draws) -> str:
    """Every reference is given up at once, whatever is in flight."""
    busy = bool(engine.stage.tickets)
    engine.requests.clear()
    engine.stage.clear()
    return "in flight" if busy else "idle"


@operation(weight=1)
def offload(engine: Engine, draws: Draws) -> str:
    """All work ends, and the arena's bytes are given back, for a moment or longer; calls that need them are made."""
    stage = engine.stage
    clear(engine, draws)
    waited_for = engine.tickets("forward", "copy") if draws[3] % 2 else []
    for ticket in list(stage.tickets):
        if ticket in waited_for:
            stage.settle(ticket)
        else:
            stage.complete(ticket)
    engine.open_the_gate()
    if draws[3] % 4 < 3:
        stage.drain()
    if not stage.release_memory():
        return "rejected"
    for band in engine.bands[: draws[0] % 2]:
        stage.allocate([draws[1] % 3 if other == band else 0 for other in engine.bands])
        copy = stage.open("copy", "host")
        if copy is not None:
            stage.hold(copy, band, [], "read")
            stage.complete(copy)
        stage.publish("peer 0")
        stage.compact(draws[1])
        stage.release_memory()
    if draws[2] % 4 == 0:
        return "for a while"
    stage.resume_memory()
    return "and back"


@operation(weight=8)
def wake_up(engine: Engine, draws: Draws) -> str:
    """The arena's bytes are asked for, whether they are there or not."""
    return "resumed" if engine.stage.resume_memory() else "rejected"
