"""What tickets do on real streams: kernels that read and write through the page table, copies, and transfers.

The host does not wait for any of it. What a reader found is kept on the device, and looked at once the ticket is seen
to be over.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt
import torch

from fuzz.contents.patterns import Patterns
from fuzz.simulated.work import Use
from gpu_tests.allocator.place import Place, end_of_copy
from gpu_tests.allocator.target import StreamDevice
from impl.device.cuda import TransferEnd
from impl.device.runtime import Piece, Touch, Work
from impl.device.views import page_view
from impl.kernels.translation import translate

NO_PAGE: Final = -1
"""What a kernel reports that looked up no page."""

Look = Callable[[], None]


@dataclass
class StreamWorks:
    """Makes the work of tickets.

    Attributes:
        device: on which it is done.
        place: where that is.
        patterns: of each band, what values look like, and the typed views to write them through.
        landed: told the ticket, the band, the page and the value once a write is seen to have arrived.
        misread: told the ticket, the band, the use and the first wrong byte of the arena.
        misled: told the ticket, the band, the use and the page that was found in the page table.
    """

    device: StreamDevice
    place: Place
    patterns: Sequence[Patterns]
    landed: Callable[[int, int, int, int], None]
    misread: Callable[[int, int, Use, int], None]
    misled: Callable[[int, int, Use, int], None]
    _looks: dict[int, list[Look]] = field(default_factory=dict)

    def observe(self, ticket: int | None) -> None:
        """Look at what a ticket found, or all tickets did: it is over."""
        for number in list(self._looks) if ticket is None else [ticket]:
            for look in self._looks.pop(number, []):
                look()

    def kernel(self, ticket: int, band: int, uses: Sequence[Use]) -> Work:
        """Kernels of a forward, which translate ids on the device, read, and write through the typed views."""

        def run() -> None:
            for use in uses:
                self._compute(ticket, band, use)

        name = f"forward {'writes' if uses[0].leaves is not None else 'reads'}"
        return Work(name, (Piece(run, _no_touches),), ticket)

    def _compute(self, ticket: int, band: int, use: Use) -> None:
        geometry, patterns = self.device.chain.bands[band], self.patterns[band]
        tokens = geometry.page_tokens
        asked = torch.arange(use.vid * tokens, (use.vid + 1) * tokens, device=self.place.device)
        entries = translate(asked, self.device.table(band), tokens)
        page = entries[:1] // tokens
        report = torch.full((3,), NO_PAGE, dtype=torch.int64, device=self.place.device)
        report[:1].copy_(page)
        if use.finds is not None:
            shown = page_view(self.device.arena, geometry).index_select(0, page)[0]
            care = self._sent(patterns.care.view(np.uint8))
            differs = (shown & care) != self._sent(_image(patterns, use.finds))
            report[1:2].copy_(differs.sum())
            report[2:3].copy_(differs.to(torch.uint8).argmax())
        if use.leaves is not None:
            image = self._sent(_image(patterns, use.leaves)).view(tokens, geometry.kind.entry_bytes)
            for row in geometry.kind.rows:
                view = self.device.view(band, row).view(torch.uint8)
                view.index_copy_(
                    0, entries, image[:, row.offset : row.offset + row.nbytes].reshape(-1, *view.shape[1:])
                )
        self._when_over(ticket, lambda: self._looked_at(ticket, band, use, report))

    def _looked_at(self, ticket: int, band: int, use: Use, report: torch.Tensor) -> None:
        page, wrong, first = report.tolist()
        if page != use.page:
            self.misled(ticket, band, use, page)
        if use.finds is not None and wrong:
            self.misread(ticket, band, use, self._address(band, use.page) + first)
        if use.leaves is not None:
            self.landed(ticket, band, use.page, use.leaves)

    def copy(self, name: str, ticket: int, band: int, uses: Iterable[Use]) -> Work:
        """A copy between the device and the host, page by page and each in two pieces."""
        pieces = tuple(piece for use in uses for piece in self._halves(ticket, band, use))
        if not name.startswith("transfer"):
            return Work(name, pieces, ticket)
        ends: list[TransferEnd] = []
        wired = tuple(Piece(self._on_wire(piece.run, ends), _no_touches) for piece in pieces)
        return Work(name, wired, ticket, is_over=lambda: all(end.query() for end in ends))

    def _on_wire(self, run: Callable[[], object], ends: list[TransferEnd]) -> Callable[[], None]:
        # a stream of its own that waits for nothing, as a network card does
        wire = torch.Stream(self.place.device) if self.place.device.type == "cuda" else None

        def wired() -> None:
            if wire is None:
                run()
                return
            with wire:
                run()
                ends.append(end_of_copy(self.place.device))

        return wired

    def _halves(self, ticket: int, band: int, use: Use) -> list[Piece]:
        geometry, patterns = self.device.chain.bands[band], self.patterns[band]
        half, left = geometry.page_bytes // 2, [2]

        def piece(part: slice) -> Piece:
            def run() -> None:
                there = page_view(self.device.arena, geometry)[use.page][part]
                here = self._staged(half)
                if use.leaves is not None:
                    here.copy_(torch.from_numpy(_image(patterns, use.leaves)[part].copy()))
                    there.copy_(here, non_blocking=True)
                else:
                    here.copy_(there, non_blocking=True)
                self._when_over(ticket, lambda: over(here))

            def over(here: torch.Tensor) -> None:
                if use.leaves is not None:
                    left[0] -= 1
                    if not left[0]:
                        self.landed(ticket, band, use.page, use.leaves)
                    return
                if use.finds is None:
                    return
                care = patterns.care.view(np.uint8)[part]
                wrong = (here.numpy() & care) != _image(patterns, use.finds)[part]
                if wrong.any():
                    self.misread(ticket, band, use, self._address(band, use.page) + part.start + int(wrong.argmax()))

            return Piece(run, _no_touches)

        return [piece(slice(0, half)), piece(slice(half, 2 * half))]

    def _when_over(self, ticket: int, look: Look) -> None:
        self._looks.setdefault(ticket, []).append(look)

    def _address(self, band: int, page: int) -> int:
        geometry = self.device.chain.bands[band]
        return geometry.origin + page * geometry.page_bytes

    def _staged(self, count: int) -> torch.Tensor:
        return torch.empty(count, dtype=torch.uint8, pin_memory=self.place.pinned)

    def _sent(self, numbers: npt.NDArray[np.uint8]) -> torch.Tensor:
        """Bytes of the host's on the device, behind the stream on which work is being put."""
        staged = self._staged(numbers.size)
        staged.copy_(torch.from_numpy(numbers.copy()))
        return staged.to(self.place.device, non_blocking=True)


def _image(patterns: Patterns, value: int) -> npt.NDArray[np.uint8]:
    return np.frombuffer(patterns.image(value), np.uint8)


def _no_touches() -> Iterator[Touch]:
    """A device does not ask which bytes are touched."""
    return iter(())
