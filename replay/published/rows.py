"""What was published of unified memory, row by row, and what had to be assumed to replay it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from replay.memory.ratios import Ratios
from replay.outcome import Outcome
from replay.published.calibrating import Calibrated, nearest, rising

GB: Final = 10**9
DEFAULT: Final = Ratios()
"""SGLang's: swa_full_tokens_ratio 0.8, mamba_full_memory_ratio 0.9."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a row does not state."""

    says: str
    model: str
    page_tokens: int = 64
    ratios: Ratios = DEFAULT


@dataclass(frozen=True, slots=True)
class Row:
    """A published pair of figures."""

    name: str
    mix: str
    requests: int
    figure: str
    read: Callable[[Outcome], float]
    split: float
    unified: float
    about: bool
    """Whether the second figure was published as about so much."""
    search: Callable[[Callable[[int], float], float], Calibrated]
    assumed: Conditions
    others: tuple[Conditions, ...]
    """Conditions under which the row is replayed as well, to show how much depends on what is not stated."""
    assumptions: str


def _most_running(outcome: Outcome) -> float:
    return outcome.most_running


def _retractions(outcome: Outcome) -> float:
    return outcome.retractions_per_thousand


ROWS: Final = (
    Row(
        "GPT-OSS-20B, as many requests at once as fit",
        "published-most",
        2_048,
        "concurrent requests",
        _most_running,
        618,
        1_000,
        True,
        lambda measure, target: rising(measure, target, 20 * GB, 60 * GB, GB // 10),
        Conditions("pages of 64 tokens, ratio 0.8", "gpt-oss-20b"),
        (Conditions("pages of 16 tokens, ratio 0.8", "gpt-oss-20b", 16),),
        "Lengths taken to be 1,024 in and 256 out, all requests there from the start; concurrent requests taken to be "
        "the most that ran at once; the ratio and the page size.",
    ),
    Row(
        "Qwen3.5-4B, 16 K in, 4,096 out, 64 at once",
        "published-16k",
        128,
        "active requests",
        _most_running,
        22,
        32,
        False,
        lambda measure, target: rising(measure, target, 12 * GB, 40 * GB, GB // 10),
        Conditions("pages of 64 tokens, ratio 0.9", "qwen3.5-4b"),
        (Conditions("pages of 16 tokens, ratio 0.9", "qwen3.5-4b", 16),),
        "Active requests taken to be the most that ran at once; the ratio, the page size, and how many requests there "
        "were.",
    ),
    Row(
        "512 in, 16,384 out, 51 at once",
        "published-long-output",
        204,
        "retractions per thousand",
        _retractions,
        294,
        233,
        False,
        lambda measure, target: nearest(measure, target, 4 * GB, 52 * GB, 13, 6),
        Conditions("Qwen3.5-4B, pages of 64 tokens, ratio 0.9", "qwen3.5-4b"),
        (
            Conditions("GPT-OSS-20B, pages of 64 tokens, ratio 0.8", "gpt-oss-20b"),
            *(
                Conditions(f"Qwen3.5-4B, pages of 64 tokens, ratio {ratio}", "qwen3.5-4b", 64, Ratios(0.8, ratio))
                for ratio in (0.5, 0.3, 0.2, 0.15, 0.1)
            ),
        ),
        "The model, the ratio, the page size and how many requests there were. The row depends on when an engine "
        "admits, and on how it chooses whom to retract, which nothing states.",
    ),
)
