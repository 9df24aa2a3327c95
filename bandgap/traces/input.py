"""A trace from a file, plain or compressed with gzip, or from stdin."""

import gzip
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from bandgap.errors import UsageError
from events.trace import TraceError, lines_of

GZIP = b"\x1f\x8b"
"""How a gzip file begins, whatever it is called."""


@dataclass(frozen=True)
class TraceInput:
    """Where lines come from; `size` is the file's in bytes, none where it cannot be known."""

    name: str
    size: int | None
    _raw: BinaryIO
    _file: BinaryIO

    @property
    def position(self) -> int | None:
        """How many bytes of the file have been read; none where that cannot be known."""
        return None if self.size is None else self._raw.tell()

    def lines(self) -> Iterator[bytes]:
        """The lines, of bounded length; a compressed file that is damaged is a damaged trace."""
        number = 0
        try:
            for line in lines_of(self._file):
                number += 1
                yield line
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise TraceError(number + 1, f"the compressed file is damaged here: {error}") from None


@contextmanager
def trace_input(trace: str) -> Iterator[TraceInput]:
    """The trace at a path, or on stdin for `-`.

    Raises:
        UsageError: there is no such file, or it cannot be read.
    """
    if trace == "-":
        yield _input("stdin", sys.stdin.buffer)
        return
    try:
        with open(trace, "rb") as file:
            yield _input(trace, file)
    except IsADirectoryError:
        raise UsageError("TRACE", trace, "is a directory", "give the file in it that is to be judged") from None
    except FileNotFoundError:
        raise UsageError("TRACE", trace, "is not there", "give a path, or - for stdin") from None
    except (OSError, ValueError) as error:
        raise UsageError(
            "TRACE", trace, f"cannot be read: {getattr(error, 'strerror', None) or error}", "check the path"
        ) from error


def _input(name: str, file: BinaryIO) -> TraceInput:
    about = os.fstat(file.fileno())
    size = about.st_size if stat.S_ISREG(about.st_mode) else None
    begins = file.peek(2)[:2] if hasattr(file, "peek") else b""
    unpacked: BinaryIO = gzip.GzipFile(fileobj=file) if begins == GZIP else file  # type: ignore[assignment]  # it reads like one
    return TraceInput(name, size, file, unpacked)
