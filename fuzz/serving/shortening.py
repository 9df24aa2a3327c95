"""Makes a life that breaks something as short, and its scene as simple, as they can be."""

import time
from collections.abc import Callable, Iterator
from typing import Final

from fuzz.engine.operations import Draws
from fuzz.serving.living import Script
from fuzz.serving.operations import Operation
from fuzz.serving.scene import Scene, simpler

Fails = Callable[[Scene, Script], bool]

_LOW: Final = 8
"""Draws below it are low: most are taken as a choice among a few."""


class Shortening:
    """Tries lives, as long as there is time.

    Args:
        fails: whether a life shows the failure; must give the same answer every time.
        seconds: after which the best so far must do.
        tries: lives at most; none for as many as there is time for.
    """

    def __init__(self, fails: Fails, seconds: float, tries: int | None = None) -> None:
        self._fails, self._until, self._left = fails, time.monotonic() + seconds, tries

    @property
    def is_over(self) -> bool:
        """Whether nothing more can be tried."""
        return time.monotonic() > self._until or self._left == 0

    def shortened(self, scene: Scene, script: Script) -> tuple[Scene, Script]:
        """The simplest scene and the fewest operations that were found."""
        before: tuple[Scene, Script] | None = None
        while before != (scene, script) and not self.is_over:
            before = scene, script
            script = self._fewer(scene, script)
            scene = self._plainer(scene, script)
            script = self._lower(scene, script)
        return scene, script

    def _try(self, scene: Scene, script: Script) -> bool:
        if self.is_over:
            return False
        if self._left is not None:
            self._left -= 1
        return self._fails(scene, script)

    def _fewer(self, scene: Scene, script: Script) -> Script:
        """Leave out runs of operations, long ones first, from the end: what comes late depends on what came early."""
        size = max(1, len(script) // 2)
        while True:
            end = len(script)
            while end > 0:
                begin = max(0, end - size)
                if self._try(scene, script[:begin] + script[end:]):
                    script = script[:begin] + script[end:]
                end = begin
            if size == 1:
                return script
            size //= 2

    def _plainer(self, scene: Scene, script: Script) -> Scene:
        """Leave out features, one at a time."""
        for plainer in simpler(scene):
            if self._try(plainer, script):
                return self._plainer(plainer, script)
        return scene

    def _lower(self, scene: Scene, script: Script) -> Script:
        """Lower the numbers, of each operation all at once if that does it."""
        for place, operation in enumerate(script):
            for lower in _lower_ones(operation):
                candidate = (*script[:place], lower, *script[place + 1 :])
                if self._try(scene, candidate):
                    script = candidate
                    break
            for draw in range(len(operation.draws)):
                for lower in _lower_by(script[place], draw):
                    candidate = (*script[:place], lower, *script[place + 1 :])
                    if self._try(scene, candidate):
                        script = candidate
                        break
        return script


def _lower_ones(operation: Operation) -> Iterator[Operation]:
    if any(operation.draws):
        yield operation._replace(draws=(0, 0, 0, 0))


def _lower_by(operation: Operation, place: int) -> Iterator[Operation]:
    draw = operation.draws[place]
    for lower in dict.fromkeys((*range(_LOW), draw & 0xFF, draw // 2)):
        if lower < draw:
            yield operation._replace(draws=_with(operation.draws, place, lower))


def _with(draws: Draws, place: int, lower: int) -> Draws:
    one, two, three, four = (lower if number == place else draw for number, draw in enumerate(draws))
    return one, two, three, four
