"""Trouble on the way: transfers that break, are given up, are aborted, and peers that die."""

import random
from collections import Counter, deque
from dataclasses import dataclass, field

from fuzz.serving.watching import watch
from impl.layout import Layout
from impl.serving.transfer.messages import Landed, decoded
from tests.serving.running import Task, tasks
from tests.serving.transferring import PATIENCE, compare, drive, get_on, pair, part


@dataclass
class Trouble:
    """What happened.

    Attributes:
        counts: of each sort of trouble.
    """

    counts: Counter[str] = field(default_factory=Counter)

    @property
    def kinds(self) -> set[str]:
        """Which sorts happened."""
        return set(self.counts)


def troubled(layout: Layout, seed: int, deaths: float = 0, count: int = 10, mail: float = 0.5) -> Trouble:
    """Serve through trouble, and compare every logit of what is served."""
    both, rng, trouble = pair(layout), random.Random(seed), Trouble()
    both.mail = mail
    watch(both)
    chance = random.Random(seed + 1000)
    left = tasks(seed, count=count)

    def happen() -> None:
        flying = both.network.flying(both.session)
        if left and chance.random() < 0.1:
            both.ask(left.pop())
        if flying and chance.random() < 0.06:
            both.network.break_off(chance.choice(flying))
            trouble.counts["broken"] += 1
        if flying and chance.random() < 0.06:
            both.clock.now += 2 * PATIENCE
            trouble.counts["given up"] += 1
        if chance.random() < 0.06:
            open_ = [asked for _, asked in both.asked if asked.job is None]
            if open_ and both.decode.abort(chance.choice(open_)):
                trouble.counts["aborted"] += 1
        if flying and chance.random() < deaths * 0.1:
            both.replace_prefill()
            trouble.counts["prefill died"] += 1
        elif flying and chance.random() < deaths * 0.1:
            left.extend(both.replace_decode())
            trouble.counts["decode died"] += 1

    while left:
        happen()
        get_on(both, rng)
    deaths = 0
    drive(both, rng, happen)
    part(both, rng)
    compare(both)
    return trouble


def old_mail(layout: Layout, seed: int) -> None:
    """A process gets what was said to the one before it, and compares every logit of what it serves."""
    both, rng = pair(layout), random.Random(seed)
    watch(both)
    asked, kept = tasks(seed, count=3), deque[bytes]()
    for task in asked:
        both.ask(task)
    while not any(isinstance(decoded(line), Landed) for line in kept):
        get_on(both, rng)
        kept.extend(both.to_decode)
        both.to_decode.clear()
    both.replace_decode()
    for task in reversed(asked):
        both.ask(task)
    while both.decode.receiver.holds is False:
        get_on(both, rng)
    both.to_decode.extendleft(reversed(kept))
    drive(both, rng)
    compare(both)


def short(layout: Layout, seed: int) -> None:
    """Many prompts are on their way to an arena that is short of every kind."""
    both, rng = pair(layout, prefill_tokens=160, decode_tokens=28, states=2), random.Random(seed)
    watch(both)
    for task in tasks(seed, count=8):
        both.ask(task)
    drive(both, rng)
    compare(both)


def overtaken(layout: Layout, seed: int) -> int:
    """Short prompts are computed before a long one that has pages alone; how many of them were computed again."""
    both, rng = pair(layout, prefill_tokens=34, decode_tokens=30), random.Random(seed)
    watch(both)
    give_up, again = both.prefill.sender.give_up, list[str]()

    def noted(session: str, name: str) -> bool:
        given_up = give_up(session, name)
        again.extend([name] * given_up)
        return given_up

    both.prefill.sender.give_up = noted  # type: ignore[method-assign]  # to be counted
    for prompt in (range(44), *(range(first, first + 14) for first in (50, 51, 52, 53))):
        both.ask(Task(tuple(prompt), 2))
    drive(both, rng)
    compare(both)
    return len(again)
