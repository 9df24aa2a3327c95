"""What goes wrong between the device and the host shows: as a race, as a misuse, as pages lost, or in the logits."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from impl.device.arena import ArenaDevice
from impl.device.simulated.accesses import Race
from impl.misuse import Misuse
from impl.plan import COMPACT_ENDS
from impl.recording import RecordedAllocator
from impl.serving.engine.tiny import tiny
from impl.serving.host import cache, files
from impl.serving.host.cache import Write
from impl.serving.host.copies import BACKUP, LOAD, Copies, Pair
from impl.serving.host.pages import HostPages, Place
from impl.serving.host.pins import Pins
from impl.serving.prefix.node import Key
from tests.serving.hosting import Hosted, damage, nothing_is_lost, rounds, say, serve_hosted
from tests.serving.running import TOLERANCE, room_for
from tests.serving.seeded import shows

Patch = pytest.MonkeyPatch


@shows("misuse", "sglang#9821")
def _a_forward_that_does_not_wait_for_its_load(patch: Patch) -> None:
    """The ledger does not let it have the pages."""
    patch.setattr(Copies, "before", lambda self, read, written: ())


@shows("race-free", "sglang#38463")
def _a_stream_that_is_not_told_to_wait(patch: Patch) -> None:
    """The ledger believes that a forward comes behind its load, and the device knows nothing of it."""
    begin = ArenaDevice.begin
    patch.setattr(ArenaDevice, "begin", lambda self, ticket, stream, waits=(): begin(self, ticket, stream))


@shows("misuse", "vllm#45704")
def _a_backup_that_does_not_wait_for_what_it_copies(patch: Patch) -> None:
    """The ledger does not let it have pages that a forward still writes."""
    back_up = Copies.back_up
    patch.setattr(Copies, "back_up", lambda self, pairs, waits, held: back_up(self, pairs, (), held))


@shows("misuse", "mini-sglang#111")
def _a_settled_copy_that_is_completed_too(patch: Patch) -> None:
    """Nobody took note that its ticket had retired."""
    patch.setattr(Copies, "settled", lambda self, tickets: None)


@shows("same-logits", "sglang#37507")
def _a_load_of_only_some_kinds(patch: Patch) -> None:
    """Full attention comes back, and what a window looks back on does not."""
    load = Copies.load
    patch.setattr(Copies, "load", lambda self, pairs: load(self, [pair for pair in pairs if pair.place.band]))


@shows("same-logits", "vllm#52234")
def _pages_known_by_their_own_tokens(patch: Patch) -> None:
    """Another text's page that has the same tokens."""

    def wrong(keys: Sequence[Key]) -> list[bytes]:
        return [np.array(key).tobytes() for key in keys]

    patch.setattr(cache, "digests_of", wrong)


@shows("same-logits", "sglang#37496")
def _a_host_copy_that_outlives_a_rewrite(patch: Patch) -> None:
    """What was once copied from a virtual page stands for whatever that page is now."""
    back_up = Copies.back_up
    seen: set[tuple[int, int]] = set()

    def wrong(self: Copies, pairs: Sequence[Pair], waits: Iterable[int], held: Any) -> None:
        new = [pair for pair in pairs if (pair.place.band, pair.vid) not in seen]
        seen.update((pair.place.band, pair.vid) for pair in new)
        back_up(self, new, waits, held)

    patch.setattr(Copies, "back_up", wrong)


@shows("race-free", "sglang#36731")
def _a_backup_that_does_not_hold_what_it_reads(patch: Patch) -> None:
    """The device's page is handed out again while it is still being copied."""
    _blind(patch, BACKUP, "read")


@shows("race-free", "sglang#28468")
def _a_backup_that_keeps_nothing_of_the_host(patch: Patch) -> None:
    """The host's page is used again before it has landed."""
    _blind(patch, BACKUP, "write")
    _without_references(patch, BACKUP)


@shows("race-free", "sglang#27631")
def _a_load_that_keeps_nothing_of_the_host(patch: Patch) -> None:
    """The host's page is written again while it is still being copied."""
    _blind(patch, LOAD, "read")
    _without_references(patch, LOAD)


@shows("misuse", "LMCache#2772")
def _a_page_that_is_released_twice(patch: Patch) -> None:
    """By those who let go of it, when they do."""
    give_way = HostPages.give_way

    def wrong(self: HostPages, refusal: Any) -> bool:
        before = dict(self._ids)
        done = give_way(self, refusal)
        for place in before.keys() - self._ids.keys():
            self._allocator.release(place.band, [before[place]])
        return done

    patch.setattr(HostPages, "give_way", wrong)


@shows("same-logits", "sglang#27108")
def _a_full_host_that_is_taken_for_a_backup(patch: Patch) -> None:
    """What found no room is known as kept, in a page that is another's."""
    take = HostPages.take

    def wrong(self: HostPages, places: Sequence[Place]) -> dict[Place, int]:
        taken = take(self, places)
        for place in places:
            if place not in taken and (others := [vid for other, vid in self._ids.items() if other[0] == place.band]):
                self._ids[place] = others[0]
                self._allocator.share(place.band, others[:1])
        return taken

    patch.setattr(HostPages, "take", wrong)


@shows("bookkeeping", "sglang#27631")
def _nothing_is_pinned_while_room_is_made(patch: Patch) -> None:
    """What makes room for a load lets go of what is to be loaded."""
    patch.setattr(Pins, "add", lambda self, allocator, band, ids: None)


@shows("same-logits", "class: damaged files")
def _a_checksum_that_is_not_compared(patch: Patch) -> None:
    """Bytes that are whole in number."""
    patch.setattr(files, "_checksum", lambda content: content[:0] + bytes(32))


@shows("held-as-needed", "LMCache#3884")
def _a_copy_that_keeps_its_reference(patch: Patch) -> None:
    """To the host's pages, after it has landed."""
    poll = Copies.poll

    def wrong(self: Copies, agreed: Callable[[int], int]) -> None:
        for copy in self._flying:
            copy.host_pages = tuple([] for _ in copy.host_pages)
        poll(self, agreed)

    patch.setattr(Copies, "poll", wrong)


def _blind(patch: Patch, stream: str, mode: str) -> None:
    """Tickets of a stream hold nothing in one of the modes."""
    open_ticket, hold = RecordedAllocator.open, RecordedAllocator.hold
    blind: set[tuple[RecordedAllocator, int]] = set()

    def noted(self: RecordedAllocator, user: Any, on: str | None = None, waits: Iterable[int] = ()) -> int:
        ticket = open_ticket(self, user, on, waits)
        if on == stream:
            blind.add((self, ticket))
        return ticket

    def wrong(self: RecordedAllocator, ticket: int, band: int, ids: Any, how: Any) -> Any:
        return (
            self.translate(band, ids) if (self, ticket) in blind and how == mode else hold(self, ticket, band, ids, how)
        )

    patch.setattr(RecordedAllocator, "open", noted)
    patch.setattr(RecordedAllocator, "hold", wrong)


def _without_references(patch: Patch, stream: str) -> None:
    """Copies of a stream give back their references to the host's pages at once."""
    begin = Copies._begin

    def wrong(self: Copies, on: str, pairs: Sequence[Pair], waits: Iterable[int], held: Any) -> None:
        begin(self, on, pairs, waits, held)
        if on == stream:
            copy = self._flying[-1]
            for band, ids in enumerate(copy.host_pages):
                self._host.release(band, ids)
            copy.host_pages = tuple([] for _ in copy.host_pages)

    patch.setattr(Copies, "_begin", wrong)


@dataclass(frozen=True)
class Scene:
    """What is served.

    Attributes:
        write: when pages go to the host.
        host: tokens of every kind for which the host has room.
        device: tokens of every kind for which the device has room.
        texts: each asked for so many `times`.
        times: how often.
        restarts: engines after the first, which find only files.
        damage: whether each finds a bit turned in each file.
    """

    write: Write
    host: int
    device: int = 32
    texts: int = 3
    times: int = 2
    restarts: int = 0
    damage: bool = False


ROOMY = Scene("through", 300)
BACK = Scene("back", 300)
TIGHT = Scene("back", 12, device=24, times=3)
DAMAGED = Scene("through", 300, texts=2, times=1, restarts=1, damage=True)
SMALLER_THAN_THE_DEVICE = Scene("through", 12, device=48)
SPILLING = Scene("back", 8, device=24, restarts=1)


@dataclass(frozen=True)
class Fault:
    """What is done, where it can matter, and what shows it."""

    seed: Callable[[Patch], None]
    scene: Scene
    shown_by: str


FAULTS = [
    Fault(_a_forward_that_does_not_wait_for_its_load, ROOMY, "misuse"),
    Fault(_a_stream_that_is_not_told_to_wait, ROOMY, "race"),
    Fault(_a_backup_that_does_not_wait_for_what_it_copies, ROOMY, "misuse"),
    Fault(_a_settled_copy_that_is_completed_too, BACK, "misuse"),
    Fault(_a_load_of_only_some_kinds, ROOMY, "logits"),
    Fault(_pages_known_by_their_own_tokens, ROOMY, "logits"),
    Fault(_a_host_copy_that_outlives_a_rewrite, ROOMY, "logits"),
    Fault(_a_backup_that_does_not_hold_what_it_reads, BACK, "race"),
    Fault(_a_backup_that_keeps_nothing_of_the_host, TIGHT, "race"),
    Fault(_a_load_that_keeps_nothing_of_the_host, TIGHT, "race"),
    Fault(_a_page_that_is_released_twice, TIGHT, "misuse"),
    Fault(_a_full_host_that_is_taken_for_a_backup, TIGHT, "logits"),
    Fault(_nothing_is_pinned_while_room_is_made, TIGHT, "assertion"),
    Fault(_a_checksum_that_is_not_compared, DAMAGED, "logits"),
    Fault(_a_copy_that_keeps_its_reference, ROOMY, "assertion"),
]


def _serve(scene: Scene, folder: Path) -> Hosted:
    """The last engine that served."""
    layout = tiny("gpt-oss-20b")
    kept = folder if scene.restarts else None
    asked = rounds(1, scene.texts, scene.times)
    for _ in range(scene.restarts + 1):
        hosted = serve_hosted(
            layout, room_for(layout, scene.device), room_for(layout, scene.host), write=scene.write, folder=kept
        )
        assert say(hosted, asked, seed=0) < TOLERANCE, "logits"
        nothing_is_lost(hosted)
        if scene.damage and kept:
            assert damage(kept)
    return hosted


def _shown_by(scene: Scene, folder: Path) -> str:
    """What shows that something is wrong, if anything does."""
    try:
        _serve(scene, folder)
    except Race:
        return "race"
    except Misuse:
        return "misuse"
    except AssertionError as error:
        return "logits" if "logits" in str(error) else "assertion"
    return ""


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.seed.__name__.strip("_"))
def test_a_fault_of_the_host_tier_shows(fault: Fault, monkeypatch: Patch, tmp_path: Path) -> None:
    fault.seed(monkeypatch)
    assert _shown_by(fault.scene, tmp_path) == fault.shown_by


@pytest.mark.parametrize("scene", [ROOMY, BACK, SMALLER_THAN_THE_DEVICE, DAMAGED, SPILLING])
def test_nothing_shows_where_the_host_tier_has_no_fault(scene: Scene, tmp_path: Path) -> None:
    assert not _shown_by(scene, tmp_path)


def test_nothing_shows_where_pages_of_the_host_give_way_and_move(tmp_path: Path) -> None:
    statistics = _serve(TIGHT, tmp_path).host.statistics()
    assert statistics.refusals["evict"] > 0
    assert statistics.steps[COMPACT_ENDS] > 0
