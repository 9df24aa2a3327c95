"""What goes wrong, told as the property or check that it breaks."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from fuzz.serving.watching import ForeignBytes
from fuzz.violation import Violation
from impl.device.simulated.accesses import Race
from impl.misuse import Misuse
from impl.serving.parallel.agreement import Disagreement
from impl.serving.parallel.group import RankLost

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
        case Disagreement():
            return Violation("rank-agreement", str(error).removeprefix("rank-agreement: "))
        case RankLost():
            return Violation("rank-lost", str(error))
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
