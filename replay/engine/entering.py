"""How a request that waits begins to run."""

from collections.abc import Sequence

from impl.layout import Kind, Lifetime
from impl.requests.reach import places
from replay.engine.admission import Admission
from replay.engine.prefixes import Match, Prefixes
from replay.engine.request import Served
from replay.engine.situation import Situation
from replay.engine.supply import Supply
from replay.memory.protocol import Memory
from replay.traffic.traffic import Traffic

LOOK_AGAIN = 16
"""Steps after which a request that waits is considered anew even if nothing was given back."""


class Entering:
    """Lets the first in the queue run, from the longest prefix of it that is cached."""

    def __init__(
        self,
        traffic: Traffic,
        memory: Memory,
        situation: Situation,
        supply: Supply,
        prefixes: Prefixes | None,
        admission: Admission,
    ) -> None:
        self._names = None if prefixes is None else traffic.prefixes
        self._memory, self._situation, self._supply = memory, situation, supply
        self._prefixes, self._admission = prefixes, admission
        self._kinds: Sequence[Kind] = memory.kinds
        self._is_state = [kind.lifetime is Lifetime.STATE for kind in self._kinds]
        self._looked = 0

    def boundary(self, request: Served) -> int:
        """Tokens of its prompt after which a later request can go on; 0 if none can."""
        if self._prefixes is None or self._names is None:
            return 0
        whole = len(self._names[request.index]) * self._prefixes.block_tokens
        return self._prefixes.whole_blocks(min(whole, request.prompt - 1))

    @property
    def patience(self) -> int:
        """Steps until a request that waits is considered anew, even if nothing happens."""
        return 1 if self._situation.freed else self._looked + LOOK_AGAIN - self._situation.step

    def admit(self, request: Served) -> bool:
        """Let a request run, if the memory has room for it beside those that run."""
        situation = self._situation
        alone = not situation.running
        if not alone:
            if not situation.freed and self.patience > 0:
                return False
            self._looked, situation.freed = situation.step, False
        match = self._matched(request)
        if match is not None and self._prefixes is not None:
            self._prefixes.use(request, match.names)
        if not alone and not self._admission.has_room(
            request, match, situation.running, situation.filling, situation.step
        ):
            self._let_go(request)
            return False
        situation.running[request] = None
        situation.filling[request] = None
        if match is not None and not self._begin_with(request, match):
            self._let_go(request)
        situation.freed = True
        return True

    def _matched(self, request: Served) -> Match | None:
        if self._prefixes is None or self._names is None or not request.boundary:
            return None
        return self._prefixes.match(self._names[request.index], request.context)

    def _begin_with(self, request: Served, match: Match) -> bool:
        """A request goes on from a cached prefix: pages are shared, the state is copied."""
        copied = [ids if state else [] for ids, state in zip(match.pages, self._is_state, strict=True)]
        if any(copied):
            given = self._supply.ask(tuple(map(len, copied)), copied)
            if given is None:
                return False
            copied = given
        for band, ids in enumerate(match.pages):
            if not self._is_state[band]:
                if ids:
                    self._memory.share(band, ids)
                request.pages[band] = ids
                request.first[band] = places(self._kinds[band], match.tokens) - len(ids)
            else:
                request.pages[band] = copied[band]
        request.done = match.tokens
        self._situation.tally.cached += match.tokens
        return True

    def _let_go(self, request: Served) -> None:
        if self._prefixes is not None:
            self._prefixes.leave(request)
