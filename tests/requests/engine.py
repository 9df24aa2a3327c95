"""A driver of requests that knows what each token's entry must show, and looks after every step."""

from collections.abc import Sequence
from random import Random

import torch

from events import records as r
from impl.allocator import Allocator
from impl.layout import Layout, Lifetime
from impl.misuse import Misuse
from impl.plan import Grant
from impl.recording import RecordedAllocator
from impl.requests.reach import first_needed
from impl.requests.request import Request
from impl.requests.requests import Requests
from spec.judge.judge import Judge


class Engine:
    """Computes tokens: a forward writes a number of its own to the entry of each new token, and to the state."""

    def __init__(self, layout: Layout, arena_bytes: int) -> None:
        self.judge = Judge()
        self.allocator = Allocator(layout, arena_bytes)
        self.recorded = RecordedAllocator(self.allocator, self._judged)
        self.requests = Requests(self.recorded)
        self.kinds = [band.kind for band in self.allocator.chain.bands]
        self.tokens: dict[Request, list[float]] = {}
        """Of each request, what the entry of each launched token shows."""
        self.state: dict[Request, float] = {}
        self.tickets: list[int] = []
        self._number = 0.0

    def _judged(self, record: r.AnyRecord) -> None:
        finding = self.judge.take(record)
        assert finding is None, str(finding)

    def begin(self) -> Request:
        request = self.requests.begin()
        self.tokens[request], self.state[request] = [], 0.0
        return request

    def fork(self, request: Request) -> Request:
        other = self.requests.fork(request)
        self.tokens[other], self.state[other] = list(self.tokens[request]), self.state[request]
        return other

    def forward(self, requests: Sequence[Request]) -> int:
        """Launch what waits; here it has written when this returns."""
        ticket = self.recorded.open("forward", "main")
        before = {request: request.launched for request in requests}
        self.requests.launch(ticket, requests)
        self.tickets.append(ticket)
        for request in requests:
            for token in range(before[request], request.tokens):
                self._number += 1
                self.tokens[request].append(self._number)
                for band, kind in enumerate(self.kinds):
                    self._entry(request, band, 0 if kind.lifetime is Lifetime.STATE else token)[:] = self._number
                self.state[request] = self._number
        return ticket

    def roll_back(self, request: Request, tokens: int) -> None:
        self.requests.roll_back([request], tokens)
        del self.tokens[request][request.tokens :]

    def finish(self, request: Request) -> None:
        self.requests.finish([request])
        del self.tokens[request], self.state[request]

    def complete(self) -> None:
        """The oldest forward is over."""
        if self.tickets:
            self.recorded.complete(self.tickets.pop(0))

    def look(self) -> None:
        """Every entry that a next token could read shows what was written there."""
        for request, numbers in self.tokens.items():
            for band, kind in enumerate(self.kinds):
                if kind.lifetime is Lifetime.STATE:
                    if numbers:
                        assert set(self._entry(request, band, 0).tolist()) == {self.state[request]}
                    continue
                # the tokens before those that the window of the first token that is not final reaches may be gone
                reached = 0 if kind.window is None else max(0, request.settled - kind.window + 1)
                assert request.first[band] <= first_needed(kind, request.settled)
                for token in range(reached, len(numbers)):
                    assert set(self._entry(request, band, token).tolist()) == {numbers[token]}, (band, token)
        self.allocator.check()

    def end(self) -> None:
        """Everything is given back, and nothing is left."""
        for request in list(self.tokens):
            self.finish(request)
        while self.tickets:
            self.complete()
        self.recorded.drain()
        for band in self.allocator.snapshot().bands:
            assert not band.pages
            assert not band.withheld
            assert band.lo == band.hi

    def _entry(self, request: Request, band: int, token: int) -> torch.Tensor:
        kind = self.kinds[band]
        vid = request.page_at(band, token // kind.page_tokens)
        assert vid is not None, f"token {token} has no page of kind {kind.name}"
        page = int(self.allocator.translate(band, [vid])[0])
        entry: torch.Tensor = self.allocator.view(kind.rows[0])[page * kind.page_tokens + token % kind.page_tokens]
        return entry


def random_run(engine: Engine, rnd: Random, steps: int) -> dict[str, int]:
    """Random operations, each looked at afterwards; how often each was done."""
    done: dict[str, int] = {}
    for _ in range(steps):
        name = rnd.choices(
            ("begin", "extend", "fork", "accept", "roll back", "finish", "complete", "compact"),
            (3, 10, 3, 5, 3, 1.5, 5, 1),
        )[0]
        outcome = _do(engine, rnd, name)
        done[f"{name}: {outcome}"] = done.get(f"{name}: {outcome}", 0) + 1
        engine.look()
    return done


def _do(engine: Engine, rnd: Random, name: str) -> str:
    requests = list(engine.tokens)
    if name == "begin":
        if len(requests) < 6:
            engine.begin()
    elif name == "complete":
        engine.complete()
    elif name == "compact":
        engine.recorded.compact(10**6)
    elif not requests:
        return "nobody there"
    elif name == "extend":
        return _extend(engine, rnd, rnd.sample(requests, rnd.randint(1, len(requests))))
    elif name == "fork":
        if len(requests) >= 8:
            return "enough"
        engine.fork(rnd.choice(requests))
    elif name == "finish":
        engine.finish(rnd.choice(requests))
    else:
        request = rnd.choice(requests)
        loose = request.tokens - request.settled
        count = rnd.randint(0, loose)
        if name == "accept":
            engine.requests.accept([request], count)
        elif any(kind.lifetime is Lifetime.STATE for kind in engine.kinds) and count:
            return "a state cannot be taken back"
        else:
            engine.roll_back(request, count)
    return "done"


def _extend(engine: Engine, rnd: Random, batch: list[Request]) -> str:
    counts = [rnd.choice((1, 1, 1, 2, 5, 9)) for _ in batch]
    settle = engine.tickets[:] if rnd.random() < 0.7 else []
    copied = sum(kind.copied for kind in engine.allocator.statistics().kinds)
    try:
        result = engine.requests.extend(batch, counts, settle)
    except Misuse as misuse:
        if misuse.field != "originals" or settle:
            raise
        return "still written"
    if not isinstance(result, Grant):
        return result.reason
    engine.tickets = [ticket for ticket in engine.tickets if ticket not in result.plan.settle]
    engine.forward(batch)
    more = sum(kind.copied for kind in engine.allocator.statistics().kinds)
    return "copied" if more > copied else "grown"
