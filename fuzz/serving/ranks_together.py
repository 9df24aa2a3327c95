"""Ranks of one process: each lives in a thread, one of them goes on at a time, and a seed says which.

A rank goes on until it is to hear of others. Then one of those that can goes on, whichever the seed chooses. So the
ranks reach a call in any order, the same seed gives the same order, and nobody waits for a clock: where no rank can go
on, each of those that wait is told at once that somebody is lost.
"""

import pickle
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from random import Random
from typing import Any, ClassVar, TypeVar

import torch
import torch.distributed as ranks

from impl.serving.engine.rank import Rank
from impl.serving.parallel.group import Group, RankLost

T = TypeVar("T")
Within = Callable[[int, int], AbstractContextManager[object]]


class Turns:
    """Lets ranks live side by side, one of them at a time.

    Args:
        count: of ranks.
        seed: of whose turn it is.

    Attributes:
        within: what is in force while it is the turn of a rank, of so many.
    """

    within: ClassVar[Within] = staticmethod(lambda rank, of: nullcontext())

    def __init__(self, count: int, seed: int | str) -> None:
        self.count = count
        self._chance = Random(seed)
        self._wakes = [threading.Semaphore(0) for _ in range(count)]
        self._over = threading.Semaphore(0)
        # of each rank that is not at its end, whether it can go on
        self._can: dict[int, Callable[[], bool]] = {}
        self._within = [ExitStack() for _ in range(count)]

    def all(self, do: Callable[[int], T]) -> list[T]:
        """What each rank gives for its number, in order.

        Raises:
            Exception: a rank raised it: the first one that was not told of another's loss, if there is one.
        """
        outcomes: dict[int, T] = {}
        errors: list[Exception] = []

        def live(rank: int) -> None:
            self._wait_for_turn(rank)
            try:
                outcomes[rank] = do(rank)
            except Exception as error:  # whatever it is, it is for who asked
                errors.append(error)
            del self._can[rank]
            self._pass_on(rank)

        self._can = dict.fromkeys(range(self.count), lambda: True)
        threads = [threading.Thread(target=live, args=(rank,), daemon=True) for rank in range(self.count)]
        for thread in threads:
            thread.start()
        self._wakes[self._next()].release()
        self._over.acquire()
        for thread in threads:
            thread.join()
        if errors:
            raise next((error for error in errors if not isinstance(error, RankLost)), errors[0])
        return [outcomes[rank] for rank in range(self.count)]

    def wait(self, rank: int, what: str, can: Callable[[], bool]) -> None:
        """Let others go on until a rank, whose turn it is, can.

        Raises:
            RankLost: nobody can go on.
        """
        self._can[rank] = can
        self._pass_on(rank)
        self._wait_for_turn(rank)
        if not can():
            raise RankLost(rank, what, 0.0, tuple(sorted({*range(self.count)} - self._can.keys())))

    def _pass_on(self, rank: int) -> None:
        self._within[rank].close()
        (self._wakes[self._next()] if self._can else self._over).release()

    def _next(self) -> int:
        """Who goes on; if nobody can, one that learns of it."""
        able = [rank for rank, can in sorted(self._can.items()) if can()]
        return self._chance.choice(able or sorted(self._can))

    def _wait_for_turn(self, rank: int) -> None:
        self._wakes[rank].acquire()
        self._within[rank].enter_context(type(self).within(rank, self.count))


class Board:
    """What ranks have given in each call, and what was sent from one to another."""

    def __init__(self) -> None:
        self.calls: dict[int, dict[int, tuple[str, Any]]] = {}
        self.sent: dict[tuple[int, int], deque[torch.Tensor]] = {}


class Together(Group):
    """See `Group`; the ranks are in one process.

    Args:
        number: of the rank.
        turns: of all of them.
        board: the same for all of them.
    """

    def __init__(self, number: int, turns: Turns, board: Board) -> None:
        self.rank, self.seconds = Rank(number, turns.count), 0.0
        self._turns, self._board, self._calls = turns, board, 0

    def numbers(self, own: Sequence[int]) -> list[list[int]]:
        """See `Group.numbers`."""
        found = self._gathered("compare numbers", [int(number) for number in own])
        if len({len(each) for each in found}) > 1:
            raise ValueError(f"ranks give {[len(each) for each in found]} numbers, and are to give equally many")
        return [list(each) for each in found]

    def things(self, own: Any) -> list[Any]:
        """See `Group.things`: each rank has copies of its own."""
        return [pickle.loads(each) for each in self._gathered("exchange what was decided", pickle.dumps(own))]

    def send(self, values: torch.Tensor, to: int) -> None:
        """See `Group.send`: nobody waits until it is received."""
        self._board.sent.setdefault((self.rank.number, to), deque()).append(values.clone())
        self._turns.wait(self.rank.number, f"send to rank {to}", lambda: True)

    def receive(self, shape: Sequence[int], source: int) -> torch.Tensor:
        """See `Group.receive`."""
        line = self._board.sent.setdefault((source, self.rank.number), deque())
        self._turns.wait(self.rank.number, f"receive from rank {source}", lambda: bool(line))
        values = line.popleft()
        if tuple(values.shape) != tuple(shape):
            raise ValueError(f"rank {source} sent {tuple(values.shape)}, and {tuple(shape)} was to come")
        return values

    def from_one(self, values: torch.Tensor, source: int) -> torch.Tensor:
        """See `Group.from_one`."""
        given: list[torch.Tensor] = self._gathered(f"hear of rank {source}", values.clone())
        return given[source].clone()

    def _reduced(self, values: torch.Tensor, what: str, by: Any) -> torch.Tensor:
        # in the order of the ranks, so that it is the same on all to the last bit
        given = torch.stack(self._gathered(what, values.clone()))
        return given.sum(0) if by == ranks.ReduceOp.SUM else given.amax(0)

    def _gathered(self, what: str, own: Any) -> list[Any]:
        """What each rank gives in a call.

        Raises:
            RankLost: one of them will not make it.
            ValueError: it makes another one.
        """
        number, place = self._calls, self.rank.number
        self._calls += 1
        given = self._board.calls.setdefault(number, {})
        given[place] = what, own
        self._turns.wait(place, what, lambda: len(given) == self.rank.of)
        self._board.calls.pop(number, None)
        asked = [given[rank][0] for rank in range(self.rank.of)]
        if len(set(asked)) > 1:
            raise ValueError(f"ranks are to make the same call, and these are to {asked}")
        return [given[rank][1] for rank in range(self.rank.of)]


def together(count: int, seed: int | str) -> tuple[Turns, list[Together]]:
    """The ranks of a group: whose turn it is, and the group as each of them sees it."""
    turns, board = Turns(count, seed), Board()
    return turns, [Together(number, turns, board) for number in range(count)]


@contextmanager
def on_the_last(fault: Callable[[], AbstractContextManager[object]]) -> Iterator[None]:
    """Let the last rank of every group have a fault, inside a `with` block."""
    before = Turns.within

    def within(rank: int, of: int) -> AbstractContextManager[object]:
        return fault() if rank == of - 1 else nullcontext()

    Turns.within = staticmethod(within)
    try:
        yield
    finally:
        Turns.within = before
