"""Values and examples of the proofs as people write them: v0, t1, move(band 1, source page 0, target page 1)."""

import inspect
from collections.abc import Iterator

from bandgap.phrases import counted
from properties.examples import Arena, Example
from properties.plain import Member
from properties.specification import written
from spec.device.state import OVER, PENDING, UNISSUED
from spec.state import COMPLETED, FREE, LIVE, NONE, OUTSTANDING, READ, SETTLED, WITHHELD, WRITE

STATUSES = {FREE: "free", LIVE: "live", WITHHELD: "withheld"}
MODES = {NONE: "nothing", READ: "read", WRITE: "write"}
ENDINGS = {OUTSTANDING: "outstanding", COMPLETED: "completed", SETTLED: "settled"}
PHASES = {UNISSUED: "not issued", PENDING: "pending", OVER: "over"}
LETTERS = "abcdefgh"


def spelled(sort: str, value: int | bool) -> str:
    """A value of one of the specification's sorts."""
    match sort:
        case "vid" | "ticket" | "publisher" | "access":
            return f"{sort[0]}{value}"
        case "value":
            return LETTERS[value - 1] if value else "garbage"
        case "bool":
            return "yes" if value else "no"
        case "status":
            return STATUSES.get(value, "lost")
        case "mode":
            return MODES[value]
        case "ending":
            return ENDINGS[value]
        case "phase":
            return PHASES[value]
    return str(value)


def named(sort: str, value: int) -> str:
    """A value and what it is: band 1, page 0, mode read; ids, tickets and accesses name themselves."""
    names_itself = sort in ("vid", "ticket", "publisher", "access")
    return spelled(sort, value) if names_itself else f"{sort} {spelled(sort, value)}"


def members(member: Member) -> str:
    """A member of a range."""
    return " ".join(named(sort, value) for sort, value in member)


def event(example: Example) -> str:
    """The action and its arguments."""
    if example.action is None:
        return "nothing happens"
    action = written(example.action).actions[example.action]
    names = list(inspect.signature(action.guard).parameters)[1:]
    arguments = [
        named(sort, value) if name in (sort, "who") else f"{name} {named(sort, value)}"
        for name, sort, value in zip(names, action.sorts, example.arguments, strict=True)
    ]
    return f"{action.name}({', '.join(arguments)})"


def changes(example: Example) -> Iterator[str]:
    """Every entry that the action changed, before and after."""
    for name, field in example.before.signature.fields.items():
        old, new = example.before.table(name), example.after.table(name)
        for key in sorted({*old, *new}):
            was, now = old.get(key, 0), new.get(key, 0)
            if was != now:
                of = members(tuple(zip(field.keys.split(), key, strict=True)))
                yield f"{name}[{of}]: {spelled(field.value, was)} → {spelled(field.value, now)}"


def facts(arena: Arena) -> Iterator[str]:
    """What a picture of the arena does not show: ids, tickets, the stream and the gate."""
    for (band, vid), refs in sorted(arena.table("refs").items()):
        page, written = (arena.table(name).get((band, vid), 0) for name in ("page_of", "written"))
        count = counted(refs, "reference")
        yield f"v{vid} of band {band}: {count}, at page {page}, last written {spelled('value', written)}"
    for (band, page), value in sorted(arena.table("bytes").items()):
        yield f"band {band} page {page} holds the bytes {spelled('value', value)}"
    for (ticket, band, page), mode in sorted(arena.table("held").items()):
        name = arena.table("name").get((ticket, band, page), 0)
        yield f"t{ticket} holds band {band} page {page}, given for v{name}, to {MODES[mode]}"
    for (band, page), flying in sorted(arena.table("flying").items()):
        ticket, value = (arena.table(name).get((band, page), 0) for name in ("flyer", "arriving"))
        if flying:
            yield f"a write of {spelled('value', value)} by t{ticket} is in flight to band {band} page {page}"
    for (ticket,), ending in sorted(arena.table("ending").items()):
        yield f"t{ticket} is {ENDINGS[ending]}"
    for (ticket,) in sorted(arena.table("is_transfer")):
        yield f"t{ticket} is a network transfer"
    for first, second in sorted(arena.table("before")):
        if first != second:
            yield f"t{first} runs before t{second}"
    for (band, page), mode in sorted(arena.table("queued").items()):
        yield f"the allocator's stream may still {MODES[mode]} band {band} page {page}"
    for (who,) in sorted(arena.table("published")):
        yield f"p{who} has published addresses"
    yield from _accesses(arena)


def _accesses(arena: Arena) -> Iterator[str]:
    """What was issued to the device, and in which order it runs."""
    phases = sorted(arena.table("phase").items())
    for (access,), phase in phases:
        own, user, way, on_table, band, page, vid = (
            arena.table(name).get((access,), 0)
            for name in ("is_own", "user", "way", "on_table", "in_band", "at_page", "at_vid")
        )
        whose = "the allocator's" if own else f"t{user}'s"
        what = f"the entry that names page {page} for v{vid} of band {band}" if on_table else f"band {band} page {page}"
        yield f"a{access}, {PHASES[phase]}: {whose} {MODES[way]} of {what}"
    issued = {access for (access,), _ in phases}
    for first, second in sorted(arena.table("ahead")):
        if first != second and {first, second} <= issued:
            yield f"a{first} runs before a{second}"
    for (band, page), value in sorted(arena.table("memory").items()):
        yield f"band {band} page {page} shows {spelled('value', value)} at this moment"
