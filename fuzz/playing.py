"""Makes the calls of a script on a stage."""

from collections.abc import Callable, Iterable

from fuzz import script
from fuzz.stage import Stage
from impl.plan import Refusal


def play(calls: Iterable[script.AnyCall], stage: Stage, begun: Callable[[int], None] = lambda _: None) -> None:
    """Make the calls in turn. Raises Violation where something that must be true is not.

    `begun` is told the number of each call, from 1, before it is made.

    What a name stands for is found out on the way: a script that was cut still makes sense, and names for which there
    is nothing any more are left out.
    """
    player = _Player(stage)
    for number, call in enumerate(calls, 1):
        begun(number)
        player.make(call)
    stage.check_everything()


class _Player:
    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.ids: dict[tuple[int, int, int], int] = {}
        self.tickets: dict[int, int] = {}

    def make(self, call: script.AnyCall) -> None:
        """One call, with numbers in place of its names."""
        stage = self.stage
        band = getattr(call, "band", 0)
        if band not in stage.bands:
            return
        ids = self._ids(band, getattr(call, "ids", []))
        ticket = self._ticket(getattr(call, "ticket", script.NEVER_OPENED))
        match call:
            case script.Allocate():
                self._allocate(call)
            case script.Plan():
                stage.would_fit(call.demand, self._tickets(call.settle))
            case script.Open():
                number = stage.open(call.user, call.stream, self._tickets(call.waits))
                if number is not None:
                    self.tickets[call.label] = number
            case script.Share():
                stage.share(band, ids)
            case script.Release():
                stage.release(band, ids)
            case script.Clear():
                stage.clear()
            case script.Hold() if ticket is not None:
                stage.hold(ticket, band, ids, call.mode)
            case script.Issue() if ticket is not None:
                stage.issue(ticket, band, ids)
            case script.Land() if ticket is not None:
                stage.land(ticket, band, ids)
            case script.Complete() if ticket is not None:
                stage.complete(ticket)
            case script.Quarantine() if ticket is not None:
                stage.quarantine(ticket)
            case script.Settle() if ticket is not None:
                stage.settle(ticket)
            case script.Drain():
                stage.drain()
            case script.Publish():
                stage.publish(call.who)
            case script.Unpublish():
                stage.unpublish(call.who)
            case script.Compact():
                stage.compact(call.budget)
            case script.ReleaseMemory():
                stage.release_memory()
            case script.ResumeMemory():
                stage.resume_memory()
            case script.Advance():
                stage.advance(call.choice)
            case script.Malformed():
                stage.malformed(call.case)

    def _allocate(self, call: script.Allocate) -> None:
        originals = [self._ids(band, names) for band, names in enumerate(call.originals)]
        given = self.stage.allocate(call.demand, self._tickets(call.settle), originals, wipe=call.wipe)
        if given is None or isinstance(given, Refusal):
            return
        for band, new in enumerate(given):
            self.ids.update({(call.label, band, place): vid for place, vid in enumerate(new)})

    def _ids(self, band: int, names: list[script.Id]) -> list[int]:
        found = [place if label == script.NOT_GIVEN else self.ids.get((label, band, place)) for label, place in names]
        return [vid for vid in found if vid is not None]

    def _ticket(self, label: int) -> int | None:
        if label == script.NEVER_OPENED:
            return self.stage.allocator.next_ticket + script.FAR_AHEAD
        return self.tickets.get(label)

    def _tickets(self, labels: list[int]) -> list[int]:
        found = [self._ticket(label) for label in labels]
        return [ticket for ticket in found if ticket is not None]
