"""What is run together on tiny engines: a cell is allowed because a run has it, and for nothing else.

Each run is a test that compares every logit with that of a model on memory of its own, and that fails unless each of
its features was seen to do something.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Run:
    """Some features on a model.

    Attributes:
        sort: of the model.
        preset: in whose pattern the tiny model is.
        features: all at once.
    """

    sort: str
    preset: str
    features: frozenset[str]

    @property
    def name(self) -> str:
        """Of the run, as its test is called."""
        return f"{self.preset}: {' '.join(sorted(self.features))}"


PRESETS: Final = (
    ("full+window", "gpt-oss-20b"),
    ("full+window", "gemma-4-31b"),
    ("full+state", "qwen3-next-80b-a3b"),
    ("full+state", "qwen3.5-4b"),
    ("mla+state", "kimi-linear-48b-a3b"),
    ("mla+state", "kimi-k3"),
    ("full+window+state", "inkling-small"),
)
"""In whose patterns there are tiny models, and of which sort each is."""

_ALONE: Final = frozenset({"prefix-cache", "overlap", "retraction", "priority-preemption", "fp8-kv"})
_PAGES: Final = ("pages-of-1", "large-pages")


def _runs() -> Iterator[Run]:
    for pages in _PAGES:
        for sort, preset in PRESETS:
            yield Run(sort, preset, _ALONE | {pages})


RUNS: Final = tuple(_runs())
"""All of them."""
