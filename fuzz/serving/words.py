"""The checks of serving that are no properties of the specification, by name; and what breaks them, told by name."""

import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

from fuzz.serving.watching import ForeignBytes
from fuzz.violation import Violation
from impl.device.simulated.accesses import Race
from impl.misuse import Misuse

CHECKS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "same-logits": "Every token that a job says, and each of its logits, is what the model says on memory of its "
        "own.",
        "same-draft-logits": "What a draft proposes is what it would propose if nothing had ever been guessed before.",
        "rows-are-there": "A forward finds a row for every token that it computes or looks back on.",
        "nothing-left": "Once all is said and the caches are cleared, no page is in use, no ticket is outstanding, and "
        "nobody has published an address.",
        "bookkeeping": "What an engine and its caches count is what the allocators know, and what they assert of "
        "themselves is so.",
        "gives-way-enough": "A cache that says that it gave way has freed as many pages as were lacking.",
        "gives-way-no-more": "A cache that gives way frees no more pages than were lacking.",
        "expected-bytes": "A transfer reads and writes only what its ticket holds, and what lands is published or in "
        "quarantine.",
        "misuse": "An engine makes no call that its allocator rejects.",
        "progress": "Every job that has room by itself is served, and every transfer comes to an end.",
    }
)
"""What each says."""

_ROWS: Final = ("impl/serving/engine/paged.py", "impl/serving/engine/mixers/", "impl/serving/speculation/block.py")
"""Where a forward looks rows up, and computes on what it found."""

_REFERENCES: Final = ("is not alive", "named more often than it has references")
_SOLE: Final = "needs a sole reference"


@contextmanager
def told() -> Iterator[None]:
    """Whatever goes wrong in a block is told as a violation.

    Raises:
        Violation: something did.
    """
    try:
        yield
    except Violation:
        raise
    except Exception as error:
        raise violation_of(error) from error


def violation_of(error: Exception) -> Violation:
    """What an exception that is no violation yet says is broken, by its name."""
    match error:
        case Race():
            return Violation("race-free", str(error))
        case ForeignBytes():
            return Violation("expected-bytes", str(error))
        case Misuse():
            return Violation(_broken_by(str(error)), f"an engine made a call that is rejected: {error}")
        case AssertionError():
            return Violation("bookkeeping", f"asserted and not so: {error or _where(error)}")
        case RuntimeError() | IndexError() if any(place in _where(error) for place in _ROWS):
            return Violation("rows-are-there", f"{type(error).__name__}: {_first_line(error)}")
        case _:
            return Violation("crash", f"{type(error).__name__} in {_where(error)}: {_first_line(error)}")


def _broken_by(misuse: str) -> str:
    if _SOLE in misuse:
        return "sole-writer"
    return "references" if any(words in misuse for words in _REFERENCES) else "misuse"


def _where(error: Exception) -> str:
    """The innermost file of the project that an exception passed, and the function."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "/impl/" in frame.filename]
    if not frames:
        return "no code of impl"
    return f"impl/{frames[-1].filename.rpartition('/impl/')[2]}, {frames[-1].name}"


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), "")
