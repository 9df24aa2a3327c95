"""Ranks as processes of this machine, which start once and then do one thing after the other, all the same."""

import multiprocessing
import os
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

import torch

from impl.misuse import Misuse
from impl.serving.engine.rank import Rank
from impl.serving.parallel.group import Group

_BEFOREHAND: Final = ["torch", "torch.distributed", "impl.serving.parallel.tensor"]
"""What a process has imported before it becomes a rank: once for all ranks of all groups."""

_LEAVING: Final = 1.0


@dataclass(frozen=True, slots=True)
class Failure:
    """What became of a rank that gave no result.

    Attributes:
        error: what it raised; None if its process ended, or was silent for too long, and its group is of no use.
        said: for people.
    """

    error: BaseException | None
    said: str


class Ranks:
    """A group of processes; `with` ends them.

    Args:
        count: of ranks, at least two.
        seconds: for which a rank waits for the others.
    """

    def __init__(self, count: int, seconds: float = 60.0) -> None:
        if count < 2:
            raise Misuse("count", count, "one rank is no group", "ask for two or more")
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(_BEFOREHAND)
        self._folder = tempfile.TemporaryDirectory(prefix="ranks-")
        self._lines: list[Connection] = []
        self._processes = []
        for number in range(count):
            line, its = context.Pipe()
            folder = Path(self._folder.name)
            process = context.Process(target=_serve, args=(its, Rank(number, count), folder, seconds), daemon=True)
            process.start()
            its.close()
            self._lines.append(line)
            self._processes.append(process)

    def __enter__(self) -> "Ranks":
        return self

    def __exit__(self, *_: object) -> None:
        for line in self._lines:
            line.close()
        until = time.monotonic() + _LEAVING
        for process in self._processes:
            process.join(max(0.0, until - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()
        self._folder.cleanup()

    def outcomes(self, do: Callable[..., Any], *arguments: Any, seconds: float = 120.0) -> list[Any]:
        """What each rank gives for `do(group, *arguments)`, or the `Failure` that became of it.

        Args:
            do: a function of a module.
            arguments: that can be pickled.
            seconds: after which a rank that has not answered counts as silent.
        """
        for line in self._lines:
            try:
                line.send((do, arguments))
            except OSError:
                # it is gone, which is what its answer will be
                continue
        until = time.monotonic() + seconds
        return [_answer(line, max(0.0, until - time.monotonic()), seconds) for line in self._lines]

    def results(self, do: Callable[..., Any], *arguments: Any, seconds: float = 120.0) -> list[Any]:
        """As `outcomes`, where all ranks must succeed.

        Raises:
            RuntimeError: one did not; its cause is the first rank's error that is known.
        """
        found = self.outcomes(do, *arguments, seconds=seconds)
        failures = [(rank, each) for rank, each in enumerate(found) if isinstance(each, Failure)]
        if failures:
            said = "\n".join(f"rank {rank}: {failure.said}" for rank, failure in failures)
            raise RuntimeError(said) from next((each.error for _, each in failures if each.error is not None), None)
        return found


def _answer(line: Connection, wait: float, seconds: float) -> Any:
    try:
        if line.poll(wait):
            return line.recv()
    except (EOFError, OSError):
        return Failure(None, "its process has ended")
    return Failure(None, f"it was silent for {seconds:g} s")


def _serve(line: Connection, rank: Rank, folder: Path, seconds: float) -> None:
    """The life of a rank: until nobody asks for more."""
    torch.set_num_threads(1)
    group = Group(rank, folder, seconds)
    while True:
        try:
            do, arguments = line.recv()
        except (EOFError, OSError):
            break
        try:
            answer = do(group, *arguments)
        except Exception as error:  # whatever it was, it is for who asked
            answer = Failure(error, traceback.format_exc())
        line.send(answer)
    # nothing of what others may have left half done is waited for
    os._exit(0)
