"""Calls whose arguments are not of the right type or shape: no trace can hold them, and each must be rejected."""

from collections.abc import Callable
from typing import Any, Final

CASES: Final[dict[str, Callable[[Any], object]]] = {
    "allocate: a demand for too few bands": lambda a: a.allocate([]),
    "allocate: a negative count": lambda a: a.allocate([-1] * len(a.chain.bands)),
    "allocate: no sequence": lambda a: a.allocate(3),
    "allocate: an unknown kind": lambda a: a.allocate({"nothing-like-it": 1}),
    "share: no integers": lambda a: a.share(0, ["one"]),
    "release: no such band": lambda a: a.release(len(a.chain.bands), []),
    "release: a nested list": lambda a: a.release(0, [[0]]),
    "open: an unknown user": lambda a: a.open("nobody", "compute"),
    "open: a forward without a stream": lambda a: a.open("forward"),
    "hold: an unknown mode": lambda a: a.hold(0, 0, [], "erase"),
    "complete: no number": lambda a: a.complete("first"),
    "publish: no name": lambda a: a.publish(None),
    "compact: a negative budget": lambda a: a.compact(-1),
}
"""By what is wrong with them."""
