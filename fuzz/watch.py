"""How closely a run is watched."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Watch:
    """Every record is judged, and what was written, moved or handed out is read back; the rest is said here.

    Attributes:
        tables_every: calls from one comparison of all tables with the judge's state to the next; 0 for never.
        contents_every: calls from one reading of all contents to the next, apart from what moved or settled and is
            read at once; 0 for not before the end.
    """

    tables_every: int = 1
    contents_every: int = 1


CLOSELY: Final = Watch()
"""After every call everything is looked at."""

IN_TURN: Final = Watch(tables_every=7)
"""What a caller can see is looked at after every call; tables, which takes longer, after every seventh."""

FROM_OUTSIDE: Final = Watch(tables_every=0)
"""Only what a caller or a kernel can see, but all of it."""

JUDGED_ONLY: Final = Watch(tables_every=0, contents_every=0)
"""Nothing but the trace, until the end."""

AT_THE_END: Final = Watch(tables_every=1 << 60, contents_every=0)
"""The trace, and everything else once it is over."""

IN_PASSING: Final = Watch(tables_every=61, contents_every=17)
"""Fast. The numbers are prime, so that no rhythm of the driver hides anything from them."""
