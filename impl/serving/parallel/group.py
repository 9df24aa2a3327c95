"""What ranks tell each other, in bounded time: a rank that is gone or lags becomes an error on all the others."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import torch
import torch.distributed as ranks

from impl.serving.engine.rank import Rank

LOOPBACK: Final = "lo"
"""The network interface of a group, all of whose ranks are on this machine."""

# torch exports it, without saying so
_Store: Final = ranks.FileStore  # type: ignore[attr-defined]

_LOOK_EVERY: Final = 0.02
_GRACE: Final = 1.0
_MEETING: Final = 60.0


class RankLost(RuntimeError):
    """A rank of the group did not take part in time, or is gone. The group is of no use any more: end the process.

    Attributes:
        rank: who says so.
        lost: the ranks of which nothing was heard afterwards; empty if all of them gave up.
    """

    def __init__(self, rank: int, what: str, seconds: float, lost: tuple[int, ...]) -> None:
        who = f"of rank {', '.join(map(str, lost))} nothing was heard" if lost else "all ranks gave up"
        super().__init__(f"rank {rank} could not {what} within {seconds:g} s: {who}")
        self.rank, self.lost = rank, lost
        self._said = rank, what, seconds, lost

    # so that it can be raised in another process than the one it was made in
    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._said


class Group:
    """The ranks of a group, as one of them sees it. Every call is made by all ranks, in the same order.

    Args:
        rank: this one.
        folder: empty at first, and the same for all ranks: there they find each other.
        seconds: for which a rank waits for the others in a call.

    Raises:
        RankLost: in every call, after twice that time and a second at most: a rank has died, or was later.
    """

    def __init__(self, rank: Rank, folder: Path, seconds: float) -> None:
        self.rank, self.seconds = rank, seconds
        # by which the ranks are known in the group of all
        self._numbers: Sequence[int] = range(rank.of)
        os.environ["GLOO_SOCKET_IFNAME"] = LOOPBACK
        # another store for what is said after a failure: the first may be waited on for ever by who is gone
        self._notices = _Store(str(folder / "notices"), rank.of)
        with self._bounded("meet the others"):
            ranks.init_process_group(
                "gloo",
                store=_Store(str(folder / "meeting"), rank.of),
                rank=rank.number,
                world_size=rank.of,
                timeout=timedelta(seconds=_MEETING),
            )
            # what begins slowly is not lost yet
            self._ranks = ranks.new_group(timeout=timedelta(seconds=seconds))

    def part(self, parts: Sequence[Sequence[int]]) -> "Group":
        """The group of those ranks that are in the same part as this one, in the order in which the part names them.

        Args:
            parts: of the group of all ranks, each of which is in one of them; the same on all ranks.
        """
        (own,) = [part for part in parts if self.rank.number in part]
        found = copy(self)
        found.rank, found._numbers = Rank(own.index(self.rank.number), len(own)), own
        with self._bounded("meet those of a part"):
            for part in parts:
                # all ranks take part in making each
                made = ranks.new_group(list(part), timeout=timedelta(seconds=self.seconds))
                if part is own:
                    found._ranks = made
        return found

    def total(self, partial: torch.Tensor) -> torch.Tensor:
        """The sum over the ranks of tensors of one shape, on every rank."""
        return self._reduced(partial, "add up a tensor", ranks.ReduceOp.SUM)

    def largest(self, values: torch.Tensor) -> torch.Tensor:
        """The largest over the ranks of each element of tensors of one shape, on every rank."""
        return self._reduced(values, "find the largest", ranks.ReduceOp.MAX)

    def numbers(self, own: Sequence[int]) -> list[list[int]]:
        """The whole numbers, equally many, that each rank gives: [ranks][numbers], on every rank."""
        given = torch.tensor(own, dtype=torch.int64)
        found = [torch.empty_like(given) for _ in range(self.rank.of)]
        with self._bounded("compare numbers"):
            ranks.all_gather(found, given, self._ranks)
        return [each.tolist() for each in found]

    def things(self, own: Any) -> list[Any]:
        """What each rank gives, anything that can be pickled, on every rank."""
        found: list[Any] = [None] * self.rank.of
        with self._bounded("exchange what was decided"):
            ranks.all_gather_object(found, own, self._ranks)
        return found

    def send(self, values: torch.Tensor, to: int) -> None:
        """Give a tensor to one rank, which receives it."""
        with self._bounded(f"send to rank {to}"):
            ranks.send(values.contiguous(), group=self._ranks, group_dst=to)

    def receive(self, shape: Sequence[int], source: int) -> torch.Tensor:
        """The float64 of a shape that one rank sends."""
        values = torch.empty(tuple(shape), dtype=torch.float64)
        with self._bounded(f"receive from rank {source}"):
            ranks.recv(values, group=self._ranks, group_src=source)
        return values

    def from_one(self, values: torch.Tensor, source: int) -> torch.Tensor:
        """The tensor of one rank, on every rank; the others give one of the same shape."""
        found = values.clone().contiguous()
        with self._bounded(f"hear of rank {source}"):
            ranks.broadcast(found, group=self._ranks, group_src=source)
        return found

    def _reduced(self, values: torch.Tensor, what: str, by: Any) -> torch.Tensor:
        """What one element of all ranks' tensors is, by an operation of torch's."""
        found = values.clone()
        with self._bounded(what):
            ranks.all_reduce(found, by, group=self._ranks)
        return found

    @contextmanager
    def _bounded(self, what: str) -> Iterator[None]:
        try:
            yield
        except RuntimeError as error:
            raise RankLost(self._numbers[self.rank.number], what, self.seconds, self._silent()) from error

    def _silent(self) -> tuple[int, ...]:
        """The ranks that do not say that they are there, though they must have failed as well by then."""
        self._notices.set(f"rank {self._numbers[self.rank.number]} failed", "")
        left = set(self._numbers)
        until = time.monotonic() + self.seconds + _GRACE
        while left and time.monotonic() < until:
            left = {number for number in left if not self._notices.check([f"rank {number} failed"])}
            time.sleep(_LOOK_EVERY)
        return tuple(sorted(left))
