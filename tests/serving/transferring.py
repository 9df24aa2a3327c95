"""Two engines, one that computes prompts and one that goes on from them, on a network that does as it likes."""

import random
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from impl.layout import Layout
from impl.serving.engine.engine import Policy
from impl.serving.transfer.decode import Asked, Decode
from impl.serving.transfer.messages import Message, decoded, encoded
from impl.serving.transfer.prefill import Prefill
from impl.serving.transfer.sender import Sender
from impl.serving.transfer.simulated import SimulatedNetwork
from tests.serving.running import TOLERANCE, Served, Task, furthest, room_for, serve

PATIENCE = 5.0
POLICY = Policy(most_running=4, chunk=7, positions=64)


class Stuck(Exception):
    """Nothing goes on."""


class Differs(Exception):
    """A logit is not what it is on memory of its own."""


@dataclass
class Clock:
    """Time that passes when it is told to."""

    now: float = 0.0


@dataclass(eq=False)
class Pair:
    """Two ends, and the messages between them.

    Attributes:
        mail: how likely a message is to arrive next.
        checks: what is asked whenever bytes are read or land: address, first byte, size, and whether they land.
    """

    layout: Layout
    served: dict[str, Served]
    network: SimulatedNetwork
    prefill: Prefill
    decode: Decode
    session: str = "prefill 1"
    decoding: str = "decode 1"
    clock: Clock = field(default_factory=Clock)
    to_prefill: deque[bytes] = field(default_factory=deque)
    to_decode: deque[bytes] = field(default_factory=deque)
    begun: int = 1
    names: int = 0
    mail: float = 0.5
    asked: list[tuple[Task, Asked]] = field(default_factory=list)
    checks: Callable[[str, int, int, bool], object] = lambda address, begin, size, lands: None

    def ask(self, task: Task) -> Asked:
        """A job for both ends."""
        self.names += 1
        name = f"request {self.names}"
        asked = self.decode.ask(self.session, name, task.prompt, task.new_tokens)
        self.prefill.begin(self.decoding, name, task.prompt)
        self.asked.append((task, asked))
        return asked

    def replace_prefill(self) -> None:
        """The process that computes prompts dies, and another one begins."""
        old = self.session
        self.network.kill(old)
        self.to_prefill.clear()
        del self.served[old]
        self.begun += 1
        self.session = f"prefill {self.begun}"
        served = self.served[self.session] = serve(
            self.layout, room_for(self.layout, 120, states=6), late=True, policy=POLICY
        )
        self.prefill = prefill_on(served, self.network, self.session, self.to_decode, self.clock)
        self.decode.receiver.gone(old)
        self._meet()

    def replace_decode(self) -> list[Task]:
        """The process that goes on from prompts dies, and another one begins; what was asked of it is lost.

        Messages to the dead one are not: they reach the other.
        """
        old = self.decoding
        self.network.kill(old)
        self.to_prefill.clear()
        del self.served[old]
        self.begun += 1
        self.decoding = f"decode {self.begun}"
        served = self.served[self.decoding] = serve(
            self.layout, room_for(self.layout, 120, states=6), late=True, policy=POLICY
        )
        self.decode = decode_on(served, self.network, self.decoding, self.to_prefill)
        self.prefill.sender.gone(old)
        self._meet()
        lost = [task for task, asked in self.asked if asked.job is None or not asked.job.done]
        self.asked = [(task, asked) for task, asked in self.asked if asked.job is not None and asked.job.done]
        return lost

    def _meet(self) -> None:
        self.prefill.sender.meet(self.decode.receiver.hello)
        self.decode.receiver.meet(self.prefill.sender.hello)


def decode_on(served: Served, network: SimulatedNetwork, session: str, mail: deque[bytes]) -> Decode:
    def post(to: str, message: Message) -> None:
        mail.append(encoded(message))

    transport = network.join(session, served.device)
    return Decode(served.engine, served.allocator, served.device, transport, session, post)


def prefill_on(served: Served, network: SimulatedNetwork, session: str, mail: deque[bytes], clock: Clock) -> Prefill:
    def post(to: str, message: Message) -> None:
        mail.append(encoded(message))

    transport = network.join(session, served.device)
    sender = Sender(
        served.allocator,
        served.engine.requests,
        served.device,
        transport,
        session,
        post,
        patience=PATIENCE,
        now=lambda: clock.now,
    )
    return Prefill(served.engine, sender)


def pair(
    layout: Layout, prefill_tokens: int = 120, decode_tokens: int = 120, states: int = 6, interval: int | None = None
) -> Pair:
    """Two ends on late devices."""
    policy = replace(POLICY, interval=interval)
    first = serve(layout, room_for(layout, prefill_tokens, states=states), late=True, policy=policy)
    second = serve(layout, room_for(layout, decode_tokens, states=states), late=True, policy=policy)
    network, clock = SimulatedNetwork(), Clock()
    to_prefill: deque[bytes] = deque()
    to_decode: deque[bytes] = deque()
    prefill = prefill_on(first, network, "prefill 1", to_decode, clock)
    decode = decode_on(second, network, "decode 1", to_prefill)
    prefill.sender.meet(decode.receiver.hello)
    decode.receiver.meet(prefill.sender.hello)
    return Pair(
        layout,
        {"prefill 1": first, "decode 1": second},
        network,
        prefill,
        decode,
        clock=clock,
        to_prefill=to_prefill,
        to_decode=to_decode,
    )


def carry(pair: Pair, rng: random.Random) -> None:
    """A piece gets on, if there is one."""
    before = len(pair.network.touched)
    pair.network.step(rng.randrange(64))
    for touched in pair.network.touched[before:]:
        pair.checks(*touched)


def get_on(pair: Pair, rng: random.Random) -> None:
    """Whatever may happen next happens in some order, or does not yet."""
    for served in pair.served.values():
        for _ in range(rng.randrange(4)):
            served.runtime.step(rng.randrange(8))
    for _ in range(rng.randrange(6)):
        carry(pair, rng)
    if pair.to_prefill and rng.random() < pair.mail:
        pair.network.see(pair.session)
        pair.prefill.sender.take(pair.decoding, decoded(pair.to_prefill.popleft()))
    if pair.to_decode and rng.random() < pair.mail:
        pair.network.see(pair.decoding)
        pair.decode.receiver.take(pair.session, decoded(pair.to_decode.popleft()))
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


def compare(pair: Pair) -> None:
    """See that every job that was not given up says what it says on memory of its own, to the last logit."""
    pairs = [(task, asked.job) for task, asked in pair.asked if asked.job is not None]
    worst = furthest(pair.layout, [task for task, _ in pairs], [job for _, job in pairs])
    if not worst < TOLERANCE:
        raise Differs(f"by {worst}")
