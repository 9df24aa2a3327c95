"""Seeded faults of ranks, and in which life of the seeded driver each is met first, while the last rank has it.

`python -m tests.fuzz.serving.found_ranks` looks for the lives anew, which is needed when scenes, operations or their
weights have changed.
"""

import importlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import count, islice
from typing import Final

import pytest

from bandgap.matrix.row import Seeded
from bandgap.matrix.serving import SERVING
from fuzz.serving.driver import life_of
from fuzz.serving.living import Life, lived
from fuzz.serving.ranks_together import on_the_last
from tests.fuzz.serving.looking import line_about

SEED: Final = "faults"

LIVES: Final = 6
"""Of what is shared out, in which a fault is looked for."""

MET: Final[dict[str, tuple[str, int]]] = {
    "own-clock": ("heads", 0),
    "ids-in-another-order": ("heads", 0),
    "heads-of-another": ("heads", 0),
    "no-layers": ("layers", 0),
    "largest-of-its-own": ("tokens", 0),
    "pages-not-widened": ("tokens", 2),
    "slides-by-its-own-tokens": ("tokens", 0),
    "looks-back-on-all": ("tokens", 0),
    "window-rows-not-collapsed": ("tokens", 2),
    "share-of-another": ("requests", 1),
    "takes-no-part": ("requests", 0),
}
"""Of each fault what the ranks share out, and the number of the life among those."""

NOT_MET: Final = {
    "no-compaction": "what moves is the test's own call",
    "dies-at-a-step": "the process of one rank is that of all",
    "landings-of-its-own": "ranks have no host tier in a scene",
    "network-of-its-own": "ranks send no prompts in a scene",
    "another-owner": "it is put into force within a call, and so while it is the turn of others",
    "admits-alone": "what a stage takes alone is nobody's on it, which is seen before the stages compare",
    "settles-alone": "in the first lives no stage settles for itself",
}
"""Why the others are not."""


_SHARES: Final = ("heads", "tokens", "layers", "requests")


def declared() -> dict[str, Seeded]:
    """The faults of ranks in the matrix, by the second half of their names."""
    return {fault.name.split("/")[1]: fault for fault in SERVING.faults() if fault.name.startswith("ranks/")}


def in_force(name: str) -> AbstractContextManager[None]:
    """A fault that is declared beside its test, which the last rank of each group has inside a `with` block."""
    fault = getattr(importlib.import_module("tests.serving.test_ranks_faults"), name.replace("-", "_"))

    @contextmanager
    def faulty() -> Iterator[None]:
        with pytest.MonkeyPatch.context() as patch:
            fault(patch)
            yield

    return on_the_last(faulty)


def life(shares: str, number: int) -> Life:
    """The life of a number among those of ranks that share this out."""
    lives = (life_of(SEED, each, ["ranks"]) for each in count())
    return lived(*next(islice((one for one in lives if one[0].shares == shares), number, None)))


def _look() -> None:
    places = [(shares, number) for number in range(LIVES) for shares in _SHARES]
    for name, fault in declared().items():
        if name not in NOT_MET:
            print(line_about(name, fault, in_force, places, lambda place: life(*place)), flush=True)


if __name__ == "__main__":
    _look()
