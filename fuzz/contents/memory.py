"""The arena's bytes as a driver writes them and reads them back."""

import numpy as np
import numpy.typing as npt

from fuzz.contents.patterns import Patterns
from fuzz.targets.protocol import Built

WHOLE = slice(None)

SINK = 0x2B
"""What the sink is filled with: a finite number in every dtype."""


class Memory:
    """Writes go through the allocator's typed views, row by row; reads go by a law of their own.

    That law is: page p of a band is bytes `origin + p * page_bytes` and up. So a view with a wrong stride, offset or
    dtype shows, which a round trip through one and the same view would hide.
    """

    def __init__(self, built: Built) -> None:
        self._built = built
        self._bands = built.allocator.chain.bands
        self._grids = [(band.origin, band.page_bytes) for band in self._bands]
        self._patterns = [Patterns(band, built.allocator.view) for band in self._bands]
        self._take_arena()

    def _take_arena(self) -> None:
        self._arena = self._built.arena
        # the same memory, from which a few bytes are taken in half the time
        self._bytes = self._arena.data
        base = self._built.allocator.chain.base
        self._arena[:base] = SINK
        self._sink, self._untouched = self._bytes[:base], bytes([SINK]) * base

    def renew(self) -> bool:
        """Use the bytes and the views that there are now; whether the sink came as zeros."""
        is_clean = not self._built.arena[: self._built.allocator.chain.base].any()
        self._take_arena()
        for patterns in self._patterns:
            patterns.take_views(self._built.allocator.view)
        return is_clean

    def write(self, band: int, page: int, value: int) -> None:
        """A value reaches a physical page."""
        self._patterns[band].write(page, value)

    def shows(self, band: int, page: int, value: int) -> bool:
        """Whether a physical page holds exactly this value."""
        patterns, (origin, size) = self._patterns[band], self._grids[band]
        begin = origin + page * size
        found = self._bytes[begin : begin + size]
        if patterns.padded:
            return (np.frombuffer(found, np.uint64) & patterns.care).tobytes() == patterns.image(value)
        return found.tobytes() == patterns.image(value)

    def first_wrong_byte(self, band: int, page: int, value: int) -> int:
        """The first byte of the arena in which a page differs from a value that it does not show."""
        geometry, patterns = self._bands[band], self._patterns[band]
        begin = geometry.origin + page * geometry.page_bytes
        found = self._arena[begin : begin + geometry.page_bytes] & patterns.care.view(np.uint8)
        return begin + int((found != np.frombuffer(patterns.image(value), np.uint8)).argmax())

    def write_part(self, band: int, page: int, value: int, part: slice) -> None:
        """Some bytes of a value reach a physical page, as a copy or a transfer of bytes brings them.

        `part` counts from the page's first byte and begins and ends at multiples of 8.
        """
        self._page(band, page)[part] = np.frombuffer(self._patterns[band].image(value), np.uint8)[part]

    def wrong_byte(self, band: int, page: int, value: int, part: slice = WHOLE) -> int | None:
        """The first byte of the arena in which some bytes of a page differ from a value's; None if they show it."""
        found, patterns = self._page(band, page), self._patterns[band]
        wanted = np.frombuffer(patterns.image(value), np.uint8)
        wrong = (found & patterns.care.view(np.uint8))[part] != wanted[part]
        if not wrong.any():
            return None
        geometry = self._bands[band]
        return geometry.origin + page * geometry.page_bytes + (part.start or 0) + int(wrong.argmax())

    def looks_like(self, band: int, page: int, byte: int, value: int) -> bool:
        """Whether the eight bytes around a byte of the arena, in a page, are those of a value."""
        geometry, patterns = self._bands[band], self._patterns[band]
        begin = (byte - geometry.origin - page * geometry.page_bytes) // 8 * 8
        found = (self._page(band, page) & patterns.care.view(np.uint8))[begin : begin + 8]
        return found.tobytes() == patterns.image(value)[begin : begin + 8]

    def _page(self, band: int, page: int) -> npt.NDArray[np.uint8]:
        geometry = self._bands[band]
        begin = geometry.origin + page * geometry.page_bytes
        return self._arena[begin : begin + geometry.page_bytes]

    def sink_is_untouched(self) -> bool:
        """Whether nobody wrote below the arena's first page."""
        return self._sink.tobytes() == self._untouched
