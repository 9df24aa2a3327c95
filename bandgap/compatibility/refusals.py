"""What is refused, and why."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from bandgap.compatibility.words import CHAINS


@dataclass(frozen=True)
class Refusal:
    """Words of which a set-up has both, or the one, are refused.

    Attributes:
        words: a sort of model or a feature, or two of them.
        reason: a clause.
        remedy: likewise.
    """

    words: frozenset[str]
    reason: str
    remedy: str


def _refusals() -> Iterator[Refusal]:
    yield Refusal(
        frozenset({"full"}),
        "with one kind of memory there is nothing to share",
        "serve it with a plain KV pool",
    )
    yield Refusal(
        frozenset({"mla+window"}),
        "no configuration says which latent rows live for a window only, and so no layout is read from one",
        "serve it with split pools",
    )
    yield Refusal(
        frozenset({"deepseek-v4"}),
        "its kinds have no common page size in tokens",
        "serve it with split pools",
    )
    yield Refusal(
        frozenset({"pages-of-1", "large-pages"}),
        "all token kinds of a layout have pages of one size",
        "choose one page size",
    )
    for one, other in combinations(CHAINS, 2):
        yield Refusal(
            frozenset({one, other}),
            "the entries of a layout have the rows of one draft model",
            "choose one way to speculate",
        )


REFUSALS: Final = tuple(_refusals())
"""All of them."""

NEEDS: Final = {"host-tier": "prefix-cache"}
"""What a feature cannot be without: what is kept on the host is found by the prefix cache."""


def refusal_of(words: Iterable[str]) -> Refusal | None:
    """The first refusal all of whose words are among these, and what they cannot be without."""
    among = frozenset(words)
    among |= {NEEDS[word] for word in among if word in NEEDS}
    return next((refusal for refusal in REFUSALS if refusal.words <= among), None)
