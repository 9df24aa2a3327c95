"""Seeded faults of serving, and in which life of the seeded driver each is met first.

`python -m tests.fuzz.serving.found [PART...]` looks for the lives anew, of all faults or of those of some parts, which
is needed when scenes, operations or their weights have changed.
"""

import importlib
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import Final

import pytest

from bandgap.matrix.row import Seeded
from bandgap.matrix.serving import SERVING
from fuzz.serving.driver import life_of
from fuzz.serving.living import Life, lived
from fuzz.serving.operations import Operation
from fuzz.serving.scene import Scene
from tests.fuzz.serving.looking import line_about

SEED: Final = "faults"

LIVES: Final = 12
"""Of each sort, in which a fault is looked for."""

SORTS: Final = {
    "engine": "plain",
    "prefix": "prefix",
    "host": "host",
    "transfer": "transfer",
    "speculation": "speculation",
}
"""By where a fault is, the scenes in which it is looked for."""

MET: Final[dict[str, int]] = {
    "engine/a-row-beside": 0,
    "engine/a-stride-of-rows": 0,
    "engine/another-dtype": 0,
    "engine/virtual-for-physical": 0,
    "engine/a-page-further": 0,
    "engine/no-wait-for-the-allocator": 0,
    "host/a-forward-that-does-not-wait-for-its-load": 0,
    "host/a-stream-that-is-not-told-to-wait": 0,
    "host/a-backup-that-does-not-wait-for-what-it-copies": 0,
    "host/a-settled-copy-that-is-completed-too": 2,
    "host/a-load-of-only-some-kinds": 0,
    "host/pages-known-by-their-own-tokens": 8,
    "host/a-host-copy-that-outlives-a-rewrite": 2,
    "host/a-backup-that-does-not-hold-what-it-reads": 2,
    "host/a-backup-that-keeps-nothing-of-the-host": 0,
    "host/a-full-host-that-is-taken-for-a-backup": 3,
    "host/a-copy-that-keeps-its-reference": 0,
    "prefix/a-window-is-a-page-too-short": 0,
    "prefix/a-state-of-another-moment": 1,
    "prefix/a-split-takes-the-state-along": 6,
    "prefix/a-split-gives-its-pages-back": 2,
    "prefix/what-is-in-use-goes": 2,
    "prefix/whole-texts-go": 0,
    "prefix/what-went-is-still-found": 0,
    "prefix/nothing-is-left-to-compute": 4,
    "prefix/shared-pages-are-not-copied": 1,
    "speculation/one-more-is-accepted": 0,
    "speculation/rows-of-guesses-stay": 4,
    "speculation/the-state-of-the-rejected-is-kept": 1,
    "speculation/rejected-tokens-are-read-on": 0,
    "speculation/one-rejected-position-too-many-stays": 0,
    "speculation/forks-are-forgotten": 1,
    "speculation/windows-of-forks-slide-late": 11,
    "speculation/a-page-is-known-by-its-own-tokens": 4,
    "transfer/pages-of-what-was-given-up-are-used-again": 3,
    "transfer/addresses-before-the-gate": 0,
    "transfer/the-gate-opens-too-early": 0,
    "transfer/done-when-all-has-left": 3,
    "transfer/a-page-is-left-out": 0,
    "transfer/a-kind-goes-in-another-order": 0,
    "transfer/ids-for-addresses": 0,
    "transfer/an-abort-is-answered-while-the-prompt-is-computed": 1,
    "transfer/what-comes-again-is-taken-again": 6,
    "transfer/what-gave-way-is-not-computed-again": 3,
}
"""Of each fault the number of the life."""

BY_ANOTHER: Final[dict[str, tuple[int, str]]] = {
    "host/a-page-that-is-released-twice": (0, "references"),
    "speculation/windows-slide-on-guesses": (0, "same-logits"),
    "speculation/rolling-back-frees-the-prefix": (0, "references"),
    "speculation/a-wrong-guess-is-gone-on-with": (1, "held-as-needed"),
}
"""Faults that another check than their own sees first in lives, the number of the life, and that check."""

TORN: Final = (
    Scene(interval=8, host_tokens=300, files=True, late=False),
    (
        Operation("ask", (13506, 30315, 53301, 32197)),
        Operation("serve", (42825, 53124, 10500, 2254)),
        Operation("tear-a-file", (32118, 21480, 4986, 16383)),
        Operation("go-on", (39530, 23270, 25008, 27607)),
        Operation("serve", (54188, 44234, 17191, 29938)),
        Operation("go-on", (44948, 19864, 43374, 23762)),
        Operation("go-on", (29945, 50321, 56364, 64383)),
        Operation("go-on", (63529, 28812, 40194, 24591)),
        Operation("ask", (38203, 265, 15443, 8780)),
        Operation("go-on", (61669, 59610, 19848, 35149)),
        Operation("serve", (50597, 58864, 15740, 20602)),
    ),
)
"""A life in which files are damaged that are read again."""

SOON: Final = tuple(name for name, number in MET.items() if number < 2)
"""Those that are met in one of the first lives, which take little time."""


def declared() -> dict[str, Seeded]:
    """The faults of serving in the matrix, by name, but for those of ranks."""
    return {fault.name: fault for fault in SERVING.faults() if fault.name.split("/")[0] in SORTS}


@contextmanager
def in_force(name: str) -> Iterator[None]:
    """A fault that is declared beside its test, inside a `with` block."""
    about, fault = name.split("/")
    file = "test_faults" if about == "engine" else f"test_{about}_faults"
    found = getattr(importlib.import_module(f"tests.serving.{file}"), f"_{fault.replace('-', '_')}")
    with pytest.MonkeyPatch.context() as patch:
        getattr(found, "apply", found)(patch)
        yield


@cache
def breaks_without(about: str, number: int) -> bool:
    """Whether the life of a number breaks something with no fault in force."""
    return life(f"{about}/", number).violation is not None


def life(name: str, number: int) -> Life:
    """The life of a number in the scenes of a fault."""
    return lived(*life_of(SEED, number, [SORTS[name.split("/")[0]]]))


def _look(parts: Sequence[str]) -> None:
    for name, fault in declared().items():
        if not parts or name.split("/")[0] in parts:
            print(line_about(name, fault, in_force, range(LIVES), partial(life, name)), flush=True)


if __name__ == "__main__":
    _look(sys.argv[1:])
