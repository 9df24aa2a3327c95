"""What a broken property is about: pages, ids, tickets and spans."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from events import records as r
from spec.judge.verdict import Finding
from spec.specification import ACTIONS

MOST_PLACES = 8
"""Places of one record that are looked at; a call may be about thousands."""

GROWTH = ("grow-low", "grow-high", "appear")
SHRINKING = ("absorb-low", "absorb-high")
OF_THE_STREAM = ("race-free", "stream-work-on-record", "transfers-meet-nothing", "no-foreign-bytes")
HANDING_OUT = ("allocate", "allocate-wiped", "fork")

_ID = re.compile(r"\bids? (\d+) of band (\d+)")
_AT = re.compile(r"of band (\d+)\b[^;]*?\bat page (\d+)")
_PAGE = re.compile(r"\bpage (\d+) of band (\d+)")
_TICKET = re.compile(r"\bticket (\d+)")
_ENDS = re.compile(r"\('[^']*', (\d+)\)")
"""How the ends of streams are told: as (stream, ticket)."""


@dataclass
class Focus:
    """What is looked at, in the order in which it is named."""

    places: dict[tuple[int, int], None] = field(default_factory=dict)
    ids: dict[tuple[int, int], None] = field(default_factory=dict)
    tickets: dict[int, None] = field(default_factory=dict)
    span: tuple[str, int, int] | None = None
    """The action that changes a span, the band, and how many pages it is to gain or give up."""
    fresh: dict[tuple[int, int], None] = field(default_factory=dict)
    """The ids that are handed out there: how they ended before is of no concern."""
    stream: bool = False
    """Whether it matters what the allocator's stream may still do."""
    gate: bool = False
    """Whether published addresses matter."""


def focus_of(finding: Finding | None, check: str, problem: str, header: r.Header | None) -> Focus:
    """What a finding is about; without one, what the problem names."""
    focus = Focus(stream=check in OF_THE_STREAM)
    if finding is None:
        _of_text(focus, problem, header)
    elif finding.action is not None:
        _of_action(focus, finding)
    else:
        _of_record(focus, finding.record)
        _of_text(focus, finding.problem, header)
    return focus


def rejected(focus: Focus, call: Any) -> None:
    """What a call is about that was rejected, or ended in another way than it should; pages are not named by it."""
    if isinstance(call, r.Open):
        # the ticket is one that there is not yet
        focus.tickets.update(dict.fromkeys(call.waits[:MOST_PLACES]))
    elif isinstance(call, r.Call):
        _of_record(focus, call)
        for band, ids in enumerate(getattr(call, "originals", ())):
            focus.ids.update(((band, vid), None) for vid in ids[:MOST_PLACES])


def _of_action(focus: Focus, finding: Finding) -> None:
    action, band = finding.action or "", 0
    for sort, value in zip(ACTIONS[action].sorts, finding.arguments, strict=True):
        match sort:
            case "band":
                band = value
            case "page":
                focus.places[band, value] = None
            case "vid":
                if action in HANDING_OUT and not focus.ids:
                    focus.fresh[band, value] = None
                focus.ids[band, value] = None
            case "ticket":
                focus.tickets[value] = None
    if action in GROWTH + SHRINKING:
        focus.span = action, band, getattr(finding.record, "count", 1)
    focus.gate = action == "move"


def _of_record(focus: Focus, record: Any) -> None:
    band = getattr(record, "band", 0)
    pages = [page for name in ("pages", "sources", "targets") for page in getattr(record, name, ())[:MOST_PLACES]]
    focus.places.update(((band, page), None) for page in pages)
    if not isinstance(record, r.End):
        focus.ids.update(((band, vid), None) for vid in getattr(record, "ids", ())[:MOST_PLACES])
    focus.tickets.update((ticket, None) for ticket in _tickets(record))
    focus.gate = isinstance(record, r.Moved)


def _tickets(record: Any) -> Iterator[int]:
    if isinstance(ticket := getattr(record, "ticket", None), int):
        yield ticket
    for name in ("settle", "waits"):
        yield from getattr(record, name, ())[:MOST_PLACES]


def _of_text(focus: Focus, problem: str, header: r.Header | None) -> None:
    focus.ids.update(((int(band), int(vid)), None) for vid, band in _ID.findall(problem))
    focus.places.update(((int(band), int(page)), None) for band, page in _AT.findall(problem))
    focus.places.update(((int(band), int(page)), None) for page, band in _PAGE.findall(problem))
    focus.tickets.update((int(ticket), None) for ticket in _TICKET.findall(problem))
    if "(stream, ticket)" in problem:
        focus.tickets.update((int(ticket), None) for ticket in _ENDS.findall(problem))
    for number, band in enumerate(header.bands if header else ()):
        name = re.escape(band.name)
        found = re.findall(rf"\bpage (\d+) of {name}\b", problem)
        focus.places.update(((number, int(page)), None) for page in found)
        _of_lists(focus, problem, number, name)


def _of_lists(focus: Focus, problem: str, number: int, name: str) -> None:
    """Others say `full: pages [3, 4] are` or `full: ids [7] are`, and of a band of blocks `block 3 counts`.

    A block is a page that is its own id. The block of a request, though, is a place in its row.
    """
    for what, listed in re.findall(rf"\b{name}: (pages|ids) \[([\d, ]+)\]", problem):
        named = focus.places if what == "pages" else focus.ids
        named.update(((number, each), None) for each in _numbers(listed))
    one = re.escape(name.removesuffix("s"))
    for single, listed in re.findall(rf"\b{one}s? (?:(\d+)\b(?! of request)|\[([\d, ]+)\])", problem):
        for block in _numbers(single or listed):
            focus.places[number, block] = focus.ids[number, block] = None


def _numbers(listed: str) -> list[int]:
    return [int(each) for each in listed.split(",")][:MOST_PLACES]
