"""Happens-before: what is ordered with what, by streams, events, the ends of transfers and what the host has seen.

Everything that runs belongs to an *agent*: a stream, or one transfer. What an agent does is numbered from 1. A clock
says up to which number of each agent all is done before.
"""

from typing import TypeAlias

Clock: TypeAlias = dict[str, int]
"""How many of each agent's doings come before; none of those of an agent that is left out."""


def join(clock: Clock, other: Clock) -> None:
    """Let a clock come behind another one as well."""
    for agent, number in other.items():
        if number > clock.get(agent, 0):
            clock[agent] = number
