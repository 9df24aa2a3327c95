"""What the exit code of a verb says."""

from enum import IntEnum


class Exit(IntEnum):
    """The answer of a verb, as the shell sees it. Anything but `HOLDS` stops a merge."""

    HOLDS = 0
    """What was asked holds."""

    VIOLATED = 1
    """A property is violated, and the answer names it."""

    MISUSED = 2
    """The verb was used wrongly, or a tool is broken: nothing was learned."""

    INCONCLUSIVE = 3
    """A limit was reached, or the work was interrupted, before there was an answer."""
