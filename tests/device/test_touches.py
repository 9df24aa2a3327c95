"""What the allocator's own work says that it touches, where races are looked for, beside what it does touch."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
import torch

from impl.chain import Chain, chain_for
from impl.device.arena import ArenaDevice
from impl.device.runtime import ARENA, Piece, Work
from impl.device.simulated.runtime import SimulatedEvent, SimulatedRuntime
from impl.numbers import Int64
from tests.impl.toys import toy_layout

STATE, FULL = 0, 1
ROUNDS = 4
"""So often memory is filled anew: a byte that is written shows in one of them."""

Memories = dict[str, npt.NDArray[np.uint8]]


class Kept(SimulatedRuntime):
    """Keeps what is launched."""

    def __init__(self) -> None:
        super().__init__()
        self.works: list[Work] = []

    def launch(self, stream: str, work: Work) -> None:
        self.works.append(work)
        super().launch(stream, work)


Arena = ArenaDevice[SimulatedEvent]


def _made() -> tuple[Arena, Kept]:
    chain: Chain = chain_for(toy_layout(("state", 128), ("full", 64)), 256 + 64 * 8)
    runtime = Kept()
    return ArenaDevice(chain, runtime), runtime


def _memories(device: Arena) -> Memories:
    tables = {device.table_name(band): device.table_for_work(band) for band in (STATE, FULL)}
    return {name: tensor.view(torch.uint8).numpy() for name, tensor in {ARENA: device.arena, **tables}.items()}


def _marked(memories: Memories, piece: Piece, *, writes: bool) -> dict[str, npt.NDArray[np.bool_]]:
    """Which bytes a piece says that it reads, or that it writes."""
    marked = {name: np.zeros(memory.size, np.bool_) for name, memory in memories.items()}
    for touch in piece.touches():
        if touch.writes == writes:
            marked[touch.memory][touch.begin : touch.end] = True
    return marked


def _numbers(*numbers: int) -> Int64:
    return np.array(numbers, np.int64)


ASKED: dict[str, Callable[[Arena], None]] = {
    "moves": lambda device: device.move_pages(FULL, _numbers(6, 9), _numbers(7, 5)),
    "moves of others": lambda device: device.move_pages(STATE, _numbers(1), _numbers(3)),
    "wipes": lambda device: device.wipe_pages(FULL, _numbers(8, 5)),
    "updates": lambda device: device.update_table(FULL, _numbers(2, 0), _numbers(7, 6)),
    "memory that is resumed": lambda device: device.resume_memory(),
}


@pytest.mark.parametrize("name", ASKED)
def test_work_writes_the_bytes_that_it_says_and_no_others(name: str) -> None:
    device, runtime = _made()
    ASKED[name](device)
    (piece,) = runtime.works[-1].pieces
    memories = _memories(device)
    wrote = {name: np.zeros(memory.size, np.bool_) for name, memory in memories.items()}
    drawn = np.random.default_rng(1)
    for _ in range(ROUNDS):
        before = {}
        for memory, there in memories.items():
            there[:] = before[memory] = drawn.integers(0, 256, there.size, np.uint8)
        piece.run()
        for memory, there in memories.items():
            wrote[memory] |= there != before[memory]
    said = _marked(memories, piece, writes=True)
    assert {memory: np.flatnonzero(bytes_).tolist() for memory, bytes_ in wrote.items()} == {
        memory: np.flatnonzero(bytes_).tolist() for memory, bytes_ in said.items()
    }
    assert any(bytes_.any() for bytes_ in said.values())


@pytest.mark.parametrize("name", ASKED)
def test_what_work_writes_follows_from_the_bytes_that_it_says_it_reads(name: str) -> None:
    device, runtime = _made()
    ASKED[name](device)
    (piece,) = runtime.works[-1].pieces
    memories = _memories(device)
    reads, writes = (_marked(memories, piece, writes=each) for each in (False, True))
    drawn = np.random.default_rng(2)
    read = {memory: drawn.integers(0, 256, there.size, np.uint8) for memory, there in memories.items()}
    left = []
    for _ in range(ROUNDS):
        for memory, there in memories.items():
            there[:] = np.where(reads[memory], read[memory], drawn.integers(0, 256, there.size, np.uint8))
        piece.run()
        left.append([there[writes[memory]].tobytes() for memory, there in memories.items()])
    assert left == left[:1] * ROUNDS


@pytest.mark.parametrize("name", ASKED)
def test_every_byte_that_work_is_asked_for_is_among_them(name: str) -> None:
    sizes = {
        "moves": (128, 128),
        "moves of others": (128, 128),
        "wipes": (0, 128),
        "updates": (0, 16),
        "memory that is resumed": (0, 256),
    }
    device, runtime = _made()
    ASKED[name](device)
    (piece,) = runtime.works[-1].pieces
    memories = _memories(device)
    read, written = (
        sum(int(bytes_.sum()) for bytes_ in _marked(memories, piece, writes=each).values()) for each in (False, True)
    )
    assert (read, written) == sizes[name]


def test_what_is_asked_for_is_the_works_own_from_then_on() -> None:
    device, runtime = _made()
    asks: list[tuple[Callable[..., None], int]] = [
        (device.move_pages, 2),
        (device.wipe_pages, 1),
        (device.update_table, 2),
    ]
    for ask, count in asks:
        given = [_numbers(5 + each) for each in range(count)]
        ask(FULL, *given)
        (piece,) = runtime.works[-1].pieces
        said, done = list(piece.touches()), _done(device, piece)
        for each in given:
            each[:] = 9
        assert list(piece.touches()) == said
        assert len(said) >= 1
        assert _done(device, piece) == done


def _done(device: Arena, piece: Piece) -> list[bytes]:
    """What a piece leaves of memories that are always the same before."""
    memories, drawn = _memories(device), np.random.default_rng(3)
    for there in memories.values():
        there[:] = drawn.integers(0, 256, there.size, np.uint8)
    piece.run()
    return [there.tobytes() for there in memories.values()]
