"""Whether a request may join those that run: a question to the memory, with a reserve for what the others will need."""

from collections.abc import Collection, Sequence

from impl.floor import floor_pages
from impl.layout import Lifetime
from impl.requests.reach import places
from replay.engine.policy import Policy
from replay.engine.prefixes import Match, Prefixes
from replay.engine.request import Served
from replay.engine.reserve import Reserve
from replay.memory.protocol import Demand, Memory


class Admission:
    """Asks the memory; prefixes that nobody uses give way."""

    def __init__(self, memory: Memory, policy: Policy, prefixes: Prefixes | None) -> None:
        self._memory, self._policy, self._prefixes = memory, policy, prefixes
        self._kinds = memory.kinds
        self._is_state = [kind.lifetime is Lifetime.STATE for kind in self._kinds]
        self._lag = int(policy.overlap)
        self.reserve = Reserve(policy)

    def longest(self, most: int) -> int:
        """The most tokens of a request, up to `most`, that an empty memory could serve alone."""
        states = 1 + (self._prefixes is not None)

        def fits(tokens: int) -> bool:
            demand = tuple(
                states if state else floor_pages(kind, tokens + self._lag)
                for kind, state in zip(self._kinds, self._is_state, strict=True)
            )
            return not self._memory.refusal_if_empty(demand)

        least = 0
        if fits(most):
            return most
        while most - least > 1:
            middle = (least + most) // 2
            least, most = (middle, most) if fits(middle) else (least, middle)
        return least

    def has_room(
        self,
        request: Served,
        match: Match | None,
        running: Collection[Served],
        filling: Collection[Served],
        step: int,
    ) -> bool:
        """Whether there is room for a request beside those that run, some of whose prompts are still being computed."""
        to_fill = sum(each.context - each.done for each in filling)
        to_come = int(self.reserve.tokens(running, step, self._lag)) + to_fill
        demand = self._wanted(request, 0 if match is None else match.tokens, to_come)
        nbytes = sum(pages * kind.page_bytes for pages, kind in zip(demand, self._kinds, strict=True))
        while True:
            least: Sequence[int | None] = [1] * len(demand)
            # most requests that have to wait do so for want of bytes, which is seen without a plan
            if nbytes <= self._memory.free_bytes:
                refusal = self._memory.refusal(demand)
                if refusal is None:
                    return True
                least = refusal.evict or least
            if self._prefixes is None or not self._prefixes.evict(least):
                return False

    def _wanted(self, request: Served, cached: int, to_come: int) -> Demand:
        """What must be free: a request's own pages to its end, and those for the tokens that the others will have."""
        own = request.context + min(request.left, self._policy.reserve_clip)
        chunk = min(request.context - cached, self._policy.chunk_tokens)
        wanted = []
        for kind, state in zip(self._kinds, self._is_state, strict=True):
            if state:
                wanted.append(1)
            elif kind.window is None:
                wanted.append(places(kind, own) - places(kind, cached) + places(kind, to_come))
            else:
                wanted.append(max(places(kind, chunk), min(floor_pages(kind, own), places(kind, own - cached))))
        return tuple(wanted)
