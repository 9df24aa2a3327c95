"""Where something is measured: a device, its clock, and how work is replayed there."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import torch

from impl.kernels.lane import Lane

Work: TypeAlias = Callable[[], object]


TO_RUN_ELSEWHERE: Final = (
    "To run it on a machine with a GPU, carry the sources there, nothing built and no environment, and call "
    "`make gpu GPU_PYTHON=PATH`: a Python whose torch has CUDA, with its triton, numpy, msgspec, pytest and "
    "pytest-timeout beside it."
)


class NoGpu(RuntimeError):
    """There is no GPU to test on, or this torch cannot reach it."""


@dataclass(frozen=True)
class Surroundings:
    """A device as a measurement needs it.

    Attributes:
        device: that holds the tensors.
        lane: the kernels' bodies that run there.
        seconds: how long some work takes there, once.
        captured: the same work as one thing to replay.
    """

    device: torch.device
    lane: Lane
    seconds: Callable[[Work], float]
    captured: Callable[[Work], Work]


def gpu() -> Surroundings:
    """The current GPU and how things are measured there.

    Raises:
        NoGpu: torch finds none.
    """
    if not torch.cuda.is_available():
        build = f"torch {torch.__version__} is built for CUDA {torch.version.cuda}"
        if torch.version.cuda is None:
            build = f"torch {torch.__version__} is a build without CUDA"
        raise NoGpu(f"no GPU: torch finds no CUDA device ({build}). {TO_RUN_ELSEWHERE}")
    return Surroundings(torch.device("cuda", torch.cuda.current_device()), "triton", _seconds, _captured)


def _seconds(work: Work) -> float:
    begin, end = torch.Event("cuda", enable_timing=True), torch.Event("cuda", enable_timing=True)
    begin.record()
    work()
    end.record()
    end.synchronize()
    return float(begin.elapsed_time(end)) / 1e3


def _captured(work: Work) -> Work:
    # outside the capture first, since kernels are compiled and loaded when they first run
    work()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work()
    return graph.replay
