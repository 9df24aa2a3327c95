"""Two engines, one that computes prompts and one that goes on from them, on a network that does as it likes."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from fuzz.serving.running import TOLERANCE, Served, Task, furthest, room_for, serve
from impl.layout import Layout
from impl.serving.engine.engine import Policy
from impl.serving.transfer.decode import Asked, Decode
from impl.serving.transfer.messages import Message, decoded, encoded
from impl.serving.transfer.prefill import Prefill
from impl.serving.transfer.sender import Sender
from impl.serving.transfer.simulated import SimulatedNetwork

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
        make_prefill: an engine of its own for the next process that computes prompts.
        make_decode: likewise for the next one that goes on from them.
        mail: how likely a message is to arrive next.
        checks: what is asked whenever bytes are read or land: address, first byte, size, and whether they land.
    """

    layout: Layout
    served: dict[str, Served]
    network: SimulatedNetwork
    prefill: Prefill
    decode: Decode
    make_prefill: Callable[[], Served]
    make_decode: Callable[[], Served]
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

    def ask(self, task: Task, stop: int | None = None) -> Asked:
        """A job for both ends."""
        self.names += 1
        name = f"request {self.names}"
        asked = self.decode.ask(self.session, name, task.prompt, task.new_tokens, stop)
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
        served = self.served[self.session] = self.make_prefill()
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
        served = self.served[self.decoding] = self.make_decode()
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
    """The end of an engine that goes on from prompts."""

    def post(to: str, message: Message) -> None:
        mail.append(encoded(message))

    transport = network.join(session, served.device)
    return Decode(served.engine, served.allocator, served.device, transport, session, post)


def prefill_on(served: Served, network: SimulatedNetwork, session: str, mail: deque[bytes], clock: Clock) -> Prefill:
    """The end of an engine that computes prompts."""

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
    layout: Layout,
    prefill_tokens: int = 120,
    decode_tokens: int = 120,
    states: int = 6,
    interval: int | None = None,
    policy: Policy = POLICY,
) -> Pair:
    """Two ends on late devices."""
    policy = replace(policy, interval=interval)

    def engine_for(tokens: int) -> Callable[[], Served]:
        return lambda: serve(layout, room_for(layout, tokens, states=states), late=True, policy=policy)

    return pair_of(layout, engine_for(prefill_tokens), engine_for(decode_tokens))


def pair_of(layout: Layout, make_prefill: Callable[[], Served], make_decode: Callable[[], Served]) -> Pair:
    """Two ends with engines of any sort, which are made by these."""
    first, second = make_prefill(), make_decode()
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
        make_prefill,
        make_decode,
        clock=clock,
        to_prefill=to_prefill,
        to_decode=to_decode,
    )


def carry(pair: Pair, choice: int) -> bool:
    """A piece gets on, the one that a number chooses; whether there was one."""
    before = len(pair.network.touched)
    got_on = pair.network.step(choice)
    for touched in pair.network.touched[before:]:
        pair.checks(*touched)
    return got_on


def post_to_prefill(pair: Pair, *, again: bool = False) -> None:
    """The next message to the end that computes prompts arrives, and may arrive again; there is one."""
    pair.network.see(pair.session)
    message = pair.to_prefill[0] if again else pair.to_prefill.popleft()
    pair.prefill.sender.take(pair.decoding, decoded(message))


def post_to_decode(pair: Pair, *, again: bool = False) -> None:
    """The next message to the end that goes on arrives, and may arrive again; there is one."""
    pair.network.see(pair.decoding)
    message = pair.to_decode[0] if again else pair.to_decode.popleft()
    pair.decode.receiver.take(pair.session, decoded(message))


def compare(pair: Pair) -> None:
    """See that every job that was not given up says what it says on memory of its own, to the last logit."""
    pairs = [(task, asked.job) for task, asked in pair.asked if asked.job is not None]
    worst = furthest(pair.layout, [task for task, _ in pairs], [job for _, job in pairs])
    if not worst < TOLERANCE:
        raise Differs(f"by {worst}")
