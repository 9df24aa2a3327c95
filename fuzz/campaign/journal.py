"""The journal: of each lane a file with one line for each unit that is over, in order."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from zlib import crc32

import msgspec

from fuzz.campaign.files import on_disk
from fuzz.campaign.record import Record


class Damaged(Exception):
    """A journal that says what no campaign writes, a clause."""


_BLOCK: Final = 1 << 20
"""Bytes that are read at once to find where the last line ends."""

_RECORD: Final = msgspec.json.Decoder(Record)


class Journal:
    """Appends to the lanes of a folder.

    A line that is there in full counts, and one that was cut short when its process ended does not: it is taken away,
    and its unit is done again.
    """

    def __init__(self, folder: Path, lanes: int) -> None:
        self._folder = folder
        self._lanes = [folder / f"lane-{lane:04}.jsonl" for lane in range(lanes)]

    def records(self) -> Iterator[Record]:
        """What is written down, lane by lane; what was cut short is gone then.

        Raises:
            Damaged: a line is no record, or not the next one of its lane.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        for lane, path in enumerate(self._lanes):
            path.touch()
            whole = _without_the_cut(path)
            with path.open("rb") as lines:
                for index, line in enumerate(lines):
                    yield _read(path, lane, index, line)
            assert path.stat().st_size == whole  # nobody else writes
        on_disk(self._folder)

    def append(self, record: Record) -> None:
        """Write down that a unit is over; it is on the disk on return."""
        line = line_of(record)
        opened = os.open(self._lanes[record.lane], os.O_WRONLY | os.O_APPEND)
        try:
            while line:
                line = line[os.write(opened, line) :]
            os.fsync(opened)
        finally:
            os.close(opened)


def _without_the_cut(path: Path) -> int:
    """Cut a file after its last whole line; how long it is then."""
    with path.open("rb+") as file:
        end = whole = file.seek(0, os.SEEK_END)
        while whole:
            begin = max(0, whole - _BLOCK)
            file.seek(begin)
            last = file.read(whole - begin).rfind(b"\n")
            if last >= 0:
                whole = begin + last + 1
                break
            whole = begin
        if whole < end:
            file.truncate(whole)
            os.fsync(file.fileno())
    return whole


def line_of(record: Record) -> bytes:
    """A record as its line: `[checksum,{...}]`, by which a line that was changed is known."""
    said = msgspec.json.encode(record)
    return b"[%d,%b]\n" % (crc32(said), said)


def record_of(line: bytes) -> Record:
    """The record of a line.

    Raises:
        ValueError: it is none, or was changed.
    """
    begins, _, rest = line.partition(b",")
    said = rest.removesuffix(b"]\n")
    if begins != b"[%d" % crc32(said):
        raise ValueError("its checksum does not fit")
    return _RECORD.decode(said)


def _read(path: Path, lane: int, index: int, line: bytes) -> Record:
    try:
        record = record_of(line)
    except ValueError as error:
        raise Damaged(f"line {index + 1} of {path.name} is no record: {error}") from error
    if (record.lane, record.index) != (lane, index):
        raise Damaged(f"line {index + 1} of {path.name} is unit {record.index} of lane {record.lane}")
    return record
