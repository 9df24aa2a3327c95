"""Traffic that is stated instead of recorded: by name, with lengths, a number of requests, and how they arrive."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Mix:
    """Lengths of requests, and how many clients send them."""

    says: str
    prompt: int
    """Tokens; the mean where `spread` is above 0."""
    output: int
    requests: int
    concurrency: int | None = None
    """Clients that wait for their answers; None for as many as there are requests."""
    spread: float = 0.0
    """Standard deviation of the logarithm of both lengths."""


MIXES: Final = {
    "published-1k": Mix("1,024 in, 256 out, 64 at once", 1_024, 256, 1_024, 64),
    "published-most": Mix("1,024 in, 256 out, as many at once as memory holds", 1_024, 256, 4_096),
    "published-16k": Mix("16 K in, 4,096 out, 64 at once", 16_384, 4_096, 256, 64),
    "published-long-output": Mix("512 in, 16,384 out, 51 at once", 512, 16_384, 204, 51),
    "long-context": Mix("around 32 K in and 512 out, 64 at once", 32_768, 512, 512, 64, 0.5),
    "short": Mix("around 256 in and 128 out, 256 at once", 256, 128, 8_192, 256, 0.7),
    "high-concurrency": Mix("around 1 K in and 512 out, 2,048 at once", 1_024, 512, 8_192, 2_048, 0.5),
}
