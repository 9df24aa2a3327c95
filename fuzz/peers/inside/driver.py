"""What a driver is: the one thing that whoever brings an allocator writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from random import Random
from typing import Any, Protocol

from fuzz.peers.inside.tape import Tape

Call = list[Any]
"""A name and arguments, all of them JSON: `["alloc", 3, 2]`.

Arguments name what earlier calls gave by labels that the script chose, never by the numbers that an allocator happened
to give, so that a script still means something after calls were left out of it.
"""

SKIPPED = "skipped"
"""The outcome of a call that could not be made without misusing the allocator, and was not."""


class Broken(Exception):
    """Something that the target promises is not so.

    Attributes:
        property: its name, one of the target's promises; or `crash`.
        problem: what was seen, a clause.
    """

    def __init__(self, property_name: str, problem: str) -> None:
        super().__init__(f"{property_name}: {problem}")
        self.property, self.problem = property_name, problem


class Driver(Protocol):
    """One allocator from its birth to its end."""

    def next_call(self, rnd: Random) -> Call:
        """A call that may come next. All choices come from `rnd`."""

    def make(self, call: Call) -> str:
        """Make a call and write down what was seen; the outcome, in a word.

        Whatever a script names that is not there any more, or that must not be used now, is left out of the call, and a
        call of which nothing is left is not made: its outcome is `SKIPPED`. So misuse never reaches the allocator.

        Raises:
            Broken: it is seen at once that a promise is not kept.
        """

    def check(self) -> None:
        """Look at everything that can be seen from outside; raises Broken. Comes after every call."""


@dataclass(frozen=True)
class Fault:
    """A deliberate fault that can be put into the allocator while it runs, to see whether it is caught.

    Attributes:
        property: the one that must catch it.
        prose: what is wrong, in a sentence.
        precedent: a public report of a fault of its class.
        apply: puts it into force inside a `with` block.
        setups: on which it is tried; all of them if empty.
    """

    property: str
    prose: str
    precedent: str
    apply: Callable[[], AbstractContextManager[None]]
    setups: Sequence[str] = ()


@dataclass(frozen=True)
class Target:
    """An allocator that can be judged, as its driver's module describes it in a variable `TARGET`.

    Attributes:
        title: as a report names it.
        version: of what is driven.
        setups: names of the layouts and settings with which it can be built; a run takes them in turn.
        build: a new driver for a setup, whose trace goes to the tape; it begins with a header and a snapshot.
        promises: each property that applies, with what the allocator says about it and where.
        leaves_out: each property that does not apply, and what else is not looked at, with the reason.
        expects: calls with their outcomes, `("alloc", "granted")`, without which a run has shown too little.
        faults: by name.
        patience: seconds in which any call returns, and any driver is built; what takes longer hangs.
        package: the name of the package that is driven, whose place a report names; none where the driver's file is it.
    """

    title: str
    version: str
    setups: Sequence[str]
    build: Callable[[str, Tape], Driver]
    promises: Mapping[str, str]
    leaves_out: Mapping[str, str]
    expects: Sequence[tuple[str, str]] = ()
    faults: Mapping[str, Fault] | None = None
    patience: float = 30.0
    package: str = ""
