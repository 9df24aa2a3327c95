"""From the numbers of a log to the names of a script."""

from collections.abc import Sequence
from typing import Any

from fuzz import script
from fuzz.stage import Logged


def script_of(log: Sequence[Logged]) -> script.Script:
    """The calls of a log, where ids are named by the allocation that gave them last and tickets by their opening."""
    ids: dict[tuple[int, int], script.Id] = {}
    tickets: dict[int, int] = {}
    named: list[script.AnyCall] = []
    for label, (kind, *fields) in enumerate(log):
        if kind is script.Allocate:
            demand, settle, originals, wipe, given = fields
            copied = [_ids(band, vids, ids) for band, vids in enumerate(originals)]
            named.append(script.Allocate(label, demand, _tickets(settle, tickets), copied, wipe))
            for band, new in enumerate(given or ()):
                ids.update({(band, vid): (label, place) for place, vid in enumerate(new)})
        elif kind is script.Open:
            number, user, stream, waits = fields
            named.append(script.Open(label, user, stream, _tickets(waits, tickets)))
            tickets[number] = label
        else:
            named.append(_other(kind, fields, ids, tickets))
    return tuple(named)


def _other(
    kind: Any, fields: list[Any], ids: dict[tuple[int, int], script.Id], tickets: dict[int, int]
) -> script.AnyCall:
    values = dict(zip(kind.__struct_fields__, fields, strict=True))
    if "ticket" in values:
        values["ticket"] = tickets.get(values["ticket"], script.NEVER_OPENED)
    for field in ("settle", "waits"):
        if field in values:
            values[field] = _tickets(values[field], tickets)
    if "ids" in values:
        values["ids"] = _ids(values["band"], values["ids"], ids)
    call: script.AnyCall = kind(**values)
    return call


def _ids(band: int, vids: Sequence[int], ids: dict[tuple[int, int], script.Id]) -> list[script.Id]:
    return [ids.get((band, vid), (script.NOT_GIVEN, vid)) for vid in vids]


def _tickets(numbers: Sequence[int], tickets: dict[int, int]) -> list[int]:
    return [tickets.get(number, script.NEVER_OPENED) for number in numbers]
