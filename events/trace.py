"""A trace as lines of JSON, each sealed with a running checksum.

A line is a JSON array `[checksum, tag, field, ...]`. The checksum is the CRC-32 of the previous line's checksum and of
the bytes of this line after its own, so that a line that is missing, doubled, exchanged or edited is found at that very
line. It guards against accidents and careless edits, not against someone who seals a forgery.
"""

import json
import zlib
from collections.abc import Iterable, Iterator
from typing import BinaryIO

import msgspec

from events.records import AnyRecord, Close, Continued, Snapshot

LONGEST_LINE = 1 << 28
"""Bytes; a longer line is refused before it is parsed, and never read as a whole."""

_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(AnyRecord)
_split = msgspec.json.Decoder(list[msgspec.Raw])


class TraceError(Exception):
    """A line that cannot be read: its number (from 1) and what is wrong with it."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")
        self.line, self.problem = line, problem


def seal(records: Iterable[AnyRecord], checksum: int = 0) -> Iterator[bytes]:
    """The line of each record, with its newline; begins from the checksum of the line before."""
    for record in records:
        line, checksum = _sealed(record, checksum)
        yield line


def _sealed(record: AnyRecord, checksum: int) -> tuple[bytes, int]:
    """The line of a record that comes behind one with this checksum, and its own checksum."""
    body = _encoder.encode(record)[1:]
    checksum = zlib.crc32(body, checksum)
    return b"[%d,%b\n" % (checksum, body), checksum


def lines_of(file: BinaryIO, longest: int = LONGEST_LINE) -> Iterator[bytes]:
    """The lines of a file that may be anything: at most `longest` bytes and one more are read of any line.

    A longer line is cut there, and is the last; `unseal` refuses it as no whole line.
    """
    while line := file.readline(longest + 1):
        yield line
        if len(line) > longest:
            return


def unseal(lines: Iterable[bytes], whole: bool = True) -> Iterator[AnyRecord]:
    """The record of each line, for lines that begin a trace, or one file of it.

    `whole` asks for the closing line that says how many came before it; a trace that is still being written has none.
    Raises TraceError at the first line that was cut, moved, edited or is no record.
    """
    checksum, number, closed = 0, 0, False
    crc32, decode = zlib.crc32, _decoder.decode
    for line in lines:
        number += 1
        if closed:
            raise TraceError(number, "there is something after the closing line")
        if len(line) > LONGEST_LINE:
            raise TraceError(number, f"more than {LONGEST_LINE:,} bytes, the most that a line may have")
        comma = line.find(b",", 0, 16)
        if comma < 2 or not line.endswith(b"]\n"):
            raise TraceError(number, "not a whole line of a trace; was the file cut here?")
        body = line[comma + 1 : -1]
        checksum = crc32(body, checksum)
        if line[:comma] != b"[%d" % checksum:
            raise TraceError(number, "the checksum does not fit: a line was edited, moved, added or removed here")
        try:
            record = decode(b"[" + body)
        except (msgspec.DecodeError, RecursionError) as error:
            raise TraceError(number, f"not a record of a trace: {_printable(str(error))}") from None
        if isinstance(record, Snapshot):
            if len(record.streams) < _streams_named(body):
                raise TraceError(number, "a snapshot that names a stream twice")
        elif isinstance(record, Close | Continued):
            closed = True
            if record.lines != number - 1:
                raise TraceError(number, f"the closing line counts {record.lines} lines before it, not {number - 1}")
        yield record
    if whole and not closed:
        raise TraceError(number + 1, "the closing line is missing; was the file cut here?")


def _streams_named(body: bytes) -> int:
    """How many streams a snapshot names. They are the one place where JSON could say something twice and be read."""
    streams = _split.decode(b"[" + body)[3]
    return len(json.loads(bytes(streams), object_pairs_hook=list))


def _printable(text: str) -> str:
    """What a file made us say, harmless and short."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text[:200])


class Writer:
    """Writes records to a binary file as they come; `close` adds the closing line.

    Attributes:
        lines: that were written.
        bytes: of them.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._checksum, self.lines, self.bytes = file, 0, 0, 0

    def __call__(self, record: AnyRecord) -> None:
        """Append one record."""
        line, self._checksum = _sealed(record, self._checksum)
        self._file.write(line)
        self.lines += 1
        self.bytes += len(line)

    def close(self) -> None:
        """Append the closing line; the file stays open."""
        self(Close(self.lines))

    def continue_in(self, file: str) -> None:
        """Append the line after which the trace goes on in another file; this one stays open."""
        self(Continued(self.lines, file))
