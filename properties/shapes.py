"""How small a small arena is."""

from collections.abc import Mapping
from dataclasses import dataclass

from spec.concrete import Domains
from spec.device.state import OVER, UNISSUED
from spec.state import COMPLETED, FREE, NONE, OUTSTANDING, SETTLED, WITHHELD, WRITE

GARBAGE = 0
"""The value that nobody wrote; the others are 1, 2, ..."""


@dataclass(frozen=True)
class Shape:
    """How many there are of each sort; `sizes` are the page bytes of the bands, in chain order.

    Spans lie within pages 0 to `pages`; one page more on either side is looked at, since an action may reach it.
    """

    pages: int
    vids: int
    tickets: int
    sizes: tuple[int, ...] = (2, 3, 1)
    publishers: int = 2
    values: int = 3
    accesses: int = 0

    @property
    def members(self) -> Mapping[str, range]:
        """The members of each sort that is quantified or asked for."""
        return {
            "band": range(len(self.sizes)),
            "page": range(-1, self.pages + 1),
            "vid": range(self.vids),
            "ticket": range(self.tickets),
            "publisher": range(self.publishers),
            "value": range(self.values),
            "mode": range(NONE, WRITE + 1),
            "access": range(self.accesses),
        }

    @property
    def values_of(self) -> Mapping[str, range]:
        """The values that an entry of a field can have.

        One status means nothing and one count is below none: that there is neither is for invariants to say.
        """
        return {
            **self.members,
            "page": range(self.pages + 1),
            "status": range(FREE, WITHHELD + 2),
            "ending": range(min(OUTSTANDING, COMPLETED, SETTLED), max(OUTSTANDING, COMPLETED, SETTLED) + 1),
            "count": range(-1, 4),
            "phase": range(UNISSUED, OVER + 1),
        }

    @property
    def domains(self) -> Domains:
        """The sorts as the search quantifies over them."""
        return Domains(self.members)

    @property
    def wide_domains(self) -> Domains:
        """The sorts as they are judged again: a little wider, so that nothing is true only for want of members."""
        members = {sort: range(among.start, among.stop + 1) for sort, among in self.members.items()}
        return Domains({**members, "band": self.members["band"], "page": range(-2, self.pages + 3)})


LADDER = (Shape(pages=2, vids=3, tickets=2), Shape(pages=4, vids=4, tickets=3))
"""The shapes that are searched for arenas, in turn: nearly everything shows in the first."""

DEVICE_LADDER = (
    Shape(pages=2, vids=2, tickets=2, accesses=3, publishers=1, sizes=(2, 1)),
    Shape(pages=2, vids=2, tickets=2, accesses=5, publishers=1, sizes=(2, 1)),
)
"""The shapes that are searched for arenas with a device."""
