"""What the engine remembers of a request that it serves."""

from dataclasses import dataclass, field

import torch

from impl.requests.request import Request


@dataclass(eq=False, slots=True)
class Job:
    """A prompt, and what has been said after it.

    Attributes:
        number: its line in the engine's table of tokens.
        prompt: its first tokens, at least one.
        new_tokens: to be generated, at least one.
        stop: the token after which nothing more is said; None if there is none.
        said: the generated tokens that the host has seen.
        logits: of each generated token, in device memory; as many as `said`.
        request: its pages while it runs.
        retractions: how often it has lost its pages and begun anew.
        done: whether all is said, or nothing more will be.
        rejected: whether it can never be served.
        cancelled: whether nobody wanted it any more.
    """

    number: int
    prompt: list[int]
    new_tokens: int
    stop: int | None = None
    said: list[int] = field(default_factory=list)
    logits: list[torch.Tensor] = field(default_factory=list)
    request: Request | None = None
    retractions: int = 0
    done: bool = False
    rejected: bool = False
    cancelled: bool = False

    @property
    def tokens(self) -> list[int]:
        """Those that the host has seen."""
        return self.prompt + self.said

    @property
    def known(self) -> int:
        """How many tokens the host has seen: the prompt, and what was said."""
        return len(self.prompt) + len(self.said)

    @property
    def total(self) -> int:
        """Tokens to be computed in all: the last one that is said goes into no forward."""
        return len(self.prompt) + self.new_tokens - 1
