"""Long random runs: every step watched, every page's bytes read back, everything given back at the end."""

from random import Random

import numpy as np
import pytest
import torch

from events.records import AnyRecord
from impl.allocator import Allocator
from impl.recording import RecordedAllocator
from tests.impl import soak
from tests.impl.replay import Replay
from tests.impl.toys import Driver, random_layout

CALLS = 250


class WritingDriver(Driver):
    """Writes a number of its own into every page it is given, and expects to read it there for ever after."""

    def __init__(self, allocator: RecordedAllocator, rnd: Random) -> None:
        super().__init__(allocator, rnd)
        self.shadow: list[dict[int, float]] = [{} for _ in self.bands]
        self.take_views()
        self.next_value = 1.0

    def take_views(self) -> None:
        self.views = [self.allocator.view(band.kind.rows[0]) for band in self.allocator.chain.bands]

    def renew_memory(self) -> None:
        super().renew_memory()
        self.take_views()

    def step(self) -> str:
        name = super().step()
        for band in self.bands:
            for gone in self.shadow[band].keys() - self.references[band].keys():
                del self.shadow[band][gone]
            for new in self.references[band].keys() - self.shadow[band].keys():
                self.next_value += 1
                self.shadow[band][new] = self.next_value
                self.views[band][self.allocator.translate(band, [new])] = self.next_value
            self.read_back(band)
        return name

    def read_back(self, band: int) -> None:
        """Through the device's page table, and the first and the last element of each page."""
        ids = torch.tensor(list(self.shadow[band]), dtype=torch.int64)
        if len(ids):
            rows = self.views[band][self.allocator.page_table(band)[ids]]
            expected = torch.tensor(list(self.shadow[band].values()))
            assert torch.equal(rows[:, 0], expected)
            assert torch.equal(rows[:, -1], expected)


def arena_bytes(rnd: Random, sizes: list[int]) -> int:
    return 256 + 3 * max(sizes) + sum(rnd.randint(2, 12) * size for size in sizes)


@pytest.mark.parametrize("seed", range(20))
def test_contents_stay_and_every_step_is_legal(seed: int) -> None:
    rnd = Random(seed)
    layout = random_layout(rnd, 2 + seed % 4)
    sizes = [kind.page_bytes for kind in layout.kinds]
    allocator = Allocator(layout, arena_bytes(rnd, sizes))
    recorded = RecordedAllocator(allocator, Replay())
    driver = WritingDriver(recorded, rnd)
    for number in range(CALLS):
        driver.step()
        allocator.check()
        if number % 5 == 0:
            recorded.write_snapshot()
    driver.finish()
    allocator.check()
    statistics = allocator.statistics()
    assert all(kind.span == kind.live == kind.withheld == 0 for kind in statistics.kinds)
    assert all(kind.allocated == kind.freed for kind in statistics.kinds)
    assert statistics.outstanding == statistics.publishers == 0
    assert statistics.gap_bytes == allocator.chain.capacity - allocator.chain.base
    assert not any(band.queued_read or band.queued_write for band in allocator.snapshot().bands)


@pytest.mark.parametrize("seed", range(4))
def test_the_same_calls_give_the_same_ids_and_layout_recorded_or_not(seed: int) -> None:
    layout = random_layout(Random(seed), 2 + seed)
    sizes = [kind.page_bytes for kind in layout.kinds]
    arena = arena_bytes(Random(seed), sizes)
    plain, first, second = (Allocator(layout, arena) for _ in range(3))
    traces: list[list[AnyRecord]] = [[], []]
    drivers = [
        Driver(plain, Random(seed)),
        Driver(RecordedAllocator(first, traces[0].append), Random(seed)),
        Driver(RecordedAllocator(second, traces[1].append), Random(seed)),
    ]
    for _ in range(CALLS):
        assert len({driver.step() for driver in drivers}) == 1
        assert drivers[0].references == drivers[1].references
    assert traces[0] == traces[1]
    assert plain.snapshot() == first.snapshot()
    for band in range(2 + seed):
        assert np.array_equal(plain.page_table(band), first.page_table(band))


# ------------------------------------------------------------------------------------------------------- a long soak


def test_a_short_soak_leaves_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(soak, "TURN", 100)
    assert soak.main(["--calls", "6000", "--seed", "1"]) == 0
    printed = capsys.readouterr()
    assert "calls judged" in printed.err
    assert "nothing is left" in printed.out
    assert int(printed.out.split()[0].replace(",", "")) >= 6000


def test_memory_that_grows_ends_a_soak(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[bytes] = []

    def leaking(self: soak.RandomCourse) -> None:
        kept.append(b"x" * (8 << 20))
        self.calls += 100

    monkeypatch.setattr(soak, "TURN", 1)
    monkeypatch.setattr(soak.RandomCourse, "turn", leaking)
    with pytest.raises(AssertionError, match="memory grows"):
        soak.soak(10_000)


def test_what_is_left_in_the_end_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak, "TURN", 100)
    monkeypatch.setattr(Driver, "finish", lambda _: None)
    with pytest.raises(AssertionError):
        soak.soak(2000)
