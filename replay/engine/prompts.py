"""Which stretches of prompts the next step computes."""

from collections.abc import Sequence
from typing import NamedTuple

from impl.layout import Kind
from impl.requests.reach import first_needed, places
from replay.engine.entering import Entering
from replay.engine.leaving import Leaving
from replay.engine.policy import Policy
from replay.engine.request import Served
from replay.engine.situation import Situation
from replay.engine.supply import Supply
from replay.memory.protocol import Memory


class Stretch(NamedTuple):
    """A part of a prompt that one step computes; its pages are there."""

    request: Served
    tokens: int


class Prompts:
    """Gives the prompts of those that were admitted their pages, and admits more as long as a step has room."""

    def __init__(
        self,
        memory: Memory,
        situation: Situation,
        supply: Supply,
        entering: Entering,
        leaving: Leaving,
        policy: Policy,
    ) -> None:
        self._memory, self._situation, self._supply = memory, situation, supply
        self._entering, self._leaving, self._policy = entering, leaving, policy
        self._kinds: Sequence[Kind] = memory.kinds
        self._windowed = [band for band, kind in enumerate(self._kinds) if kind.window is not None]

    def fill(self) -> list[Stretch]:
        """The stretches that the next step computes."""
        situation = self._situation
        while True:
            stretches = self._stretches()
            if stretches or not situation.filling or situation.batch.requests:
                return stretches
            stretches = self._unstick()
            if stretches:
                return stretches

    @property
    def patience(self) -> int | None:
        """Steps after which prompts are looked at anew, even if nothing happens; None if nothing waits for pages."""
        if self._situation.filling:
            return 1
        return self._entering.patience if self._may_enter() else None

    def _may_enter(self) -> bool:
        situation = self._situation
        return bool(situation.waiting) and len(situation.running) < self._policy.max_running

    def _stretches(self) -> list[Stretch]:
        situation = self._situation
        stretches: list[Stretch] = []
        budget = self._policy.chunk_tokens
        for request in list(situation.filling):
            if not budget:
                break
            self._slide(request)
            tokens = self._next(request, budget)
            if not tokens:
                break
            stretches.append(Stretch(request, tokens))
            budget -= tokens
        while budget and self._may_enter():
            if not self._entering.admit(situation.waiting[0]):
                break
            request = situation.waiting.popleft()
            tokens = self._next(request, budget)
            if not tokens:
                break
            stretches.append(Stretch(request, tokens))
            budget -= tokens
        return stretches

    def _unstick(self) -> list[Stretch]:
        """Nothing decodes and no prompt goes on: retract all but the first, and give it what there is, or reject it."""
        situation = self._situation
        first = next(iter(situation.filling))
        while len(situation.running) > 1:
            self._leaving.retract(next(reversed(situation.running)))
        self._leaving.give_up_prefix(first)
        # the forward in flight is waited for, after which its window may slide
        self._memory.landed(situation.step - 1)
        situation.known = situation.now
        first.chunk_step = -1
        self._slide(first)
        budget = self._policy.chunk_tokens
        while budget:
            tokens = self._next(first, budget)
            if tokens:
                return [Stretch(first, tokens)]
            budget //= 2
        self._leaving.reject(first)
        return []

    def _next(self, request: Served, budget: int) -> int:
        """Pages for the next stretch of a prompt; its tokens, or 0 if there is no room for it."""
        tokens = min(budget, request.context - request.done)
        if request.done < request.boundary:
            tokens = min(tokens, request.boundary - request.done)
        until = request.done + tokens
        demand = tuple(
            max(0, places(kind, until) - request.first[band] - len(request.pages[band]))
            for band, kind in enumerate(self._kinds)
        )
        if any(demand):
            given = self._supply.ask(demand)
            if given is None:
                return 0
            for band, ids in enumerate(given):
                request.pages[band] += ids
            self._situation.fresh[request] = list(map(len, given))
        return tokens

    def _slide(self, request: Served) -> None:
        situation = self._situation
        in_flight = request.chunk if self._policy.overlap and request.chunk_step == situation.step - 1 else 0
        gone: list[list[int]] = [[] for _ in self._kinds]
        for band in self._windowed:
            gone[band] = request.slid(band, first_needed(self._kinds[band], request.done - in_flight))
        self._supply.give_back(gone)
