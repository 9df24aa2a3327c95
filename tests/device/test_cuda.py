"""What the runtime on a GPU asks of CUDA.  No GPU takes part: CUDA's streams and events are stood in for."""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import numpy as np
import pytest
import torch

from impl.allocator import Allocator
from impl.chain import Chain
from impl.device.arena import ArenaDevice
from impl.device.cuda import CudaEvent, CudaRuntime
from impl.device.immediate import ImmediateDevice
from impl.device.protocol import Device
from impl.device.runtime import Work
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


def test_events_are_asked_and_only_synchronising_is_counted(runtime: CudaRuntime) -> None:
    event = runtime.record("one")
    assert not runtime.is_done(event)
    assert runtime.is_done(event)
    assert runtime.host_waits == 0
    runtime.synchronize(event)
    assert runtime.host_waits == 1


def test_a_transfer_is_over_when_the_network_says_so(runtime: CudaRuntime, asked: Asked) -> None:
    answers = iter([False, False, True])
    begun = []
    pieces = work("send", run=lambda: begun.append(1)).pieces
    end = runtime.transfer(Work("send", pieces, 1, is_over=lambda: next(answers)))
    assert begun == [1]
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
