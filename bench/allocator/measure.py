"""All rows of the allocator."""

from collections.abc import Iterator
from pathlib import Path

import torch

from bench.allocator import admission, compaction, decode, metadata, moves, recorder, requests
from bench.allocator.pace import Pace
from bench.peers.environments import ROOT, SGLANG, VLLM
from bench.peers.seat import seated
from bench.rows import Row


def measure(pace: Pace, root: Path = ROOT) -> Iterator[Row]:
    """Every row, as soon as it is measured. From then on torch computes in one thread.

    Args:
        pace: how long measuring may take.
        root: where the peers' environments lie, if they are built.
    """
    torch.set_num_threads(1)
    with seated(SGLANG, root) as sglang:
        yield from requests.rows(pace, sglang)
        yield from compaction.rows(pace, sglang)
    with seated(VLLM, root) as vllm:
        yield from decode.rows(pace, vllm)
    yield from admission.rows(pace)
    yield from moves.rows(pace)
    yield from metadata.rows(pace)
    yield from recorder.rows(pace)
