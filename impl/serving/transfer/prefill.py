"""An engine that computes prompts for others, which go on from them."""

from collections.abc import Sequence

from impl.misuse import Misuse
from impl.requests.request import Request
from impl.serving.engine.engine import Engine
from impl.serving.engine.job import Job
from impl.serving.transfer.sender import Sender


class Prefill:
    """Lets an engine compute prompts, and a sender send them.

    Args:
        engine: may serve jobs of its own as well.
        sender: of the engine's requests.
    """

    def __init__(self, engine: Engine, sender: Sender) -> None:
        self.engine, self.sender = engine, sender
        self._asked: dict[Job, tuple[str, str]] = {}
        # those that are computed, and that the sender still has
        self._computed: dict[tuple[str, str], Sequence[int]] = {}
        # those that were, and gave way before their peers gave pages for them
        self._gave_way: dict[tuple[str, str], Sequence[int]] = {}
        engine.leaving, engine.others_give_way = self._hand_over, self._makes_way
        engine.others_hold, engine.lost = lambda: sender.holds, lambda: sender.quarantined

    @property
    def is_idle(self) -> bool:
        """Whether nothing is left to compute or to send."""
        return self.engine.is_idle and self.sender.is_idle and not self._gave_way

    def begin(self, session: str, name: str, prompt: Sequence[int]) -> None:
        """Compute a prompt for a peer's session, which knows it by this name.

        Raises:
            Misuse: as of `Engine.submit`; or one of that name is not over yet, and which of them the peer gives pages
                for could not be told; or the peer was not met, or is known to be dead.
        """
        self._check_new(session, name)
        if self.sender.is_unwanted(session, name):
            self.sender.not_computed(session, name)
        else:
            self._asked[self.engine.submit(prompt, 1)] = session, name

    def decline(self, session: str, name: str) -> None:
        """No prompt of this name will be begun: its peer computes it, or if it gave it up may use the name again.

        Without this, what is never begun is waited for, and an aborted name remembered, as long as the peer lives.

        Raises:
            Misuse: one of that name was begun and is not over yet; or the peer was not met, or is known to be dead.
        """
        self._check_new(session, name)
        self.sender.not_computed(session, name)

    def _check_new(self, session: str, name: str) -> None:
        if not self.sender.knows(session):
            raise Misuse(
                "session", session, "it was not met, or its process is dead", "begin prompts for peers that live"
            )
        key = session, name
        if key in self._asked.values() or key in self._gave_way or self.sender.has(session, name):
            raise Misuse("name", name, "one of that name is not over", "give each another name")

    def step(self) -> bool:
        """Whether a forward was launched; see `Engine.step`."""
        self._compute_again()
        launched = self.engine.step()
        self.sender.poll()
        self._computed = {key: prompt for key, prompt in self._computed.items() if self.sender.has(*key)}
        return launched

    def _makes_way(self) -> bool:
        """A prompt that is not awaited gives way, the one that was computed last: its peer may await another first."""
        for key, prompt in reversed(self._computed.items()):
            if self.sender.give_up(*key):
                self._gave_way[key] = prompt
                return True
        return False

    def _compute_again(self) -> None:
        """What gave way is computed again once it is awaited: before, it might give way again and again in vain."""
        for key, prompt in list(self._gave_way.items()):
            if self.sender.is_unwanted(*key):
                self.sender.not_computed(*key)
            elif self.sender.awaits(*key) and self.engine.takes_more:
                self._asked[self.engine.submit(prompt, 1)] = key
            else:
                continue
            del self._gave_way[key]

    def _hand_over(self, job: Job, request: Request | None) -> None:
        if job not in self._asked:
            return
        session, name = self._asked.pop(job)
        if job.rejected or job.cancelled:
            self.sender.not_computed(session, name)
        elif request is None or request.settled < len(job.prompt):
            # it was retracted, and what was in flight then says what comes next; the pages are not there, or not yet
            self._asked[self.engine.submit(job.prompt, 1)] = session, name
        else:
            pages = self.engine.requests.fork(request)
            self._computed[session, name] = job.prompt
            self.sender.computed(session, name, pages, job.said[0], job.logits[0].tolist())
