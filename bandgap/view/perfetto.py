"""The trace for Perfetto (ui.perfetto.dev), in the JSON trace-event format that it opens.

A trace has no clock, so one line takes one microsecond. Bands are counters of bytes, calls and their steps are slices,
tickets are asynchronous slices by user and stream.
"""

from typing import Any, BinaryIO

import msgspec

from bandgap.record_words import in_words
from bandgap.view.watching import Look, Place, Seen, Sink, Span
from events import records as r

ARENA, CALLS, TICKETS = 1, 2, 3
"""Processes, as Perfetto calls its groups of tracks."""

_encoder = msgspec.json.Encoder()


class Perfetto(Sink):
    """A sink that writes events as they come; the file is whole once it is closed."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._any = False
        self._header: r.Header | None = None
        self._pages: list[list[int]] = []
        self._spans: list[int] = []
        self._changed: dict[int, int] = {}
        """The bands that are not what was counted last, and since which line."""
        self._call: tuple[int, Any] | None = None
        file.write(b'{"displayTimeUnit":"ns","otherData":{"clock":"one line of the trace is one microsecond"},')
        file.write(b'"traceEvents":[')

    def begin(self, line: int, header: r.Header) -> None:
        """See `Sink.begin`."""
        self._header = header
        self._pages = [[0, 0, 0] for _ in header.bands]
        self._spans = [0] * len(header.bands)
        self._changed = dict.fromkeys(range(len(header.bands)), line)
        for number, name in ((ARENA, f"arena of {header.model}"), (CALLS, "calls"), (TICKETS, "tickets")):
            self._put(ph="M", pid=number, tid=0, name="process_name", args={"name": name})
            self._put(ph="M", pid=number, tid=0, name="process_sort_index", args={"sort_index": number})
        self._put(ph="M", pid=CALLS, tid=1, name="thread_name", args={"name": "calls and their steps"})

    def record(self, line: int, record: Any) -> None:
        """See `Sink.record`."""
        self._count()
        if isinstance(record, r.End):
            if self._call is not None:
                begun, call = self._call
                said = {"says": in_words(call, self._header), "line": begun, "outcome": record.outcome}
                self._slice(begun, line + 1 - begun, _name(call), said)
            self._call = None
        elif isinstance(record, r.Call):
            self._call = line, record
        elif isinstance(record, r.Step):
            self._slice(line, 1, _name(record), {"says": in_words(record, self._header), "line": line})

    def page(self, line: int, place: Place, was: Seen | None, now: Seen | None) -> None:
        """See `Sink.page`."""
        pages = self._pages[place[0]]
        if was is not None:
            pages[was.look] -= 1
        if now is not None:
            pages[now.look] += 1
        self._changed[place[0]] = line

    def span(self, line: int, band: int, was: Span, now: Span) -> None:
        """See `Sink.span`."""
        self._spans[band] = now[1] - now[0]
        self._changed[band] = line

    def ticket(self, line: int, ticket: int, user: str, stream: str | None, *, begins: bool) -> None:
        """See `Sink.ticket`."""
        category = user if stream is None else f"{user} on {stream}"
        place = {"pid": TICKETS, "tid": 1, "cat": category, "id": ticket}
        self._put(ph="b" if begins else "e", ts=line, name=f"ticket {ticket}, {category}", **place)

    def begins(self, line: int, file: str) -> None:
        """Mark the line with which another file of the trace begins."""
        self._put(ph="i", s="g", ts=line, pid=CALLS, tid=1, name=f"{file} begins", args={})

    def problem(self, line: int, check: str, problem: str) -> None:
        """Mark the line that is not legal."""
        self._put(ph="i", s="g", ts=line, pid=CALLS, tid=1, name=f"here {check} breaks", args={"problem": problem})

    def close(self, line: int) -> None:
        """See `Sink.close`."""
        self._count()

    def finish(self) -> None:
        """Nothing follows; the file stays open."""
        self._file.write(b"\n]}\n")

    def _count(self) -> None:
        bands = self._header.bands if self._header else []
        for band, line in self._changed.items():
            size, pages = bands[band].page_bytes, self._pages[band]
            amounts = {look.name.lower(): pages[look] * size for look in (Look.LIVE, Look.HELD, Look.WITHHELD)}
            amounts["hole"] = (self._spans[band] - sum(pages)) * size
            self._put(ph="C", ts=line, pid=ARENA, tid=0, name=f"{bands[band].name}, bytes", args=amounts)
        self._changed = {}

    def _slice(self, line: int, lines: int, name: str, said: dict[str, Any]) -> None:
        self._put(ph="X", ts=line, dur=lines, pid=CALLS, tid=1, name=name, args=said)

    def _put(self, **event: Any) -> None:
        self._file.write(b",\n" if self._any else b"\n")
        self._file.write(_encoder.encode(event))
        self._any = True


def _name(record: Any) -> str:
    return str(record.__struct_config__.tag).partition(".")[2]
