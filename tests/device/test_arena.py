"""An allocator's device on the simulated runtime, and what it promises to those who open tickets."""

from collections.abc import Callable
from random import Random

import numpy as np
import pytest
import torch

from events.records import AnyRecord
from impl.allocator import Allocator
from impl.chain import Chain
from impl.device.arena import ArenaDevice
from impl.device.immediate import ImmediateDevice
from impl.device.protocol import Device
from impl.device.runtime import Piece, Work
from impl.device.simulated.accesses import Race
from impl.device.simulated.runtime import POISON, SimulatedEvent, SimulatedRuntime
from impl.kernels.grid import PageGrid
from impl.numbers import Int64
from impl.recording import RecordedAllocator
from tests.impl.toys import Driver, filled, toy_layout

STATE, FULL = 0, 1


class Simulated:
    """An allocator with eight pages of 64 bytes, or four of 128, on a simulated device."""

    def __init__(self) -> None:
        self.runtime = SimulatedRuntime(keep=True)
        self.allocator = Allocator(toy_layout(("state", 128), ("full", 64)), 256 + 64 * 8, device=self._device)

    def _device(self, chain: Chain) -> Device:
        self.device: ArenaDevice[SimulatedEvent] = ArenaDevice(chain, self.runtime)
        return self.device

    def use(self, ticket: int, band: int, ids: Int64, mode: str, seen: list[int] | None = None) -> Work:
        """Work of a ticket that looks pages up when it runs, and then reads or writes them."""
        table = self.device.table(band).numpy()

        def run() -> None:
            if seen is not None:
                seen.extend(int(page) for page in table[ids])

        def touches() -> list[object]:
            entries = [self.device.entry_touch(band, vid, writes=False) for vid in ids.tolist()]
            pages = [self.device.page_touch(band, int(table[vid]), writes=mode == "write") for vid in ids.tolist()]
            return [*entries, *pages]

        return Work(f"{mode}s", (Piece(run, touches),), ticket)  # type: ignore[arg-type]  # they are touches

    def forward(self, stream: str, band: int, ids: Int64, mode: str, waits: tuple[int, ...] = ()) -> int:
        """A ticket that holds some pages and uses them on a stream."""
        ticket = self.allocator.open("forward", stream, waits)
        self.allocator.hold(ticket, band, ids, mode)
        self.device.begin(ticket, stream, waits)
        self.device.launch(self.use(ticket, band, ids, mode))
        self.device.end(ticket)
        return ticket


@pytest.fixture
def simulated() -> Simulated:
    return Simulated()


def _driven(device: type[ImmediateDevice] | None, seed: int) -> tuple[list[AnyRecord], Allocator, SimulatedRuntime]:
    runtime = SimulatedRuntime()

    def made(chain: Chain) -> Device:
        return device(chain) if device is not None else ArenaDevice(chain, runtime)

    layout = toy_layout(("state", 80), ("window7", 48), ("full", 32))
    records: list[AnyRecord] = []
    driver = Driver(RecordedAllocator(Allocator(layout, 4000, device=made), records.append), Random(seed))
    for _ in range(400):
        driver.step()
    allocator = driver.allocator
    assert isinstance(allocator, RecordedAllocator)
    return records, allocator.allocator, runtime


@pytest.mark.parametrize("seed", range(4))
def test_the_allocator_decides_the_same_on_every_device_and_never_waits(seed: int) -> None:
    at_once, immediate, _ = _driven(ImmediateDevice, seed)
    later, simulated, runtime = _driven(None, seed)
    assert later == at_once
    assert len(later) > 800
    assert runtime.host_waits == 0
    assert runtime.choices() == 1
    runtime.run_all()
    for band, tables in enumerate(immediate.chain.bands):
        alive = np.unique(immediate.references(band))
        assert simulated.page_table(band).numpy()[alive].tolist() == immediate.page_table(band).numpy()[alive].tolist()
        assert len(simulated.page_table(band)) == tables.limit


def test_fresh_pages_show_no_number_and_the_sink_is_zero(simulated: Simulated) -> None:
    simulated.runtime.run_all()
    base = simulated.allocator.chain.base
    assert not simulated.device.arena[:base].any()
    assert bool((simulated.device.arena[base:] == POISON).all())
    for row in (simulated.allocator.chain.bands[FULL].kind.rows[0],):
        assert torch.isnan(simulated.allocator.view(row)[-8:]).all()


def test_memory_that_is_resumed_has_a_clean_sink_behind_the_allocators_stream(simulated: Simulated) -> None:
    simulated.runtime.run_all()
    assert simulated.device.has_caught_up()
    simulated.allocator.release_memory()
    assert simulated.device.arena.numel() == 0
    simulated.allocator.resume_memory()
    assert not simulated.device.has_caught_up()
    assert bool((simulated.device.arena[:8] == POISON).all())
    while not simulated.device.has_caught_up():
        simulated.runtime.step(0)
    assert not simulated.device.arena[: simulated.allocator.chain.base].any()


def test_work_that_was_asked_for_before_the_memory_went_is_done_in_that_memory(simulated: Simulated) -> None:
    simulated.runtime.run_all()
    before = PageGrid(simulated.device.arena, simulated.allocator.chain.bands[FULL].origin, 64).pages
    before[5], before[7] = 1, 2
    simulated.device.move_pages(FULL, np.array([5]), np.array([6]))
    simulated.device.wipe_pages(FULL, np.array([7]))
    simulated.allocator.release_memory()
    simulated.allocator.resume_memory()
    simulated.runtime.run_all()
    assert [set(before[page].tolist()) for page in (5, 6, 7)] == [{1}, {1}, {0}]
    assert bool((simulated.device.arena[simulated.allocator.chain.base :] == POISON).all())


def test_a_kernel_finds_its_pages_in_the_table_in_whatever_order_work_is_done() -> None:
    for choices in range(64):
        simulated = Simulated()
        ids = filled(simulated.allocator, [0, 5])[FULL]
        ticket = simulated.allocator.open("forward", "main")
        pages = simulated.allocator.hold(ticket, FULL, ids, "write")
        seen: list[int] = []
        simulated.device.begin(ticket, "main")
        simulated.device.launch(simulated.use(ticket, FULL, ids, "write", seen))
        simulated.device.end(ticket)
        for step in range(6):
            simulated.runtime.step(choices >> step & 1)
        simulated.runtime.run_all()
        assert seen == pages.tolist()


def test_work_that_is_begun_before_its_pages_are_there_is_a_race(simulated: Simulated) -> None:
    ticket = simulated.allocator.open("forward", "main")
    simulated.device.begin(ticket, "main")
    ids = filled(simulated.allocator, [0, 2])[FULL]
    simulated.device.launch(simulated.use(ticket, FULL, ids, "write"))
    with pytest.raises(Race, match="the entry of id"):
        simulated.runtime.run_all()


def test_moves_come_behind_the_tickets_that_were_settled(simulated: Simulated) -> None:
    ids = filled(simulated.allocator, [0, 8])[FULL]
    by_address = ids[simulated.allocator.translate(FULL, ids).argsort()]
    ticket = simulated.forward("main", FULL, by_address[:1], "write")
    simulated.allocator.settle(ticket)
    simulated.allocator.release(FULL, by_address[-1:])
    assert simulated.allocator.compact(10**6) == 64
    simulated.runtime.run_all()
    names = [name for _, name, _ in simulated.runtime.done]
    assert names.index("writes") < names.index("move pages of full")


def test_a_page_that_moves_before_its_writer_was_settled_is_a_race(simulated: Simulated) -> None:
    ids = filled(simulated.allocator, [0, 8])[FULL]
    simulated.forward("main", FULL, ids[:1], "write")
    page = simulated.allocator.translate(FULL, ids)
    simulated.device.move_pages(FULL, page[:1], page[-1:])
    with pytest.raises(Race, match="move pages of full"):
        simulated.runtime.run_all()


def test_a_reader_comes_behind_the_writers_that_it_waits_for(simulated: Simulated) -> None:
    ids = filled(simulated.allocator, [0, 8])[FULL]
    writer = simulated.forward("main", FULL, ids, "write")
    simulated.forward("host", FULL, ids, "read", (writer,))
    simulated.runtime.run_all()
    names = [name for _, name, _ in simulated.runtime.done]
    assert names.index("writes") < names.index("reads")


def test_a_ticket_that_is_begun_again_is_over_when_all_of_it_is(simulated: Simulated) -> None:
    ids = filled(simulated.allocator, [0, 8])[FULL]
    ticket = simulated.forward("main", FULL, ids[:4], "write")
    simulated.allocator.hold(ticket, FULL, ids[4:], "write")
    simulated.device.begin(ticket, "main")
    simulated.device.launch(simulated.use(ticket, FULL, ids[4:], "write"))
    simulated.device.end(ticket)
    names = [name for _, name, _ in simulated.runtime.done]
    while "writes" not in names:
        simulated.runtime.step(0)
        names = [name for _, name, _ in simulated.runtime.done]
    assert not simulated.device.is_over(ticket)
    simulated.runtime.step(0)
    assert simulated.device.over() == (ticket,)
    assert simulated.device.over() == ()


def test_a_transfer_is_over_when_all_its_pieces_have_landed(simulated: Simulated) -> None:
    ids = filled(simulated.allocator, [0, 2])[FULL]
    ticket = simulated.allocator.open("transfer")
    pages = simulated.allocator.hold(ticket, FULL, ids, "write")

    def piece(page: int) -> Piece:
        return Piece(lambda: None, lambda: (simulated.device.page_touch(FULL, page, writes=True),))

    simulated.runtime.run_all()
    assert simulated.device.has_caught_up()
    for page in pages.tolist():
        simulated.device.transfer(Work("receive", (piece(page),), ticket))
    simulated.runtime.step(1)
    assert not simulated.device.is_over(ticket)
    simulated.runtime.step(0)
    assert simulated.device.is_over(ticket)


def test_the_stream_has_caught_up_until_more_is_asked_for(simulated: Simulated) -> None:
    assert not simulated.device.has_caught_up()
    simulated.runtime.run_all()
    assert simulated.device.has_caught_up()
    filled(simulated.allocator, [1, 0])
    assert not simulated.device.has_caught_up()
    assert simulated.runtime.host_waits == 0


def test_what_the_host_reads_of_a_table_is_counted_and_what_it_hands_on_is_not(simulated: Simulated) -> None:
    table = simulated.allocator.page_table(FULL)
    assert table.shape == (simulated.allocator.chain.bands[FULL].limit,)
    part = table[1:3]
    assert simulated.runtime.host_waits == 0
    part.tolist()
    int(table[0])
    table.cpu()
    assert simulated.runtime.host_waits == 3


READS: dict[str, Callable[[torch.Tensor], object]] = {
    "as an array": np.asarray,
    "through a protocol": np.from_dlpack,
    "as its bytes": lambda table: table.untyped_storage(),
    "one by one": lambda table: [int(page) for page in table][:0],
    "in text": lambda table: f"{table[0]}",
    "compared": lambda table: torch.equal(torch.arange(len(table)), table),
    "in a condition": lambda table: bool((table > 2).any()),
    "chosen by a mask": lambda table: table[table > 2],
    "written by a mask": lambda table: table.clone().__setitem__(table > 2, 0),
    "where it is not zero": lambda table: torch.where(table),
    "the distinct ones": torch.unique,
    "a part of it": lambda table: torch.unbind(table)[1].tolist(),
    "two of them": lambda table: torch.cat([table, table]).cpu(),
}


@pytest.mark.parametrize("read", READS)
def test_whatever_tells_the_host_a_number_of_a_table_is_waiting(simulated: Simulated, read: str) -> None:
    table = simulated.allocator.page_table(FULL)
    READS[read](table)
    assert simulated.runtime.host_waits > 0


def test_what_tells_the_host_no_number_of_a_table_is_not_waiting(simulated: Simulated) -> None:
    table = simulated.allocator.page_table(FULL)
    shown = torch.where(table > 2, table, torch.zeros_like(table)).index_select(0, torch.tensor([0]))
    assert (len(table), table.dtype, shown.shape) == (table.numel(), torch.int64, (1,))
    torch.arange(300)[table.clamp(0, 299)].sort()
    assert simulated.runtime.host_waits == 0


def test_ids_that_are_changed_after_the_call_do_not_reach_the_device(simulated: Simulated) -> None:
    ids = filled(simulated.allocator, [0, 3])[FULL]
    pages, alive = simulated.allocator.translate(FULL, ids), ids.tolist()
    ids[:] = 0
    simulated.runtime.run_all()
    assert simulated.allocator.page_table(FULL)[alive].tolist() == pages.tolist()


def test_work_is_over_only_once_it_was_ended() -> None:
    made = Simulated()
    page = filled(made.allocator, [0, 1])[FULL]
    ticket = made.allocator.open("forward", "s")
    made.allocator.hold(ticket, FULL, page, "read")
    for _ in range(2):
        made.device.begin(ticket, "s")
        made.device.launch(made.use(ticket, FULL, page, "read"))
        made.runtime.run_all()
        assert not made.device.is_over(ticket)
        assert made.device.over() == ()
        with pytest.raises(AssertionError, match="all of its work"):
            made.device.wait_for(ticket)
        made.device.end(ticket)
    made.runtime.run_all()
    assert made.device.over() == (ticket,)


def test_a_ticket_that_was_settled_is_never_told_to_be_over() -> None:
    made = Simulated()
    page = filled(made.allocator, [0, 1])[FULL]
    ticket = made.allocator.open("forward", "s")
    made.allocator.hold(ticket, FULL, page, "read")
    made.device.begin(ticket, "s")
    made.device.launch(made.use(ticket, FULL, page, "read"))
    made.device.end(ticket)
    made.allocator.settle(ticket)
    made.runtime.run_all()
    assert made.device.over() == ()
    assert made.device.ends_of(ticket) == ()
