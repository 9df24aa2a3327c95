"""The end that receives: it gives addresses out, and takes them back once nothing can land there any more."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

from impl.misuse import Misuse
from impl.plan import Refusal
from impl.requests.request import Request
from impl.requests.requests import Requests
from impl.serving.transfer.messages import Abort, Failed, Forgotten, Give, Hello, Landed, Message, Over
from impl.serving.transfer.sender import Post
from impl.serving.transfer.shape import check_alike, demand_of, hello_of
from impl.serving.transfer.tickets import CatchesUp, TransferTickets, has_caught_up, hold_all
from impl.serving.transfer.transport import Peer, Transport


class State(Enum):
    """How far a transfer is."""

    WAITING = "waiting"
    """For pages."""
    GIVEN = "given"
    """It has pages of all kinds, and the peer does not know yet."""
    OPEN = "open"
    """The peer knows: anything may land."""
    LANDED = "landed"
    """All is there, and the request goes on."""
    FAILED = "failed"
    """It will not come."""
    ABORTED = "aborted"
    """Nobody wants it."""


@dataclass(eq=False, slots=True)
class Incoming:
    """A prompt that is computed elsewhere.

    Attributes:
        name: of its request.
        session: of the peer that computes it.
        tokens: of the prompt.
        attempt: names this transfer among all of all receivers, in all their lives.
        state: how far it is.
        ids: of each band the virtual pages, until they are the request's or given up.
        ticket: holds them once the peer knows.
        quarantined: whether it is not known when its ticket can be completed.
    """

    name: str
    session: str
    tokens: int
    attempt: str
    state: State = State.WAITING
    ids: tuple[list[int], ...] = ()
    ticket: int | None = None
    quarantined: bool = False


class Receiver:
    """Takes in computed prompts, each with pages of all kinds or with none.

    Args:
        allocator: of the pages, or one on record.
        requests: of the allocator.
        device: of the allocator.
        transport: of the device's arena.
        session: the name of this life of this process.
        post: sends a message to a peer's session.
        landed: takes the request that goes on, its first new token and the logits of it.
        failed: told of what will not come.
        give_way: lets go of something for a refused demand, and whether it did.
    """

    def __init__(
        self,
        allocator: TransferTickets,
        requests: Requests,
        device: CatchesUp,
        transport: Transport[Any],
        session: str,
        post: Post,
        *,
        landed: Callable[[Incoming, Request, int, tuple[float, ...]], object],
        failed: Callable[[Incoming], object] = lambda incoming: None,
        give_way: Callable[[Refusal], bool] = lambda refusal: False,
    ) -> None:
        self._allocator, self._requests, self._device = allocator, requests, device
        self._transport, self._post = transport, post
        self._landed, self._failed, self._give_way = landed, failed, give_way
        self.hello = hello_of(allocator.chain, session, transport.address, transport.base)
        self._peers: dict[str, Hello] = {}
        self._waiting: list[Incoming] = []
        self._open: dict[str, Incoming] = {}
        # aborted, and the peer has not forgotten them yet
        self._aborted: dict[str, Incoming] = {}
        self._leaving: dict[str, Callable[[], bool]] = {}
        self._gone: set[str] = set()
        self._said: Counter[str] = Counter()
        self._attempts = 0

    @property
    def holds(self) -> bool:
        """Whether it has pages that will be some request's, or be given back."""
        return bool(self._open) or any(incoming.ids for incoming in self._waiting)

    @property
    def quarantined(self) -> list[int]:
        """The tickets of what may still land, nobody knows how long."""
        return [each.ticket for each in self._open.values() if each.quarantined and each.ticket is not None]

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits or is open, but for what is in quarantine."""
        return not self._waiting and all(incoming.quarantined for incoming in self._open.values())

    def meet(self, hello: Hello) -> None:
        """A peer that computes prompts.

        Raises:
            Misuse: its pages are not like the own.
        """
        check_alike(self._allocator.chain, hello)
        self._peers[hello.session] = hello

    def ask(self, session: str, name: str, tokens: int) -> Incoming:
        """A prompt of so many tokens that a peer computes.

        Raises:
            Misuse: one of that name is not over yet, or was aborted and its peer has not said that it is forgotten; or
                the process of the peer is known to be dead.
        """
        if session in self._gone:
            raise Misuse("session", session, "its process is dead", "ask a peer that lives, or compute the prompt here")
        known = (*self._waiting, *self._open.values(), *self._aborted.values())
        if any(each.session == session and each.name == name for each in known):
            raise Misuse("name", name, "one of that name is not over", "give each another name")
        self._attempts += 1
        incoming = Incoming(name, session, tokens, f"{self.hello.session}/{self._attempts}")
        self._waiting.append(incoming)
        return incoming

    def abort(self, incoming: Incoming) -> None:
        """Nobody wants it any more: its pages are given back, and withheld for as long as anything may land in them."""
        if incoming.state not in (State.WAITING, State.GIVEN, State.OPEN):
            return
        given = incoming.state is State.OPEN
        if not given:
            self._waiting.remove(incoming)
        self._tell_abort(incoming, given=given)
        incoming.state = State.ABORTED
        self._release(incoming)

    def take(self, session: str, message: Message) -> None:
        """What a peer says; what it says of a transfer that is not its own, or no longer open, is nothing."""
        if isinstance(message, Forgotten):
            aborted = self._aborted.get(message.attempt)
            if aborted is not None and aborted.session == session:
                del self._aborted[message.attempt]
            return
        if not isinstance(message, Landed | Failed | Over):
            return
        incoming = self._open.get(message.attempt)
        if incoming is None or incoming.session != session:
            return
        match message:
            case Landed():
                self._close(incoming)
                if incoming.state is State.OPEN:
                    self._hand_over(incoming, message)
            case Failed() if message.over:
                self._close(incoming)
                self._fail(incoming)
            case Failed():
                self._quarantine(incoming)
            case Over():
                self._close(incoming)

    def gone(self, session: str) -> None:
        """The process of a peer is known to be dead: what it sent before may still land for a while."""
        peer = self._peers.pop(session, None)
        self._gone.add(session)
        self._aborted = {attempt: each for attempt, each in self._aborted.items() if each.session != session}
        for incoming in [incoming for incoming in self._waiting if incoming.session == session]:
            self._waiting.remove(incoming)
            self._fail(incoming)
        for incoming in [incoming for incoming in self._open.values() if incoming.session == session]:
            self._quarantine(incoming)
        if peer is not None:
            self._leaving[session] = self._transport.silence_after(Peer(peer.address, peer.base))

    def poll(self) -> None:
        """Give out what can be given, and let go of what the dead can write no more; never waits."""
        for session in [session for session, is_silent in self._leaving.items() if is_silent()]:
            del self._leaving[session]
            for incoming in [incoming for incoming in self._open.values() if incoming.session == session]:
                self._close(incoming)
        is_short = False
        for incoming in list(self._waiting):
            if incoming.session in self._peers:
                if incoming.state is State.WAITING and not is_short:
                    # whoever came first gets pages first
                    is_short = not self._allocate(incoming)
                if incoming.state is State.GIVEN and has_caught_up(self._allocator, self._device):
                    self._give(incoming)

    def _allocate(self, incoming: Incoming) -> bool:
        demand = demand_of(self._allocator.chain, incoming.tokens)
        given = self._allocator.allocate(demand)
        while isinstance(given, Refusal):
            if given.reason == "never":
                self._waiting.remove(incoming)
                self._tell_abort(incoming, given=False)
                self._fail(incoming)
                return True
            if not self._give_way(given):
                return False
            given = self._allocator.allocate(demand)
        incoming.ids, incoming.state = tuple(ids.tolist() for ids in given.ids), State.GIVEN
        return True

    def _give(self, incoming: Incoming) -> None:
        # addresses are out from the moment in which they are read
        self._allocator.publish(_publisher(incoming))
        incoming.ticket, pages = hold_all(self._allocator, incoming.ids, "write")
        self._waiting.remove(incoming)
        incoming.state, self._open[incoming.attempt] = State.OPEN, incoming
        number = self._next_number(incoming.session)
        self._post(incoming.session, Give(incoming.name, incoming.attempt, pages, number))

    def _tell_abort(self, incoming: Incoming, *, given: bool) -> None:
        self._aborted[incoming.attempt] = incoming
        number = self._next_number(incoming.session)
        self._post(incoming.session, Abort(incoming.name, incoming.attempt, given, number))

    def _next_number(self, session: str) -> int:
        """Of what is said to a peer next."""
        self._said[session] += 1
        return self._said[session]

    def _hand_over(self, incoming: Incoming, message: Landed) -> None:
        incoming.state = State.LANDED
        request = self._requests.begin(incoming.tokens, incoming.ids)
        # the request has its own reference to each page by now
        self._release(incoming)
        self._landed(incoming, request, message.first, message.logits)

    def _fail(self, incoming: Incoming) -> None:
        self._release(incoming)
        if incoming.state is not State.ABORTED:
            incoming.state = State.FAILED
            self._failed(incoming)

    def _close(self, incoming: Incoming) -> None:
        """Nothing can land any more."""
        del self._open[incoming.attempt]
        assert incoming.ticket is not None, "it is open"
        self._allocator.complete(incoming.ticket)
        if not incoming.quarantined:
            self._allocator.unpublish(_publisher(incoming))

    def _quarantine(self, incoming: Incoming) -> None:
        """Bytes may land at any time: the pages are withheld, and nothing else has to stay where it is for that."""
        if incoming.quarantined:
            return
        assert incoming.ticket is not None, "it is open"
        incoming.quarantined = True
        self._allocator.quarantine(incoming.ticket)
        self._allocator.unpublish(_publisher(incoming))
        self._fail(incoming)

    def _release(self, incoming: Incoming) -> None:
        for band, ids in enumerate(incoming.ids):
            if ids:
                self._allocator.release(band, ids)
        incoming.ids = ()


def _publisher(incoming: Incoming) -> str:
    return f"transfer {incoming.attempt}"
