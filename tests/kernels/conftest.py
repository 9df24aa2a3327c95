"""`pytest tests/kernels --lane LANE`: which of the kernels' bodies run, and on what.

Without the option the torch twins do, and the lanes that need a process of their own are started by `test_lanes.py`.
"""

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest

from tests.kernels.lanes import LANES, Lane

HERE = Path(__file__).parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--lane", choices=sorted(LANES), help="what runs the kernels; the twins if none is named")


def pytest_configure(config: pytest.Config) -> None:
    lane = _lane(config)
    if lane.name == "interpreter":
        # read where a kernel is decorated, and by the room that asks Triton for it
        if {"triton", "impl.kernels.lane"} & sys.modules.keys():
            raise pytest.UsageError("kernels were imported before their lane was chosen")
        os.environ["TRITON_INTERPRET"] = "1"
    elif os.environ.pop("TRITON_INTERPRET", None) == "1" and lane.name != "twin":
        raise pytest.UsageError(f"lane {lane.name} compiles kernels: unset TRITON_INTERPRET")
    if lane.name == "cuda":
        import torch

        if not torch.cuda.is_available():
            raise pytest.UsageError("lane cuda: torch finds no CUDA device")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Each lane collects its own directories, so that nothing is collected only to be skipped."""
    if collection_path.parent != HERE or collection_path.name == "conftest.py":
        return None
    return collection_path.name not in _lane(config).collects or None


def _lane(config: pytest.Config) -> Lane:
    return LANES[config.getoption("--lane", None) or "twin"]


@pytest.fixture
def lane(request: pytest.FixtureRequest) -> Iterator[Lane]:
    """The lane of this run; where kernels are interpreted, the guard watches, and must have seen a launch."""
    chosen = _lane(request.config)
    if chosen.name != "interpreter":
        yield chosen
        return
    from fuzz.interpreter.guard import guarded

    with guarded(order=crc32(request.node.nodeid.encode())) as watched:
        yield chosen
    assert watched.launches > 0, "no kernel ran"
    assert watched.accesses > 0, "no kernel accessed anything"
