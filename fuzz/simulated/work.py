"""What tickets do on a simulated device: forwards find pages through the page table, copies and transfers know them."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from fuzz.contents.memory import WHOLE, Memory
from fuzz.targets.simulated import SimulatedDevice
from impl.device.runtime import Piece, Touch, Work

SORTS: Final = ("forward reads", "forward writes", "copy out", "copy in", "transfer out", "transfer in")
"""What work there is, by name."""


class Use(NamedTuple):
    """A ticket's use of one page.

    Attributes:
        vid: the virtual page.
        page: the physical page that the ticket was given for it.
        finds: the value that it must find there; None where nothing is read.
        leaves: the value that it writes; None where it only reads.
    """

    vid: int
    page: int
    finds: int | None
    leaves: int | None


@dataclass(frozen=True)
class Works:
    """Makes the work of tickets.

    Attributes:
        device: on which it is done.
        memory: the bytes.
        tables: of each band the page table, as the device has it at the moment.
        landed: told the ticket, the band, the page and the value when all of a write has arrived.
        misread: told the ticket, the band, the use and the first wrong byte when a reader does not find its value.
        misled: told the ticket, the band, the use and the page that was found when the page table is wrong.
    """

    device: SimulatedDevice
    memory: Memory
    tables: Sequence[npt.NDArray[np.int64]]
    landed: Callable[[int, int, int, int], None]
    misread: Callable[[int, int, Use, int], None]
    misled: Callable[[int, int, Use, int], None]

    def kernel(self, ticket: int, band: int, uses: Sequence[Use]) -> Work:
        """One kernel of a forward, which translates ids when it runs, reads, and writes through the typed views."""
        device, memory, table = self.device, self.memory, self.tables[band]

        def touches() -> Iterator[Touch]:
            for use in uses:
                yield device.entry_touch(band, use.vid, writes=False)
            # the entries are read only once they are known to be nobody else's at the time
            for use in uses:
                yield device.page_touch(band, int(table[use.vid]), writes=use.leaves is not None)

        def run() -> None:
            for use in uses:
                found = int(table[use.vid])
                if found != use.page:
                    self.misled(ticket, band, use, found)
                self._read(ticket, band, use, WHOLE)
                if use.leaves is not None:
                    memory.write(band, use.page, use.leaves)
                    self.landed(ticket, band, use.page, use.leaves)

        return Work(f"forward {'writes' if uses[0].leaves is not None else 'reads'}", (Piece(run, touches),), ticket)

    def copy(self, name: str, ticket: int, band: int, uses: Iterable[Use]) -> Work:
        """A copy or transfer of bytes, page by page and each in two pieces."""
        return Work(name, tuple(piece for use in uses for piece in self._halves(ticket, band, use)), ticket)

    def _halves(self, ticket: int, band: int, use: Use) -> list[Piece]:
        half = self.device.chain.bands[band].page_bytes // 2
        left = [2]

        def piece(part: slice) -> Piece:
            def touches() -> tuple[Touch]:
                whole = self.device.page_touch(band, use.page, writes=use.leaves is not None)
                return (whole._replace(begin=whole.begin + part.start, end=whole.begin + part.stop),)

            def run() -> None:
                self._read(ticket, band, use, part)
                if use.leaves is None:
                    return
                self.memory.write_part(band, use.page, use.leaves, part)
                left[0] -= 1
                if not left[0]:
                    self.landed(ticket, band, use.page, use.leaves)

            return Piece(run, touches)

        return [piece(slice(0, half)), piece(slice(half, 2 * half))]

    def _read(self, ticket: int, band: int, use: Use, part: slice) -> None:
        if use.finds is None:
            return
        wrong = self.memory.wrong_byte(band, use.page, use.finds, part)
        if wrong is not None:
            self.misread(ticket, band, use, wrong)
