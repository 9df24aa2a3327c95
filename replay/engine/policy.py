"""How the engine schedules; the same for every memory."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Policy:
    """What an operator sets.

    First come, first served. Every step decodes one token of each running request and computes up to `chunk_tokens` of
    prompts. A request is admitted when its memory could meet, jointly, its prompt, its own outputs, and a share of the
    outputs that the running requests still have to produce. When a step cannot be met, prefixes that nobody uses are
    evicted, the least recently used first; then requests are retracted, the last admitted first. These return to the
    head of the queue and compute again what they lost.
    """

    chunk_tokens: int = 8_192
    max_running: int = 4_096
    overlap: bool = True
    """Whether the host prepares a step while the one before it runs."""
    prefix_cache: bool = True
    """Whether prefixes that the traffic names are kept and shared."""
    reserve: float = 0.7
    """The share of outputs to come that is kept free at admission, at first and after a quiet time never again."""
    least_reserve: float = 0.1
    """What it falls to, evenly over `reserve_steps` steps; a retraction raises it again."""
    reserve_steps: int = 600
    reserve_clip: int = 4_096
    """Tokens of outputs to come that are counted of one request at most."""
