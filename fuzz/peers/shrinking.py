"""Makes a failing script of another's allocator as short as it can be."""

import time
from collections.abc import Callable, Iterator
from typing import Any

Script = tuple[list[Any], ...]
Fails = Callable[[Script], bool]


def shrunk(script: Script, fails: Fails, seconds: float, tries: int | None = None) -> tuple[Script, bool]:
    """Leave out calls, then parts of calls, as long as it still fails.

    Args:
        script: fails.
        fails: whether a script shows the same failure; must give the same answer every time.
        seconds: after which the best so far must do.
        tries: scripts that are tried at most; none for as many as there is time for.

    Returns:
        The shortest that was found, and whether nothing can be left out of it.
    """
    until = time.monotonic() + seconds
    tried = 0

    def goes_on() -> bool:
        return time.monotonic() < until and (tries is None or tried < tries)

    def still(shorter: Script) -> bool:
        nonlocal tried
        if not goes_on():
            return False
        tried += 1
        return fails(shorter)

    before: Script | None = None
    while before != script:
        before = script
        script = _fewer(script, still)
        script = _smaller(script, still)
    return script, goes_on()


def _fewer(script: Script, fails: Fails) -> Script:
    """Leave out runs of calls, long ones first, from the end: what comes late depends on what came early."""
    size = max(1, len(script) // 2)
    while True:
        end = len(script)
        while end > 0:
            begin = max(0, end - size)
            shorter = script[:begin] + script[end:]
            if shorter and fails(shorter):
                script = shorter
            end = begin
        if size == 1:
            return script
        size //= 2


def _smaller(script: Script, fails: Fails) -> Script:
    for place in reversed(range(len(script))):
        again = True
        while again:
            again = False
            for arguments in _less_of_all(script[place][1:]):
                candidate = (*script[:place], [script[place][0], *arguments], *script[place + 1 :])
                if fails(candidate):
                    script, again = candidate, True
                    break
    return script


def _less_of_all(arguments: list[Any]) -> Iterator[list[Any]]:
    for place, argument in enumerate(arguments):
        for less in _less(argument):
            yield [*arguments[:place], less, *arguments[place + 1 :]]


def _less(value: Any) -> Iterator[Any]:
    """What is less than a value, the least first: lower numbers, and lists of lists or of words with fewer of them.

    Words are labels, and stay. A list of a word and numbers is one thing, of which nothing can be left out.
    """
    if isinstance(value, list):
        if all(isinstance(member, list | str) for member in value):
            size = len(value)
            while size:
                for begin in range(0, len(value), size):
                    yield value[:begin] + value[begin + size :]
                size //= 2
        yield from _less_of_all(value)
    elif isinstance(value, int) and not isinstance(value, bool):
        for lower in dict.fromkeys((0, 1, value // 2, value - 1)):
            if 0 <= lower < value:
                yield lower
