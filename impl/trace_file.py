"""Writes a trace in a thread of its own, while an allocator serves.

The thread that serves only puts drafts of records into a buffer. What the buffer has no room for is not on record, and
the trace says so: how many records are missing, and then a snapshot from which a judge begins again.
"""

from collections import deque
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from time import sleep
from types import TracebackType
from typing import Final

from events import records
from events.files import created, numbered
from events.trace import Writer
from impl.drafts import AtOnce, Draft, bytes_of_numbers

MOST_WAITING: Final = 2**25
"""Bytes of page numbers that may wait to be written, and eight for each record.

Of a record's several lists as long as each other one is counted: it may be four times as much.
"""

_IN_A_ROW: Final = 16
"""Drafts that are written without letting another thread go first: some hundred microseconds."""


class TraceFile:
    """A trace in a file, or in several files in a row.

    Each file begins with the header and a snapshot, and all but the last end by saying which comes next: `a.trace`,
    `a-2.trace`, `a-3.trace`. A name that ends in `.gz` makes compressed files. Another file begins when one is long
    enough; that takes a snapshot of the allocator, in the thread that serves.

    Args:
        path: of the first file.
        rotate_bytes: after which another file is begun, before compression; never if left out.
        rotate_records: likewise.
        most_waiting: see `MOST_WAITING`.
        every: seconds between two looks at the buffer, so that putting a draft into it wakes nobody.

    Attributes:
        wants_snapshot: see `Keeper`.
        path: of the file that is written now.
        lost: records so far for which there was no room.

    Raises:
        ValueError: the name promises a compression that is not known here, or a limit is not positive.
        OSError: the file cannot be written.
    """

    def __init__(
        self,
        path: Path,
        *,
        rotate_bytes: int | None = None,
        rotate_records: int | None = None,
        most_waiting: int = MOST_WAITING,
        every: float = 0.05,
    ) -> None:
        for name, limit in (("rotate_bytes", rotate_bytes), ("rotate_records", rotate_records)):
            if limit is not None and limit < 1:
                raise ValueError(f"{name} is {limit}, and no file is that short")
        self.path, self.wants_snapshot, self.lost = path, False, 0
        self._first, self._number = path, 1
        self._rotate_bytes, self._rotate_records, self._every = rotate_bytes, rotate_records, every
        # of the thread that serves
        self._most, self._given, self._missing = most_waiting, 0, 0
        # of both: appended to by one and taken from by the other
        self._drafts: deque[Draft] = deque()
        # of the thread that writes
        self._file = created(path)
        self._write = Writer(self._file)
        self._make = AtOnce(lambda record: self._write(record))
        self._taken, self._asked = 0, False
        self._problem: Exception | None = None
        self._over = Event()
        self._thread = Thread(target=self._work, name="bandgap-trace", daemon=True)
        self._thread.start()

    # -------------------------------------------------------------------------------------- in the thread that serves

    def note(self, draft: Draft, numbers: int = 0) -> None:
        """Put a draft into the buffer, or count it as lost."""
        given = self._given + 8 + numbers
        if self._missing or given - self._taken > self._most:
            self._missing += 1
            self.lost += 1
            return
        self._given = given
        self._drafts.append(draft)

    def begin_anew(self, header: records.Header, snapshot: records.Snapshot) -> None:
        """Begin a file, or go on after records were lost, from what there is."""
        self.wants_snapshot = False
        if self._problem is not None:
            return
        if self._missing:
            self._put(records.Lost(self._missing))
            self._missing = 0
        self._put(header)
        self._put(snapshot)

    def close(self) -> None:
        """Write what is still to be written, and the closing line.

        Raises:
            Exception: whatever kept it from being written; the trace has no closing line then.
        """
        self._over.set()
        self._thread.join()
        if self._problem is not None:
            raise self._problem

    def __enter__(self) -> "TraceFile":
        return self

    def __exit__(self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None) -> None:
        self.close()

    def _put(self, draft: Draft) -> None:
        """However full the buffer is."""
        self._given += _weight(draft)
        self._drafts.append(draft)

    # -------------------------------------------------------------------------------------- in the thread that writes

    def _work(self) -> None:
        try:
            while not self._over.wait(self._every):
                self._write_waiting()
            self._write_waiting()
            if self._missing:
                self._write(records.Lost(self._missing))
            self._write.close()
            self._file.close()
        except Exception as problem:  # serving goes on, and `close` says what it was
            self._problem, self._most = problem, -1
            with suppress(OSError):
                self._file.close()

    def _write_waiting(self) -> None:
        drafts = self._drafts
        if not drafts:
            return
        while drafts:
            for _ in range(min(_IN_A_ROW, len(drafts))):
                draft = drafts.popleft()
                if isinstance(draft, records.Header):
                    self._begin_file(draft)
                else:
                    self._make.note(draft)
                self._taken += _weight(draft)
            # lets go of the interpreter, which a thread that serves would otherwise wait for
            sleep(0)
        self._file.flush()
        if not self._asked and (self._missing or self._is_full()):
            self._asked = self.wants_snapshot = True

    def _begin_file(self, header: records.Header) -> None:
        self._asked = False
        if self._is_full():
            self._number += 1
            following = numbered(self._first, self._number)
            file = created(following)
            self._write.continue_in(following.name)
            self._file.close()
            self.path, self._file, self._write = following, file, Writer(file)
        if not self._write.lines:
            self._write(header)

    def _is_full(self) -> bool:
        sizes = ((self._write.bytes, self._rotate_bytes), (self._write.lines, self._rotate_records))
        return any(limit is not None and size >= limit for size, limit in sizes)


def _weight(draft: Draft) -> int:
    return 8 + bytes_of_numbers(draft)
