"""How requests leave the batch: at their end, for want of memory to come back later, or for good."""

from replay.engine.arrivals import Arrivals
from replay.engine.prefixes import Prefixes
from replay.engine.request import Served
from replay.engine.reserve import Reserve
from replay.engine.situation import Situation
from replay.engine.supply import Supply
from replay.engine.tally import BrokenLaw


class Leaving:
    """Takes requests out; their pages go back."""

    def __init__(
        self,
        situation: Situation,
        supply: Supply,
        prefixes: Prefixes | None,
        arrivals: Arrivals,
        reserve: Reserve,
        lag: int,
    ) -> None:
        self._situation, self._supply, self._prefixes = situation, supply, prefixes
        self._arrivals, self._reserve, self._lag = arrivals, reserve, lag

    def finish(self, request: Served, gone: list[list[int]]) -> None:
        """All its tokens are there; its pages are added to those that are to be given back."""
        situation, tally = self._situation, self._situation.tally
        if request.generated(situation.step, self._lag) != request.left:
            raise BrokenLaw(f"request {request.index} ended with other tokens than it was to generate")
        tally.completed += 1
        tally.finished_context += request.context
        tally.output += request.context - request.prompt + request.left
        tally.sojourns += situation.known - request.arrival
        tally.area -= situation.now - situation.known
        tally.first_tokens.append(request.first_token - request.arrival)
        tally.answers.append(situation.known - request.arrival)
        self._leave(request, gone)
        request.life += 1
        request.start = -1
        self._arrivals.answered(situation.known)

    def retract(self, request: Served) -> None:
        """It goes back to the head of the queue and will compute again what it loses."""
        situation = self._situation
        generated = request.generated(situation.step, self._lag)
        self._reserve.raised(situation.running, situation.step, self._lag)
        situation.tally.retractions += 1
        self._drop(request)
        request.back(generated)
        situation.waiting.appendleft(request)

    def reject(self, request: Served) -> None:
        """It runs alone and cannot go on."""
        situation = self._situation
        self._drop(request)
        situation.tally.rejected += 1
        situation.tally.sojourns += situation.now - request.arrival
        request.life += 1
        self._arrivals.answered(situation.now)

    def give_up_prefix(self, request: Served) -> bool:
        """A request that runs alone and lacks room lets its prefix be evicted; False if it has none."""
        had = bool(request.blocks)
        if self._prefixes is not None:
            self._prefixes.leave(request)
        return had

    def _drop(self, request: Served) -> None:
        self._situation.tally.dropped += request.done
        gone: list[list[int]] = [[] for _ in request.pages]
        self._leave(request, gone)
        self._supply.give_back(gone)

    def _leave(self, request: Served, gone: list[list[int]]) -> None:
        situation = self._situation
        del situation.running[request]
        situation.filling.pop(request, None)
        if request.start >= 0:
            situation.batch.remove(request.context, request.start, situation.step)
            situation.tally.slots_of_requests += max(0, situation.step - request.start)
        if self._prefixes is not None:
            self._prefixes.leave(request)
        for band, ids in enumerate(request.pages):
            gone[band] += ids
            request.pages[band] = []
