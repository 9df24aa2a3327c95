"""Two engines, one that computes prompts and one that goes on from them, on a network that does as it likes."""

import random
from collections.abc import Callable

from fuzz.serving import transferring
from fuzz.serving.transferring import (
    PATIENCE,
    POLICY,
    Differs,
    Pair,
    Stuck,
    compare,
    pair,
    post_to_decode,
    post_to_prefill,
)

__all__ = [
    "PATIENCE",
    "POLICY",
    "Differs",
    "Pair",
    "Stuck",
    "carry",
    "compare",
    "drive",
    "get_on",
    "pair",
    "part",
]


def carry(pair: Pair, rng: random.Random) -> None:
    """A piece gets on, if there is one."""
    transferring.carry(pair, rng.randrange(64))


def get_on(pair: Pair, rng: random.Random) -> None:
    """Whatever may happen next happens in some order, or does not yet."""
    for served in pair.served.values():
        for _ in range(rng.randrange(4)):
            served.runtime.step(rng.randrange(8))
    for _ in range(rng.randrange(6)):
        carry(pair, rng)
    if pair.to_prefill and rng.random() < pair.mail:
        post_to_prefill(pair)
    if pair.to_decode and rng.random() < pair.mail:
        post_to_decode(pair)
    if rng.random() < 0.7:
        pair.prefill.step()
    if rng.random() < 0.7:
        pair.decode.step()


def drive(pair: Pair, rng: random.Random, between: Callable[[], object] = lambda: None, most: int = 3_000) -> None:
    """Serve until all is said, and nothing is open."""
    for _ in range(most):
        if pair.prefill.is_idle and pair.decode.is_idle and not pair.to_decode and not pair.to_prefill:
            break
        get_on(pair, rng)
        between()
    else:
        raise Stuck("some request gets no further")
    for served in pair.served.values():
        assert not served.findings, served.findings[0]
        served.allocator.check()
        assert served.runtime.host_waits == 0
        statistics = served.allocator.statistics()
        assert statistics.outstanding == statistics.quarantined


def part(pair: Pair, rng: random.Random) -> None:
    """The end that computes prompts dies, and what it sent lands at last: nothing is left of it."""
    pair.network.kill(pair.session)
    pair.decode.receiver.gone(pair.session)
    served = pair.served[pair.decoding]
    for _ in range(2_000):
        if not served.allocator.outstanding():
            break
        carry(pair, rng)
        pair.decode.step()
    assert not served.allocator.outstanding()
    if pair.decode.engine.prefix is None:
        assert not any(kind.live or kind.withheld for kind in served.allocator.statistics().kinds)
