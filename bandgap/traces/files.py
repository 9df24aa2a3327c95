"""Which files a person means who names a trace: one, several in a row, a folder of them, or a pattern."""

import glob
import gzip
import os
import zlib
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

from bandgap.errors import UsageError
from bandgap.traces.input import GZIP
from events.files import numbers_of

STDIN = "-"

_HEADER = b',"header",'
"""What the first line of a trace begins with, after its checksum."""

_SHOWN = 6
"""Names that are told; a folder may have any number."""


def files_of(given: Sequence[str]) -> tuple[str, ...]:
    """The files of the one trace that is meant, in the order in which they were written.

    Args:
        given: paths of files, folders and patterns, in any order; or `-` alone, for stdin.

    Raises:
        UsageError: it is no trace, more than one, the same file twice, or a file between two others is not there.
    """
    found = [file for each in given for file in _meant(each)]
    if len(found) < 2:
        return tuple(found)
    if STDIN in found:
        raise UsageError("TRACE", STDIN, "is one trace by itself", "give - alone, or files")
    _refuse_twice(found)
    return tuple(_in_a_row(found))


def in_short(files: Sequence[str]) -> str:
    """The files of a trace in a few words."""
    return files[0] if len(files) == 1 else f"{files[0]} to {Path(files[-1]).name}, {len(files):,} files"


def same_name(one: str, other: str) -> bool:
    """Whether two names are of one file, compressed or not."""
    return one.removesuffix(".gz") == other.removesuffix(".gz")


def _meant(given: str) -> list[str]:
    path = Path(given)
    try:
        if given != STDIN and path.is_dir():
            found = [str(file) for file in sorted(path.iterdir()) if file.is_file() and _is_trace(file)]
            if not found:
                raise UsageError("TRACE", given, "has no trace in it", "give the folder that a recorder wrote to")
            return found
        if given != STDIN and not path.exists() and glob.has_magic(given):
            found = sorted(glob.glob(given))
            if not found:
                raise UsageError("TRACE", given, "matches no file", "give a path, or - for stdin")
            return found
    except (OSError, ValueError) as error:
        raise UsageError(
            "TRACE", given, f"cannot be read: {getattr(error, 'strerror', None) or error}", "check the path"
        ) from error
    return [given]


def _is_trace(path: Path) -> bool:
    """Whether it begins as a trace does; what lies beside traces in a folder may be anything."""
    try:
        with path.open("rb") as file:
            begins = file.read(2)
            file.seek(0)
            head = gzip.GzipFile(fileobj=file).read(64) if begins == GZIP else file.read(64)
    except (gzip.BadGzipFile, EOFError, OSError, zlib.error):
        return False
    return _HEADER in head


def _refuse_twice(files: Iterable[str]) -> None:
    taken: dict[str, str] = {}
    for file in files:
        place = os.path.realpath(file)
        if place in taken:
            raise UsageError("TRACE", file, f"is given twice, also as {taken[place]}", "give each file once")
        taken[place] = file


def _in_a_row(files: Sequence[str]) -> list[str]:
    numbers = [numbers_of(Path(file).name) for file in files]
    rows = set.intersection(*(set(each) for each in numbers))
    if not rows:
        some = ", ".join(sorted(files)[:_SHOWN]) + (", …" if len(files) > _SHOWN else "")
        raise UsageError("TRACE", some, "are not files of one trace by their names", "give those of one trace alone")
    # one name may only leave a choice where all files are the same
    row = min(rows, key=len)
    ordered = sorted(zip((each[row] for each in numbers), files, strict=True))
    for (number, file), (following, another) in pairwise(ordered):
        if number == following:
            raise UsageError("TRACE", another, f"has the same place in the trace as {file}", "give one of them")
        if following != number + 1:
            missing = f"number {number + 1:,}" if following == number + 2 else f"{number + 1:,} to {following - 1:,}"
            problem = f"does not follow {file}: of the files between them, {missing} of the trace, none was given"
            raise UsageError("TRACE", another, problem, "give them all, or those on one side of the gap")
    return [file for _, file in ordered]
