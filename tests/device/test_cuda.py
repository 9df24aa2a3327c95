"""What the runtime on a GPU asks of CUDA. No GPU takes part: CUDA's streams and events are stood in for."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from random import Random

import numpy as np
import pytest
import torch

from impl.allocator import Allocator
from impl.chain import Chain, chain_for
from impl.device.arena import ALLOCATOR, ArenaDevice
from impl.device.cuda import CudaEvent, CudaRuntime
from impl.device.immediate import ImmediateDevice
from impl.device.protocol import Device
from impl.device.runtime import Piece, Work
from tests.device.work import work
from tests.impl.toys import Driver, toy_layout

Asked = list[tuple[str, ...]]


class Stream:
    """Remembers what is asked of it; its name is the order of its making."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.name = f"stream {sum(what == 'stream' for what, *_ in asked)}"
        asked.append(("stream", self.name))

    def wait_event(self, event: "Event") -> None:
        self.asked.append(("wait", self.name, event.of))


class Event:
    """Has happened from the second question on."""

    def record(self, stream: Stream) -> None:
        stream.asked.append(("record", stream.name))
        self.of, self.questions = stream.name, 0

    def query(self) -> bool:
        self.questions += 1
        return self.questions > 1

    def synchronize(self) -> None:
        self.questions = 1


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    asked: Asked = []

    @contextmanager
    def inside(stream: Stream) -> Iterator[None]:
        asked.append(("inside", stream.name))
        yield

    monkeypatch.setattr(torch.cuda, "Stream", lambda device: Stream(asked))
    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "stream", inside)
    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda tensor: tensor)
    return asked


@pytest.fixture
def runtime(asked: Asked) -> CudaRuntime:
    return CudaRuntime(torch.device("cpu"))


def test_work_is_launched_inside_its_stream_and_events_order_streams(runtime: CudaRuntime, asked: Asked) -> None:
    done = []
    runtime.launch("one", work("a", run=lambda: done.append("a")))
    runtime.wait("two", runtime.record("one"))
    runtime.launch("two", work("b", run=lambda: done.append("b")))
    assert done == ["a", "b"]
    assert asked == [
        ("stream", "stream 0"),
        ("inside", "stream 0"),
        ("record", "stream 0"),
        ("stream", "stream 1"),
        ("wait", "stream 1", "stream 0"),
        ("inside", "stream 1"),
    ]


def test_every_piece_is_launched_inside_the_stream(runtime: CudaRuntime, monkeypatch: pytest.MonkeyPatch) -> None:
    on: list[Stream] = []
    seen = []

    @contextmanager
    def inside(stream: Stream) -> Iterator[None]:
        on.append(stream)
        yield
        on.pop()

    monkeypatch.setattr(torch.cuda, "stream", inside)
    piece = Piece(lambda: seen.append([stream.name for stream in on]), lambda: ())
    runtime.launch("one", Work("a", (piece, piece, piece)))
    assert seen == [["stream 0"]] * 3


def test_memory_is_taken_inside_the_stream_behind_which_it_is_used(runtime: CudaRuntime, asked: Asked) -> None:
    memory = runtime.empty("one", 3, torch.int64)
    assert (memory.shape, memory.dtype) == ((3,), torch.int64)
    assert asked == [("stream", "stream 0"), ("inside", "stream 0")]


def test_an_arena_takes_its_memory_behind_the_allocators_stream(runtime: CudaRuntime, asked: Asked) -> None:
    taken = []

    def empty(stream: str, count: int, dtype: torch.dtype) -> torch.Tensor:
        taken.append(stream)
        return torch.empty(count, dtype=dtype)

    runtime.empty = empty  # type: ignore[method-assign]  # it stands in for one
    device = ArenaDevice(chain_for(toy_layout(("state", 80), ("full", 32)), 4000), runtime)
    device.release_memory()
    device.resume_memory()
    assert taken == [ALLOCATOR] * 4
    assert {stream for _, stream in asked} == {"stream 0"}


def test_streams_are_made_on_the_device(runtime: CudaRuntime, monkeypatch: pytest.MonkeyPatch) -> None:
    devices = []

    def made(device: torch.device) -> Stream:
        devices.append(device)
        return Stream([])

    monkeypatch.setattr(torch.cuda, "Stream", made)
    runtime.launch("one", work("a"))
    assert devices == [torch.device("cpu")]


def test_numbers_go_to_the_device_from_pinned_memory_and_the_host_does_not_wait(
    runtime: CudaRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    pinned = torch.tensor([7, 9])
    sent = []

    def to(tensor: torch.Tensor, device: torch.device, *, non_blocking: bool = False) -> torch.Tensor:
        sent.append((tensor is pinned, device, non_blocking))
        return tensor

    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda tensor: pinned.copy_(tensor))
    monkeypatch.setattr(torch.Tensor, "to", to)
    assert runtime.on_device(np.array([1, 2])).tolist() == [1, 2]
    assert sent == [(True, torch.device("cpu"), True)]


def test_no_stream_waits_for_a_transfer(runtime: CudaRuntime) -> None:
    end = runtime.transfer(Work("send", work("a").pieces, 1, is_over=lambda: True))
    with pytest.raises(AssertionError, match="no stream waits for a transfer"):
        runtime.wait("one", end)
    with pytest.raises(AssertionError, match="when a transfer is over"):
        runtime.transfer(work("send"))


def test_events_are_asked_and_only_synchronising_is_counted(runtime: CudaRuntime) -> None:
    event = runtime.record("one")
    assert not runtime.is_done(event)
    assert runtime.is_done(event)
    assert runtime.host_waits == 0
    runtime.synchronize(event)
    assert runtime.host_waits == 1


def test_a_transfer_is_over_when_the_network_says_so(runtime: CudaRuntime, asked: Asked) -> None:
    answers = iter([False, False, True])
    begun: list[int] = []
    pieces = tuple(Piece(partial(begun.append, number), lambda: ()) for number in range(2))
    end = runtime.transfer(Work("send", pieces, 1, is_over=lambda: next(answers)))
    assert begun == [0, 1]
    assert not runtime.is_done(end)
    runtime.synchronize(end)
    assert asked == []


def test_an_engine_may_bring_its_own_streams(asked: Asked) -> None:
    own = Stream(asked)
    runtime = CudaRuntime(torch.device("cpu"), {"compute": own})  # type: ignore[dict-item]  # it stands in for one
    runtime.launch("compute", work("a"))
    assert asked == [("stream", "stream 0"), ("inside", "stream 0")]


def test_an_allocator_on_it_moves_bytes_and_keeps_tables_as_at_once(runtime: CudaRuntime) -> None:
    arenas: list[ArenaDevice[CudaEvent]] = []

    def later(chain: Chain) -> Device:
        arenas.append(ArenaDevice(chain, runtime))
        return arenas[-1]

    layout = toy_layout(("state", 80), ("window7", 48), ("full", 32))
    allocators = [Allocator(layout, 4000, device=device) for device in (later, ImmediateDevice)]
    drivers = [Driver(allocator, Random(5), {"allocate": 6, "release": 5, "compact": 2}) for allocator in allocators]
    for allocator in allocators:
        pages = np.frombuffer(np.random.default_rng(3).bytes(allocator.chain.capacity - allocator.chain.base), np.uint8)
        allocator.device.arena[allocator.chain.base :] = torch.from_numpy(pages.copy())  # type: ignore[attr-defined]  # both have it
    for _ in range(200):
        for driver in drivers:
            driver.step()
    one, other = allocators
    assert torch.equal(one.device.arena, other.device.arena)  # type: ignore[attr-defined]  # likewise
    for band in range(3):
        assert torch.equal(one.page_table(band), other.page_table(band))
    assert sum(counters.moved for counters in one.statistics().kinds) > 0
    assert runtime.host_waits == 0
