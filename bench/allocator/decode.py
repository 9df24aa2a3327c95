"""A decode step of 128 requests: the pages that their next tokens need, and what slides out of the window."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Final

from bench.allocator.arenas import layout_of
from bench.allocator.pace import Pace
from bench.allocator.serving import PAGE, WINDOW, Batch, Pipeline, Request
from bench.peers.process import PeerProcess
from bench.peers.seat import Seat
from bench.rows import NOBODY, Beside, Figure, Row, measured
from bench.timing import seconds_of
from impl.allocator import Allocator

REQUESTS: Final = 128
CONTEXT: Final = 1_000
STEPS: Final = 20 * PAGE
THEIR_STEPS: Final = 2 * PAGE
"""Every request begins as many pages in one step as in another, so that the rates can be compared."""

NO_LEDGER: Final = "No peer has a ledger."

_SCENE: Final = (
    f"{REQUESTS} requests of {CONTEXT:,} tokens and up, page size {PAGE}: state, a window of {WINDOW} tokens and full "
    "attention."
)


def rows(pace: Pace, vllm: Seat) -> Iterator[Row]:
    """Rows of a decode step, beside vLLM's KV cache manager."""
    allocator = arena()
    theirs = vllm.beside(_theirs_per_second)

    def row(how: str, note: str, ours: Callable[[Allocator], float], beside: Beside = NOBODY) -> Row:
        figure = Figure(f"decode step {REQUESTS} requests, {how}", "request-steps/s", True, f"{_SCENE} {note}")
        return measured(figure, pace.rounds, partial(ours, allocator), beside)

    called = "vLLM is called per request, with its prefix cache off."
    counting = "The caller counts a request's tokens and calls when it needs a page."
    yield row("called per request", f"{counting} {called}", per_request, theirs)
    yield row("one batch", f"One call for the pages of all requests. {called}", batched, theirs)
    flying = "As one batch, with a forward in flight whose ticket holds"
    yield row("one batch, writes held", f"{flying} what it writes. {NO_LEDGER}", partial(in_flight, whole=False))
    yield row("one batch, all held", f"{flying} all it reads and writes. {NO_LEDGER}", partial(in_flight, whole=True))


def arena() -> Allocator:
    """An empty arena in which the requests can take all their steps."""
    layout = layout_of(PAGE, WINDOW)
    tokens = REQUESTS * (CONTEXT + REQUESTS + STEPS + PAGE)
    return Allocator(layout, 2 * tokens * layout.kind("full").entry_bytes)


def per_request(allocator: Allocator) -> float:
    """Request-steps per second, one request after the other."""
    requests = [Request(allocator, CONTEXT + number) for number in range(REQUESTS)]

    def work() -> None:
        for _ in range(STEPS):
            for request in requests:
                request.step()

    took = seconds_of(work)
    for request in requests:
        request.finish()
    return REQUESTS * STEPS / took


def batched(allocator: Allocator) -> float:
    """Request-steps per second, all requests at once."""
    batch = Batch(allocator, REQUESTS, CONTEXT, STEPS)
    took = seconds_of(partial(_take_steps, batch))
    batch.finish()
    return REQUESTS * STEPS / took


def in_flight(allocator: Allocator, whole: bool) -> float:
    """Request-steps per second, all requests at once, with a forward in flight."""
    batch = Batch(allocator, REQUESTS, CONTEXT, STEPS)
    pipeline = Pipeline(batch, whole)
    took = seconds_of(partial(_take_steps, pipeline))
    pipeline.land()
    batch.finish()
    return REQUESTS * STEPS / took


def _take_steps(decoding: Batch | Pipeline) -> None:
    for _ in range(STEPS):
        decoding.step()


def _theirs_per_second(process: PeerProcess) -> float:
    return process.ask("decode", requests=REQUESTS, context=CONTEXT, window=WINDOW, steps=THEIR_STEPS)
