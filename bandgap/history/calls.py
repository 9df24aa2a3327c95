"""All calls of a short trace as prose, with what each has to do with what broke."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from bandgap.history.focus import Focus
from bandgap.history.makers import Event
from bandgap.history.narrowing import said
from bandgap.phrases import counted
from events import records as r

MOST_CALLS: Final = 12
"""A trace of more is told by the lines that matter alone."""

MOST_STEPS: Final = 6
"""Steps of one call that are told."""

_TOLD: Final = (r.Allocated, r.Wiped, r.Forked, r.Moved, r.Settled, r.Refused, r.Appeared)
"""The steps that a reader of calls asks for; how far spans reach they show in passing."""


@dataclass(frozen=True)
class Told:
    """One call, as it is told."""

    call: int
    """Its number, from 1."""
    line: int
    """Its line in the trace, from 1."""
    says: str
    came: tuple[str, ...]
    """What the allocator did, and how the call ended if it did not simply return."""
    touches: tuple[str, ...]
    """The pages, ids, tickets and streams that it touches, of those that what broke is about."""


@dataclass
class Calls:
    """Takes the records of a trace, and keeps those of its calls while they are few."""

    kept: list[tuple[Event, list[Any]]] = field(default_factory=list)
    many: bool = False
    """Whether there were more than are told."""

    def take(self, record: Any, line: int, number: int) -> None:
        """One more record; `number` is that of the call, if it is one."""
        if self.many:
            return
        if isinstance(record, r.Call):
            self.kept.append((Event(line, number, record), []))
            self.many = len(self.kept) > MOST_CALLS
            if self.many:
                self.kept.clear()
        elif isinstance(record, r.Lost):
            self.many = True  # they are not all known
            self.kept.clear()
        elif self.kept and (isinstance(record, (*_TOLD, r.End))):
            self.kept[-1][1].append(record)

    def told(self, header: r.Header | None, focus: Focus, concerned: set[int], homes: dict[Any, int]) -> Iterator[Told]:
        """Each call, given the tickets and ids that are concerned and where ids live."""
        streams = {event.record.stream for event, _ in self.kept if _opens(event.record, focus.tickets)} - {None}
        for event, came in self.kept:
            says = said(event.record, header, focus).removeprefix("the driver ")
            touched = dict.fromkeys(_touched(event.record, came, focus, concerned, homes, streams))
            yield Told(event.call, event.line, says, tuple(_came(came, header, focus)), tuple(touched))


def _opens(record: Any, tickets: Any) -> bool:
    return isinstance(record, r.Open) and record.ticket in tickets


def _came(came: list[Any], header: r.Header | None, focus: Focus) -> Iterator[str]:
    steps = [record for record in came if not isinstance(record, r.End)]
    yield from (said(step, header, focus) for step in steps[:MOST_STEPS])
    if len(steps) > MOST_STEPS:
        yield f"{counted(len(steps) - MOST_STEPS, 'more step')} of the allocator's"
    for record in came:
        if isinstance(record, r.End) and record.outcome == "failed":
            yield "rejected as a misuse"


def _touched(
    record: Any, came: list[Any], focus: Focus, concerned: set[int], homes: dict[Any, int], streams: set[Any]
) -> Iterator[str]:
    for each in (record, *came):
        if isinstance(each, r.End):
            continue
        ticket = getattr(each, "ticket", None)
        if ticket in concerned:
            yield f"ticket {ticket}"
        band = getattr(each, "band", 0)
        yield from (f"page {page:,}" for page in _pages(each) if (band, page) in focus.places)
        for vid in getattr(each, "ids", ()):
            if (band, vid) in focus.ids:
                home = homes.get((band, vid))
                yield f"id {vid:,}" if home is None else f"page {home:,}"
        if isinstance(each, r.Open) and each.stream in streams:
            yield f"stream {each.stream!r}"
        yield from (f"ticket {other}" for other in getattr(each, "waits", ()) if other in concerned)


def _pages(record: Any) -> Iterator[int]:
    for name in ("pages", "sources", "targets"):
        yield from getattr(record, name, ())
    if isinstance(record, r.Appeared):
        yield record.page
