"""Requests that decode: what comes due for each, and the pages that their tokens need."""

from collections.abc import Sequence

from impl.layout import Kind, Lifetime
from impl.requests.reach import first_needed
from replay.engine.calendar import FINISH, GROW, SATURATE, SLIDE, Due
from replay.engine.leaving import Leaving
from replay.engine.request import Served
from replay.engine.situation import Situation
from replay.engine.supply import Supply


class Decoding:
    """Puts into the calendar what will be due for a request, and does it when it is."""

    def __init__(self, kinds: Sequence[Kind], situation: Situation, supply: Supply, leaving: Leaving, lag: int) -> None:
        self._kinds, self._situation, self._supply, self._leaving, self._lag = kinds, situation, supply, leaving, lag
        self._token_bands = [band for band, kind in enumerate(kinds) if kind.lifetime is not Lifetime.STATE]
        self._one_each = [int(band in self._token_bands) for band in range(len(kinds))]
        self._windowed = [band for band, kind in enumerate(kinds) if kind.window is not None]
        self._page = kinds[-1].page_tokens

    def begin(self, request: Served) -> None:
        """The last of its prompt is computed: its first token is there, and from the next step on it decodes."""
        situation = self._situation
        del situation.filling[request]
        if request.first_token < 0:
            request.first_token = situation.now
        start = request.start = situation.step
        context, life, put = request.context, request.life, situation.calendar.put
        situation.batch.add(context, start)
        put(start + request.left - 1 + self._lag, Due(FINISH, request, life))
        put(start + -context % self._page, Due(GROW, request, life))
        for band in self._windowed:
            full = situation.batch.saturates(band, context, start)
            if full > start:
                put(full, Due(SATURATE, request, life, band))
            put(start, Due(SLIDE, request, life, band))

    def take_due(self) -> None:
        """Do all that is due before the next step is launched."""
        situation = self._situation
        step, calendar = situation.step, situation.calendar
        if calendar.next is None or calendar.next > step:
            return
        growing: list[Served] = []
        gone: list[list[int]] = [[] for _ in self._kinds]
        for what, request, life, band in calendar.take(step):
            if life != request.life:
                continue
            if what == GROW:
                growing.append(request)
                calendar.put(step + self._page, Due(GROW, request, life))
            elif what == SLIDE:
                self._slide(request, band, gone[band])
            elif what == SATURATE:
                situation.batch.saturate(band, request.context, request.start)
            else:
                self._leaving.finish(request, gone)
        self._supply.give_back(gone)
        if growing:
            self._grow(growing)

    def _slide(self, request: Served, band: int, gone: list[int]) -> None:
        kind, step = self._kinds[band], self._situation.step
        settled = request.context + step - request.start - self._lag
        if self._lag and step == request.start:
            settled = request.context - request.chunk
        gone += request.slid(band, first_needed(kind, settled))
        assert kind.window is not None, "only windows slide"
        next_settled = kind.window - 1 + (request.first[band] + 1) * kind.page_tokens
        due = max(next_settled - request.context + request.start + self._lag, step + 1)
        self._situation.calendar.put(due, Due(SLIDE, request, request.life, band))

    def _grow(self, growing: list[Served]) -> None:
        """A page of each token kind for each of these; retracts the last admitted until the others have theirs."""
        situation = self._situation
        while growing:
            count = len(growing)
            given = self._supply.ask(tuple(each * count for each in self._one_each))
            if given is not None:
                for band in self._token_bands:
                    for request, vid in zip(growing, given[band], strict=True):
                        request.pages[band].append(vid)
                situation.fresh.update(dict.fromkeys(growing, self._one_each))
                return
            victim = next(reversed(situation.running))
            if len(situation.running) == 1:
                if self._leaving.give_up_prefix(victim):
                    continue
                self._leaving.reject(victim)
                return
            self._leaving.retract(victim)
            growing = [request for request in growing if request is not victim]
