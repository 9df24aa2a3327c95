"""Records of a trace as sentences for people."""

from bandgap.phrases import counted, listed, numbered
from events import records as r

_NO_BOUND = 1 << 50
"""Bytes."""


def in_words(record: r.AnyRecord, header: r.Header | None) -> str:
    """What a record says. Names in it are quoted, so that none can pass for something else."""
    match record:
        case r.Header():
            names = listed([repr(band.name) for band in record.bands])
            return f"the arena of {record.model!r}, bytes {record.base:,} to {record.capacity:,}: bands {names}"
        case r.Snapshot():
            pages = sum(len(band.pages) for band in record.bands)
            return f"the allocator's tables: {counted(pages, 'live page')}, {counted(len(record.tickets), 'ticket')}"
        case r.Lost():
            return f"{counted(record.records, 'record')} that nobody wrote"
        case r.Close():
            return f"the closing line, after {counted(record.lines, 'line')}"
        case r.Continued():
            return f"the closing line, after {counted(record.lines, 'line')}; the trace goes on in {record.file!r}"
        case r.End():
            return _end(record)
        case r.Open() | r.Hold() | r.Complete() | r.Settle() | r.Issue():
            return f"the driver {_of_a_ticket(record, header)}"
        case r.Allocate():
            asked = listed([f"{count:,} of {_band(header, band)}" for band, count in enumerate(record.demand)])
            settling = f"; {numbered('ticket', record.settle)} may be settled" if record.settle else ""
            wiping = ", wiped" if record.wipe else ""
            return f"the driver asks for pages, {asked}{_copying(record, header)}{wiping}{settling}"
        case r.Share() | r.Release() | r.Land() | r.Drain() | r.Publish() | r.Unpublish() | r.Compact():
            return f"the driver {_of_pages(record, header)}"
        case _:
            return f"the allocator {_step(record, header)}"


def _of_a_ticket(call: r.Open | r.Hold | r.Complete | r.Settle | r.Issue, header: r.Header | None) -> str:
    match call:
        case r.Open():
            place = f"on stream {call.stream!r}" if call.stream is not None else "on no stream"
            waiting = f", waiting for {numbered('ticket', call.waits)}" if call.waits else ""
            return f"opens ticket {call.ticket}, a {call.user} {place}{waiting}"
        case r.Hold():
            return f"gives ticket {call.ticket} {numbered('id', call.ids)} of {_band(header, call.band)} to {call.mode}"
        case r.Issue():
            return f"lets ticket {call.ticket} write to {numbered('page', call.pages)} of {_band(header, call.band)}"
        case r.Complete():
            return f"sees that ticket {call.ticket} is over"
        case r.Settle():
            return f"makes the allocator's stream wait for ticket {call.ticket}"


def _copying(call: r.Allocate, header: r.Header | None) -> str:
    copied = [f"{numbered('id', ids)} of {_band(header, band)}" for band, ids in enumerate(call.originals) if ids]
    return f", the first as copies of {listed(copied)}" if copied else ""


def _of_pages(
    call: r.Share | r.Release | r.Land | r.Drain | r.Publish | r.Unpublish | r.Compact, header: r.Header | None
) -> str:
    match call:
        case r.Share():
            return f"shares {numbered('id', call.ids)} of {_band(header, call.band)}"
        case r.Release():
            return f"releases {numbered('id', call.ids)} of {_band(header, call.band)}"
        case r.Land():
            return f"sees writes arrive at {numbered('page', call.pages)} of {_band(header, call.band)}"
        case r.Drain():
            return "sees that the allocator's stream has caught up"
        case r.Publish():
            return f"publishes addresses as {call.who!r}"
        case r.Unpublish():
            return f"takes back the addresses published as {call.who!r}"
        case r.Compact():
            # whoever sets no bound says a number that no arena has
            return f"lets up to {call.budget:,} bytes be moved" if call.budget < _NO_BOUND else "lets pages be moved"


def _step(step: r.Step, header: r.Header | None) -> str:
    match step:
        case r.GrewLow() | r.GrewHigh() | r.AbsorbedLow() | r.AbsorbedHigh():
            grew = isinstance(step, r.GrewLow | r.GrewHigh)
            side = "low" if isinstance(step, r.GrewLow | r.AbsorbedLow) else "high"
            holes = counted(step.count, "hole")
            return f"{'adds' if grew else 'takes'} {holes} at the {side} side of {_band(header, step.band)}"
        case r.Appeared():
            return f"lets the empty {_band(header, step.band)} appear at page {step.page:,}"
        case r.Allocated() | r.Wiped():
            pages, ids = numbered("page", step.pages), numbered("id", step.ids)
            wiped = ", wiped" if isinstance(step, r.Wiped) else ""
            return f"hands out {pages} of {_band(header, step.band)} as {ids}{wiped}"
        case r.Forked():
            pages, ids, originals = (
                numbered("page", step.pages),
                numbered("id", step.ids),
                numbered("id", step.copied),
            )
            return f"hands out {pages} of {_band(header, step.band)} as {ids}, copied from {originals}"
        case r.Moved():
            sources, targets = numbered("page", step.sources), numbered("page", step.targets)
            return f"moves {sources} of {_band(header, step.band)} to {targets}"
        case r.Settled():
            return f"makes its stream wait for ticket {step.ticket}"
        case r.Refused():
            return f"refuses: {step.reason}"


def _end(end: r.End) -> str:
    if end.outcome == "failed":
        return "the call ends: it was rejected as a misuse"
    given = [number for ids in end.ids for number in ids]
    with_ids = f" and gives {numbered('id', given)}" if given else ""
    return f"the call ends: it was {end.outcome}{with_ids}"


def _band(header: r.Header | None, number: int) -> str:
    if header is None or number >= len(header.bands):
        return f"band {number}"
    return f"band {header.bands[number].name!r}"
