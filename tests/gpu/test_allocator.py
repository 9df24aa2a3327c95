"""What runs on a GPU, followed on the CPU: it holds for the allocator, and sees what is broken."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest
import torch

from events.records import User
from fuzz.faults.fault import replaced
from fuzz.setups import setup_of
from fuzz.violation import Violation
from fuzz.watch import FROM_OUTSIDE
from gpu_tests.allocator.graphs import replay_while_pages_move
from gpu_tests.allocator.machine import drive
from gpu_tests.allocator.stage import StreamStage
from gpu_tests.allocator.target import StreamTarget
from impl.device.arena import ArenaDevice
from impl.device.runtime import Touch
from impl.device.views import page_view
from impl.numbers import Int64
from tests.gpu.at_once import HERE

SETUPS = [setup_of(name) for name in ("toy-state-full", "toy-three", "toy-four")]


def test_the_driver_holds_and_does_everything() -> None:
    run = drive(HERE, SETUPS, 1, 4_000)
    assert run.violation is None
    assert run.missing == ()
    assert run.holds
    assert run.calls >= 4_000


def test_models_are_driven_too() -> None:
    run = drive(HERE, [setup_of("qwen3.5-4b"), setup_of("gpt-oss-20b")], 1, 300)
    assert run.violation is None
    assert run.calls >= 300


def test_a_run_that_did_too_little_does_not_hold() -> None:
    run = drive(HERE, SETUPS, 1, 1)
    assert run.violation is None
    assert run.missing
    assert not run.holds


def _move_half(self: ArenaDevice[object], band: int, sources: Int64, targets: Int64) -> None:
    half = self.chain.bands[band].page_bytes // 2
    pages = page_view(self.arena, self.chain.bands[band])[:, :half]
    pages[torch.from_numpy(targets)] = pages[torch.from_numpy(sources)]


def _spilling(update: Callable[..., None]) -> Callable[..., None]:
    def patched(self: ArenaDevice[object], *arguments: object) -> None:
        update(self, *arguments)
        self.arena[self.chain.base - 1] ^= 1

    return patched


def _wait(*_: object) -> None:
    # what torch says where the host may not wait
    raise RuntimeError("called a synchronizing CUDA operation")


FAULTS: dict[str, tuple[Callable[[], AbstractContextManager[None]], str]] = {
    "pages are not moved": (lambda: replaced(ArenaDevice, "move_pages", lambda _: lambda *_: None), "no-foreign-bytes"),
    "the page table is not updated": (
        lambda: replaced(ArenaDevice, "update_table", lambda _: lambda *_: None),
        "content",
    ),
    "only half of a page is moved": (lambda: replaced(ArenaDevice, "move_pages", lambda _: _move_half), "no-foreign"),
    "the sink is written": (lambda: replaced(ArenaDevice, "update_table", _spilling), "inside-arena"),
    "the host waits": (lambda: replaced(ArenaDevice, "move_pages", lambda _: _wait), "no-host-sync"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_is_broken_is_seen(name: str) -> None:
    broken, named = FAULTS[name]
    with broken():
        run = drive(HERE, SETUPS, 1, 4_000)
    assert run.violation is not None
    assert f": {named}" in run.violation
    assert not run.holds


@pytest.mark.parametrize("user", ["forward", "copy", "transfer"])
@pytest.mark.parametrize("place", ["first", "last"])
def test_a_reader_that_finds_something_else_says_so(user: User, place: str) -> None:
    stage = StreamStage(StreamTarget(HERE), setup_of("toy-three"), FROM_OUTSIDE)
    given = stage.allocate((0, 1, 0))
    assert isinstance(given, list)
    (vid,) = given[1]
    writer = stage.open("forward", "compute")
    assert writer is not None
    assert stage.hold(writer, 1, [vid], "write")
    stage.issue(writer, 1, [vid])
    assert stage.complete(writer)
    assert stage.drain()
    touch = stage.device.page_touch(1, stage.state.page_of[1, vid], writes=True)
    stage.device.arena[touch.begin if place == "first" else _last(stage, touch)] ^= 1
    reader = stage.open(user, None if user == "transfer" else "other", () if user == "transfer" else (writer,))
    assert reader is not None
    assert stage.hold(reader, 1, [vid], "read")
    with pytest.raises(Violation, match=f"no-foreign-bytes: ticket {reader} reads id {vid}"):
        stage.complete(reader)


def _last(stage: StreamStage, touch: Touch) -> int:
    """The last byte of a page that belongs to a row."""
    kind = stage.device.chain.bands[1].kind
    return touch.end - kind.entry_bytes + max(row.offset + row.nbytes for row in kind.rows) - 1


def test_a_graph_reads_the_same_pages_while_they_move() -> None:
    replays = replay_while_pages_move(HERE)
    assert replays.holds
    assert replays.replays > 3
    assert replays.moved >= 60


@pytest.mark.parametrize("name", ["move_pages", "update_table"])
def test_a_graph_that_reads_others_is_seen(name: str) -> None:
    def late(original: Callable[..., None]) -> Callable[..., None]:
        seen: list[int] = []

        def patched(self: ArenaDevice[object], *arguments: object) -> None:
            seen.append(1)
            if name == "move_pages" or len(seen) > 3:
                return
            original(self, *arguments)

        return patched

    with replaced(ArenaDevice, name, late):
        replays = replay_while_pages_move(HERE)
    assert replays.moved > 0
    assert replays.wrong > 0
    assert not replays.holds
