"""The end that sends: it holds what was computed until it is known that nothing of it will be read again."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from impl.misuse import Misuse
from impl.requests.request import Request
from impl.requests.requests import Requests
from impl.serving.transfer.messages import Abort, Failed, Forgotten, Give, Hello, Landed, Message, Over
from impl.serving.transfer.shape import check_alike, hello_of, pages_of, stretches_of
from impl.serving.transfer.tickets import CatchesUp, TransferTickets, has_caught_up, hold_all
from impl.serving.transfer.transport import MOST_AT_ONCE, Fate, Peer, Stretch, Transport

DEFAULT_PATIENCE: Final = 30.0
"""Seconds for a batch, and for room on the way to its peer."""

Post = Callable[[str, Message], object]
"""Sends a message to a session."""


@dataclass(eq=False, slots=True)
class _Outgoing:
    """A computed prompt for a peer, or the peer's wish for one; sent once both are there."""

    session: str
    name: str
    request: Request | None = None
    first: int = -1
    logits: tuple[float, ...] = ()
    give: Give | None = None
    aborted: bool = False
    is_refused: bool = False
    ticket: int | None = None
    left: list[Stretch] = field(default_factory=list)
    batch: Any = None
    flying: int = 0
    since: float = 0.0


class Sender:
    """Sends computed prompts to where their requests go on.

    A batch that is neither there nor failed in time is given up, and not called back, for no transport can do that:
    its pages go into quarantine until the transport has seen the end of it. What finds no room on the way in time is
    given up, too.

    Args:
        allocator: of the pages, or one on record.
        requests: of the allocator.
        device: of the allocator.
        transport: of the device's arena.
        session: the name of this life of this process.
        post: sends a message to a peer's session.
        patience: seconds that a batch may take, or wait for room.
        now: seconds by some clock that never goes back.
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
        patience: float = DEFAULT_PATIENCE,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._allocator, self._requests, self._device = allocator, requests, device
        self._transport, self._post, self._patience, self._now = transport, post, patience, now
        self.hello = hello_of(allocator.chain, session, transport.address, transport.base)
        self._peers: dict[str, Hello] = {}
        self._going: dict[tuple[str, str], _Outgoing] = {}
        self._given_up: list[_Outgoing] = []
        # the attempts that were aborted, where the prompt is still to be computed
        self._unwanted: dict[tuple[str, str], str] = {}
        # of each peer the number of what it said last
        self._heard: dict[str, int] = {}

    @property
    def holds(self) -> bool:
        """Whether it has pages that it will give back."""
        return bool(self._given_up) or any(going.request is not None for going in self._going.values())

    @property
    def quarantined(self) -> list[int]:
        """The tickets of what was given up."""
        return [going.ticket for going in self._given_up if going.ticket is not None]

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits or flies, but for what was given up."""
        return not self._going

    def has(self, session: str, name: str) -> bool:
        """Whether a prompt of that name is computed, or is known never to be, and its peer has not heard of it yet."""
        going = self._going.get((session, name))
        return going is not None and (going.request is not None or going.is_refused)

    def give_up(self, session: str, name: str) -> bool:
        """Give back the pages of a prompt for which its peer has none yet, as if it were not computed; whether it did.

        It is to be computed again once it is awaited, or told not to be computed once it is unwanted.
        """
        going = self._going.get((session, name))
        if going is None or going.request is None or going.give is not None:
            return False
        self._end(going)
        return True

    def awaits(self, session: str, name: str) -> bool:
        """Whether a peer has given pages for a prompt, and wants it."""
        going = self._going.get((session, name))
        return going is not None and going.give is not None and not going.aborted

    def knows(self, session: str) -> bool:
        """Whether a peer was met, and its process is not known to be dead."""
        return session in self._peers

    def is_unwanted(self, session: str, name: str) -> bool:
        """Whether nobody wants a prompt that is not computed yet."""
        return (session, name) in self._unwanted or session not in self._peers

    def meet(self, hello: Hello) -> None:
        """A peer that may ask for prompts.

        Raises:
            Misuse: its pages are not like the own.
        """
        check_alike(self._allocator.chain, hello)
        self._peers[hello.session] = hello

    def computed(self, session: str, name: str, request: Request, first: int, logits: Sequence[float]) -> None:
        """A prompt is computed, for a peer: its request is the sender's from now on, and finished by it."""
        if self._forgets(session, name):
            self._requests.finish([request])
            return
        going = self._going.setdefault((session, name), _Outgoing(session, name))
        going.request, going.first, going.logits = request, first, tuple(logits)

    def not_computed(self, session: str, name: str) -> None:
        """A prompt will never be computed here."""
        if self._forgets(session, name):
            return
        self._going.setdefault((session, name), _Outgoing(session, name)).is_refused = True

    def take(self, session: str, message: Message) -> None:
        """What a peer says; from a session that was not met, or a second time, it is nothing."""
        if session not in self._peers or not isinstance(message, Give | Abort):
            return
        if message.number <= self._heard.get(session, 0):
            return
        self._heard[session] = message.number
        match message:
            case Give():
                self._take_give(session, message)
            case Abort():
                self._take_abort(session, message)

    def _take_give(self, session: str, give: Give) -> None:
        key = session, give.name
        if key in self._unwanted or (key in self._going and self._going[key].give is not None):
            # one answer for each: the earlier one is under way
            self._post(session, Failed(give.name, give.attempt, over=True))
        else:
            self._going.setdefault(key, _Outgoing(session, give.name)).give = give

    def _take_abort(self, session: str, abort: Abort) -> None:
        going = self._going.get((session, abort.name))
        if going is not None and going.give is not None and going.give.attempt == abort.attempt:
            going.aborted = True
            return
        if going is not None and going.give is None and not abort.given:
            self._end(going)
        # what was given and is not here has had its answer
        self._forget(session, abort.name, abort.attempt, is_computed=abort.given or going is not None)

    def gone(self, session: str) -> None:
        """The process of a peer is known to be dead."""
        self._peers.pop(session, None)
        for key, going in list(self._going.items()):
            if going.session == session:
                del self._going[key]
                self._let_go(going)
        self._unwanted = {key: attempt for key, attempt in self._unwanted.items() if key[0] != session}
        self._heard.pop(session, None)

    def poll(self) -> None:
        """Begin what can begin, and take note of what has ended; never waits."""
        for going in list(self._going.values()):
            self._advance(going)
        for going in list(self._given_up):
            fate = self._transport.fate(going.batch)
            if fate is not Fate.FLYING:
                self._given_up.remove(going)
                self._complete(going)
                if fate is Fate.LANDED and going.give is not None and going.session in self._peers:
                    self._post(going.session, Over(going.give.attempt))

    def _advance(self, going: _Outgoing) -> None:
        if going.give is None:
            return
        if going.ticket is None:
            if going.aborted or going.is_refused:
                self._fail(going, over=True)
            elif going.request is not None:
                self._begin(going, going.request, going.give)
            return
        if going.batch is not None:
            fate = self._transport.fate(going.batch)
            if fate is Fate.FLYING:
                if self._is_late(going):
                    self._fail(going, over=False)
                return
            if fate is Fate.FAILED:
                self._fail(going, over=False)
                return
            going.batch = None
        if going.left and going.aborted:
            self._fail(going, over=True)
        elif going.left:
            self._submit(going)
        else:
            self._answer(going, Landed(going.name, going.give.attempt, going.first, going.logits))

    def _begin(self, going: _Outgoing, request: Request, give: Give) -> None:
        if not has_caught_up(self._allocator, self._device):
            return
        chain = self._allocator.chain
        going.ticket, sources = hold_all(self._allocator, pages_of(chain, request), "read")
        going.since = self._now()
        try:
            going.left = stretches_of(chain, sources, self._peers[going.session], give.pages)
        except Misuse:
            # what a peer says wrongly is the peer's loss
            self._fail(going, over=True)
            return
        self._submit(going)

    def _submit(self, going: _Outgoing) -> None:
        """Send the next batch, as large as its peer's other transfers leave room for."""
        others = (*self._going.values(), *self._given_up)
        room = MOST_AT_ONCE - sum(
            each.flying for each in others if each.session == going.session and each.batch is not None
        )
        if room <= 0:
            # what was given up may be on the way as long as the peer lives
            if self._is_late(going):
                self._fail(going, over=True)
            return
        peer = self._peers[going.session]
        batch, going.left = going.left[:room], going.left[room:]
        going.since, going.flying = self._now(), len(batch)
        going.batch = self._transport.submit(Peer(peer.address, peer.base), batch)

    def _is_late(self, going: _Outgoing) -> bool:
        return self._now() - going.since > self._patience

    def _fail(self, going: _Outgoing, *, over: bool) -> None:
        assert going.give is not None, "nobody else waits for an answer"
        self._answer(going, Failed(going.name, going.give.attempt, over))

    def _answer(self, going: _Outgoing, answer: Landed | Failed) -> None:
        is_computed = going.request is not None or going.is_refused
        self._end(going)
        self._post(going.session, answer)
        if going.aborted:
            self._forget(going.session, going.name, answer.attempt, is_computed=is_computed)

    def _forget(self, session: str, name: str, attempt: str, *, is_computed: bool) -> None:
        """What was aborted is forgotten, now or as soon as it is computed in vain: only then is its name good again."""
        if is_computed:
            self._post(session, Forgotten(attempt))
        else:
            self._unwanted[session, name] = attempt

    def _forgets(self, session: str, name: str) -> bool:
        """Whether nobody wants what is computed by now, or never will be; it is forgotten then."""
        if not self.is_unwanted(session, name):
            return False
        attempt = self._unwanted.pop((session, name), None)
        if attempt is not None:
            self._post(session, Forgotten(attempt))
        return True

    def _end(self, going: _Outgoing) -> None:
        del self._going[going.session, going.name]
        self._let_go(going)

    def _let_go(self, going: _Outgoing) -> None:
        """Give the pages back, once nothing of them can be read any more.

        A page that a cache has as well is no other request's alone until then: whoever goes on from it gets a copy.
        """
        if going.ticket is not None and going.batch is not None:
            # what becomes of it is asked for in `poll` alone, so that the peer hears of each end
            self._allocator.quarantine(going.ticket)
            self._given_up.append(going)
        else:
            self._complete(going)

    def _complete(self, going: _Outgoing) -> None:
        if going.request is not None:
            self._requests.finish([going.request])
            going.request = None
        if going.ticket is not None:
            self._allocator.complete(going.ticket)
