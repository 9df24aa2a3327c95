"""An engine that goes on from prompts which others have computed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from impl.misuse import Misuse
from impl.requests.request import Request
from impl.serving.engine.engine import Engine
from impl.serving.engine.job import Job
from impl.serving.transfer.receiver import Incoming, Receiver
from impl.serving.transfer.sender import Post
from impl.serving.transfer.tickets import CatchesUp, TransferTickets
from impl.serving.transfer.transport import Transport


@dataclass(eq=False, slots=True)
class Asked:
    """A job whose prompt a peer computes.

    Attributes:
        reserved: the own engine's.
        incoming: the transfer.
        job: the same as reserved, once the prompt is there, or is known not to come.
        recomputed: whether the prompt did not come, and the engine computes it itself.
    """

    reserved: Job
    incoming: Incoming
    job: Job | None = None
    recomputed: bool = False


class Decode:
    """Lets a receiver take prompts in, and an engine go on from them; what does not come the engine computes itself.

    Args:
        engine: may serve jobs of its own as well.
        allocator: of the engine.
        device: of the allocator.
        transport: of the device's arena.
        session: the name of this life of this process.
        post: sends a message to a peer's session.
    """

    def __init__(
        self,
        engine: Engine,
        allocator: TransferTickets,
        device: CatchesUp,
        transport: Transport[Any],
        session: str,
        post: Post,
    ) -> None:
        self.engine = engine
        self.receiver = Receiver(
            allocator,
            engine.requests,
            device,
            transport,
            session,
            post,
            landed=self._go_on,
            failed=self._compute,
            give_way=lambda refusal: engine.prefix is not None and engine.prefix.makes_room(refusal),
        )
        self._asked: dict[Incoming, Asked] = {}
        engine.others_hold, engine.lost = lambda: self.receiver.holds, lambda: self.receiver.quarantined

    @property
    def is_idle(self) -> bool:
        """Whether every job is done, and nothing is open, but for what is in quarantine."""
        return self.engine.is_idle and self.receiver.is_idle

    def ask(self, session: str, name: str, prompt: Sequence[int], new_tokens: int, stop: int | None = None) -> Asked:
        """A job whose prompt a peer computes under this name.

        Raises:
            Misuse: as of `Engine.submit`, so that the engine can take whatever comes; or as of `Receiver.ask`.
        """
        job = self.engine.reserve(prompt, new_tokens, stop)
        try:
            asked = Asked(job, self.receiver.ask(session, name, len(prompt)))
        except Misuse:
            self.engine.forget(job)
            raise
        self._asked[asked.incoming] = asked
        return asked

    def abort(self, asked: Asked) -> bool:
        """Give up a job whose prompt is not there yet; whether it was not."""
        if asked.job is not None or asked.incoming not in self._asked:
            return False
        self.receiver.abort(asked.incoming)
        del self._asked[asked.incoming]
        self.engine.forget(asked.reserved)
        return True

    def step(self) -> bool:
        """Whether a forward was launched; see `Engine.step`."""
        self.receiver.poll()
        return self.engine.step()

    def _go_on(self, incoming: Incoming, request: Request, first: int, logits: tuple[float, ...]) -> None:
        asked = self._asked.pop(incoming)
        spread = torch.tensor(logits, dtype=torch.float64)
        self.engine.adopt(asked.reserved, first, spread, request)
        asked.job = asked.reserved

    def _compute(self, incoming: Incoming) -> None:
        asked = self._asked.pop(incoming)
        asked.recomputed = True
        self.engine.queue(asked.reserved)
        asked.job = asked.reserved
