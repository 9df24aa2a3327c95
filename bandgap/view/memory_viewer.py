"""The trace for PyTorch's memory viewer (pytorch.org/memory_viz): a snapshot like those of `torch.cuda.memory`.

The arena is one segment, and each page in use a block of it: withheld pages are pending frees. What happened is in the
history of the device, of which the last entries are kept, as torch keeps them.
"""

import pickle
from collections import deque
from typing import Any, BinaryIO

from bandgap.view.watching import Look, Place, Seen, Sink
from events.records import Header

MOST_ENTRIES = 200_000
"""Entries of the history; the viewer draws no more in a bearable time."""

BEGINS = 0x7F00_0000_0000
"""Where byte 0 of the arena is said to lie: the viewer takes a block at address 0 for none."""

STATES = {Look.LIVE: "active_allocated", Look.HELD: "active_allocated", Look.WITHHELD: "active_pending_free"}


class MemoryViewer(Sink):
    """Keeps what the snapshot needs."""

    def __init__(self) -> None:
        self._header: Header | None = None
        self._history: deque[dict[str, Any]] = deque(maxlen=MOST_ENTRIES)
        self._pages: dict[Place, tuple[int, Seen]] = {}
        self.entries = 0
        """How many there were, kept or not."""

    @property
    def left_out(self) -> int:
        """Entries of the history that are not kept, the oldest."""
        return self.entries - len(self._history)

    def begin(self, line: int, header: Header) -> None:
        """See `Sink.begin`."""
        self._header = header
        size = header.capacity - header.base
        self._note("segment_alloc", BEGINS + header.base, size, line, "the arena", "")

    def page(self, line: int, place: Place, was: Seen | None, now: Seen | None) -> None:
        """See `Sink.page`."""
        if _in_use(was) and not _in_use(now):
            self._note_page("free_requested", line, place, was)
        if was is not None and now is None:
            self._note_page("free_completed", line, place, was)
        if _in_use(now) and not _in_use(was):
            self._note_page("alloc", line, place, now)
        if now is None:
            self._pages.pop(place, None)
        else:
            self._pages[place] = line, now

    def write(self, file: BinaryIO) -> None:
        """Write the snapshot."""
        pickle.dump(self._snapshot(), file, protocol=4)

    def _snapshot(self) -> dict[str, Any]:
        header = self._header
        if header is None:
            return {"segments": [], "device_traces": [[]]}
        blocks = list(self._blocks(header))
        active = sum(block["size"] for block in blocks if block["state"] == "active_allocated")
        pending = sum(block["size"] for block in blocks if block["state"] == "active_pending_free")
        segment = {
            "device": 0,
            "address": BEGINS + header.base,
            "total_size": header.capacity - header.base,
            "allocated_size": active,
            "active_size": active + pending,
            "requested_size": active,
            "stream": 0,
            "segment_type": "large",
            "segment_pool_id": (0, 0),
            "is_expandable": False,
            "frames": [],
            "blocks": blocks,
        }
        return {"segments": [segment], "device_traces": [list(self._history)], "external_annotations": []}

    def _blocks(self, header: Header) -> Any:
        at = header.base
        used = sorted((self._address(place), place) for place in self._pages)
        for address, place in used:
            if address > at:
                yield _block(at, address - at, "inactive", [])
            line, seen = self._pages[place]
            size = header.bands[place[0]].page_bytes
            yield _block(address, size, STATES[seen.look], self._frames(line, place, seen))
            at = address + size
        if at < header.capacity:
            yield _block(at, header.capacity - at, "inactive", [])

    def _address(self, place: Place) -> int:
        assert self._header is not None  # there are pages
        band = self._header.bands[place[0]]
        return band.origin + place[1] * band.page_bytes

    def _frames(self, line: int, place: Place, seen: Seen | None) -> list[dict[str, Any]]:
        band = self._header.bands[place[0]].name if self._header else ""
        name = f"page {place[1]}" + (f" as id {seen.id}" if seen is not None and seen.id >= 0 else "")
        return [{"name": name, "filename": band, "line": line}]

    def _note_page(self, action: str, line: int, place: Place, seen: Seen | None) -> None:
        assert self._header is not None  # there are pages
        band = self._header.bands[place[0]]
        frame = self._frames(line, place, seen)[0]
        self._note(action, BEGINS + self._address(place), band.page_bytes, line, frame["name"], band.name)

    def _note(self, action: str, address: int, size: int, line: int, name: str, file: str) -> None:
        self.entries += 1
        frames = [{"name": name, "filename": file, "line": line}]
        self._history.append(
            {"action": action, "addr": address, "size": size, "stream": 0, "time_us": line, "frames": frames}
        )


def _in_use(seen: Seen | None) -> bool:
    return seen is not None and seen.look != Look.WITHHELD


def _block(address: int, size: int, state: str, frames: list[dict[str, Any]]) -> dict[str, Any]:
    return {"address": BEGINS + address, "size": size, "requested_size": size, "state": state, "frames": frames}
