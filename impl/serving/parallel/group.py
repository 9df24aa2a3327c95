"""What ranks tell each other, in bounded time: a rank that is gone or lags becomes an error on all the others."""

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
    """A rank of the group did not take part in time, or is gone.  The group is of no use any more: end the process.

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
    """The ranks of a group, as one of them sees it.  Every call is made by all ranks, in the same order.

    Args:
        rank: this one.
        folder: empty at first, and the same for all ranks: there they find each other.
        seconds: for which a rank waits for the others in a call.

    Raises:
        RankLost: in every call, after twice that time and a second at most: a rank has died, or was later.
    """

    def __init__(self, rank: Rank, folder: Path, seconds: float) -> None:
        self.rank, self.seconds = rank, seconds
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

    def total(self, partial: torch.Tensor) -> torch.Tensor:
        """The sum over the ranks of tensors of one shape, on every rank."""
        summed = partial.clone()
        with self._bounded("add up a tensor"):
            ranks.all_reduce(summed, group=self._ranks)
        return summed

    def largest(self, values: torch.Tensor) -> torch.Tensor:
        """The largest over the ranks of each element of tensors of one shape, on every rank."""
        found = values.clone()
        with self._bounded("find the largest"):
            ranks.all_reduce(found, ranks.ReduceOp.MAX, group=self._ranks)
        return found

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
            ranks.send(values.contiguous(), to, self._ranks)

    def receive(self, shape: Sequence[int], source: int) -> torch.Tensor:
        """The float64 of a shape that one rank sends."""
        values = torch.empty(tuple(shape), dtype=torch.float64)
        with self._bounded(f"receive from rank {source}"):
            ranks.recv(values, source, self._ranks)
        return values

    def from_one(self, values: torch.Tensor, source: int) -> torch.Tensor:
        """The tensor of one rank, on every rank; the others give one of the same shape."""
        found = values.clone().contiguous()
        with self._bounded(f"hear of rank {source}"):
            ranks.broadcast(found, source, self._ranks)
        return found

    @contextmanager
    def _bounded(self, what: str) -> Iterator[None]:
        try:
            yield
        except RuntimeError as error:
            raise RankLost(self.rank.number, what, self.seconds, self._silent()) from error

    def _silent(self) -> tuple[int, ...]:
        """The ranks that do not say that they are there, though they must have failed as well by then."""
        self._notices.set(f"rank {self.rank.number} failed", "")
        left = set(range(self.rank.of))
        until = time.monotonic() + self.seconds + _GRACE
        while left and time.monotonic() < until:
            left = {number for number in left if not self._notices.check([f"rank {number} failed"])}
            time.sleep(_LOOK_EVERY)
        return tuple(sorted(left))
