"""A job's part in a step: tokens that are known, and guesses after them, verified in one forward of the target."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from impl.requests.request import Request
from impl.serving.engine.forward import Forward
from impl.serving.engine.job import Job
from impl.serving.engine.share import Share


@dataclass(eq=False, slots=True)
class Turn:
    """What a step computes of one request.

    Attributes:
        job: whose tokens they are.
        request: has pages for all of them, those that are only guessed as well.
        share: where its rows are.
        drafts: how many of its last tokens are guesses; those before them are known when the work runs.
        speaks: whether new tokens come after its known ones.
        kept: a fork of the request as it was before, if it may have to be gone back to: its state is right.
        is_void: whether it was launched on a guess that turned out to be wrong; what it says is nothing.
        guessed: [drafts], what was proposed; there once the work is done.
        proposing: [drafts, vocabulary], the draft's logits.
        said: [drafts + 1], what the target says after the last known token and after each guess.
        logits: [drafts + 1, vocabulary], the target's.
    """

    job: Job
    request: Request
    share: Share
    drafts: int = 0
    speaks: bool = False
    kept: Request | None = None
    is_void: bool = False
    guessed: torch.Tensor | None = None
    proposing: torch.Tensor | None = None
    said: torch.Tensor | None = None
    logits: torch.Tensor | None = None

    @property
    def last_known(self) -> int:
        """The position of its last token that is no guess."""
        return self.share.end - 1 - self.drafts


@dataclass(eq=False)
class Step(Forward):
    """A forward of turns.

    Attributes:
        turns: who takes part.
    """

    turns: Sequence[Turn] = ()


def agreeing(guessed: Sequence[int], said: Sequence[int]) -> int:
    """How many guesses are what the target says, up to the first that is not.

    Args:
        guessed: each the token after the one before.
        said: by the target, after the token before the first guess and so on.
    """
    count = 0
    for guess, right in zip(guessed, said, strict=False):
        if guess != right:
            break
        count += 1
    return count
