"""Makes a failing script as short as it can be."""

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import msgspec

from fuzz import script

Fails = Callable[[script.Script], bool]


@dataclass(frozen=True)
class Reduced:
    """The shortest failing script that was found, how many were tried, and whether time ran out before it was done."""

    script: script.Script
    tried: int
    cut_short: bool


def reduced(calls: script.Script, fails: Fails, seconds: float, tries: int | None = None) -> Reduced:
    """Leave out calls, then parts of calls, as long as it still fails.

    Args:
        calls: fails.
        fails: whether a script shows the same failure; must give the same answer every time.
        seconds: after which the best so far must do.
        tries: scripts that are tried at most; none for as many as there is time for.
    """
    attempt = _Attempt(fails, time.monotonic() + seconds, tries)
    before = None
    while before != calls and not attempt.over:
        before = calls
        calls = _fewer_calls(calls, attempt)
        calls = _merged_grants(calls, attempt)
        calls = _asking_at_last(calls, attempt)
        calls = _compacting_at_last(calls, attempt)
        calls = _smaller_calls(calls, attempt)
        calls = _smaller_grants(calls, attempt)
    return Reduced(_relabelled(calls), attempt.tried, attempt.over)


class _Attempt:
    def __init__(self, fails: Fails, until: float, most: int | None) -> None:
        self._fails, self._until, self._most = fails, until, most
        self.tried = 0
        self.over = False

    def __call__(self, calls: script.Script) -> bool:
        self.over = self.over or time.monotonic() > self._until or self.tried == self._most
        if self.over:
            return False
        self.tried += 1
        return self._fails(calls)


def _fewer_calls(calls: script.Script, fails: Callable[[script.Script], bool]) -> script.Script:
    """Leave out runs of calls, long ones first, from the end: what comes late depends on what came early."""
    size = max(1, len(calls) // 2)
    while True:
        end = len(calls)
        while end > 0:
            begin = max(0, end - size)
            shorter = calls[:begin] + calls[end:]
            if shorter and fails(shorter):
                calls = shorter
            end = begin
        if size == 1:
            return calls
        size = size // 2


def _merged_grants(calls: script.Script, fails: Callable[[script.Script], bool]) -> script.Script:
    """Ask at once for what was asked for in two calls."""
    merged = True
    while merged:
        merged = False
        places = [place for place, call in enumerate(calls) if isinstance(call, script.Allocate)]
        for first, second in itertools.pairwise(places):
            candidate = _with_one_grant(calls, first, second)
            if candidate and fails(candidate):
                calls, merged = candidate, True
                break
    return calls


def _with_one_grant(calls: script.Script, first: int, second: int) -> script.Script:
    one, other = calls[first], calls[second]
    assert isinstance(one, script.Allocate)
    assert isinstance(other, script.Allocate)
    if one.originals or other.originals or one.wipe != other.wipe:
        return ()
    both = _but(one, "demand", [a + b for a, b in zip(one.demand, other.demand, strict=True)])

    def named(call: script.AnyCall) -> script.AnyCall:
        return _renamed(call, lambda band, of, n: (one.label, one.demand[band] + n) if of == other.label else (of, n))

    rest = calls[first + 1 : second] + calls[second + 1 :]
    return (*calls[:first], both, *[named(call) for call in rest])


def _asking_at_last(calls: script.Script, fails: Callable[[script.Script], bool]) -> script.Script:
    """End with a demand instead of the question whether it would be met: worse than what is said is what is done."""
    last = calls[-1]
    if not isinstance(last, script.Plan):
        return calls
    label = 1 + max((getattr(call, "label", 0) for call in calls), default=0)
    candidate = (*calls[:-1], script.Allocate(label, last.demand, last.settle))
    return candidate if fails(candidate) else calls


def _compacting_at_last(calls: script.Script, fails: Callable[[script.Script], bool]) -> script.Script:
    """End with an idle moment instead of a demand for which pages move."""
    candidate = (*calls[:-1], script.Compact(1 << 40))
    return candidate if isinstance(calls[-1], script.Allocate) and fails(candidate) else calls


def _smaller_calls(calls: script.Script, fails: Callable[[script.Script], bool]) -> script.Script:
    for place in reversed(range(len(calls))):
        smaller = True
        while smaller:
            smaller = False
            for call in _smaller(calls[place]):
                candidate = (*calls[:place], call, *calls[place + 1 :])
                if fails(candidate):
                    calls, smaller = candidate, True
                    break
    return calls


def _smaller_grants(calls: script.Script, fails: Callable[[script.Script], bool]) -> script.Script:
    """Ask only for pages of which something is said afterwards."""
    for call in [call for call in calls if isinstance(call, script.Allocate)]:
        for band, count in enumerate(call.demand):
            named = {place for other in calls for of, place in script.names_of(other, band) if of == call.label}
            if len(named) < count:
                places = {place: new for new, place in enumerate(sorted(named))}
                candidate = _with_places(calls, call.label, band, places)
                if fails(candidate):
                    calls = candidate
    return calls


def _renamed(call: script.AnyCall, name: Callable[[int, int, int], script.Id | None]) -> script.AnyCall:
    """A call in which each id, of a band, a label and a place, has another name, or is left out."""

    def names(band: int, ids: list[script.Id]) -> list[script.Id]:
        return [new for new in (name(band, *old) for old in ids) if new is not None]

    if isinstance(call, script.Allocate):
        return _but(call, "originals", [names(band, ids) for band, ids in enumerate(call.originals)])
    ids = getattr(call, "ids", [])
    return _but(call, "ids", names(getattr(call, "band", 0), ids)) if ids else call


def _with_places(calls: script.Script, label: int, band: int, places: dict[int, int]) -> script.Script:
    """The script in which an allocation gives only these places of a band, renumbered."""

    def named(call: script.AnyCall) -> script.AnyCall:
        if isinstance(call, script.Allocate) and call.label == label:
            call = _but(call, "demand", [*call.demand[:band], len(places), *call.demand[band + 1 :]])
            if script.names_of(call, band):
                # copies come first, and those that are left still do
                left = [name for place, name in enumerate(script.names_of(call, band)) if place in places]
                call = _with_originals(call, band, left)
        return _renamed(
            call, lambda of_band, of, n: (of, places[n]) if (of_band, of) == (band, label) and n in places else (of, n)
        )

    return tuple(named(call) for call in calls)


def _with_originals(call: script.AnyCall, band: int, ids: list[script.Id]) -> script.AnyCall:
    originals = getattr(call, "originals", [])
    return _but(call, "originals", [*originals[:band], ids, *originals[band + 1 :]])


def _smaller(call: script.AnyCall) -> Iterator[script.AnyCall]:
    """What asks for less than a call, the least first."""
    for field in ("ids", "settle", "waits"):
        members: list[Any] = getattr(call, field, [])
        size = len(members)
        while size:
            for begin in range(0, len(members), size):
                rest = members[:begin] + members[begin + size :]
                if rest or field != "ids":
                    yield _but(call, field, rest)
            size = size // 2
    if isinstance(call, script.Allocate) and call.wipe:
        yield _but(call, "wipe", False)
    if isinstance(call, script.Allocate) and any(call.originals):
        yield _but(call, "originals", [])
        for band, ids in enumerate(call.originals):
            for place in range(len(ids)):
                yield _with_originals(call, band, ids[:place] + ids[place + 1 :])
    if isinstance(call, script.Allocate | script.Plan):
        for band, count in enumerate(call.demand):
            for less in dict.fromkeys((0, count // 2, count - 1)):
                if 0 <= less < count:
                    yield _but(call, "demand", [*call.demand[:band], less, *call.demand[band + 1 :]])
    if isinstance(call, script.Advance):
        for less in dict.fromkeys((0, call.choice // 2, call.choice - 1)):
            if 0 <= less < call.choice:
                yield _but(call, "choice", less)


def _but(call: script.AnyCall, field: str, value: Any) -> script.AnyCall:
    changed: script.AnyCall = msgspec.structs.replace(call, **{field: value})
    return changed


def _relabelled(calls: script.Script) -> script.Script:
    """The same with names numbered from 0, allocations and tickets each by themselves."""
    allocations: dict[int, int] = {}
    tickets: dict[int, int] = {}
    for call in calls:
        if isinstance(call, script.Allocate):
            allocations[call.label] = len(allocations)
        elif isinstance(call, script.Open):
            tickets[call.label] = len(tickets)

    def label_of(allocation: int) -> int | None:
        return allocation if allocation == script.NOT_GIVEN else allocations.get(allocation)

    def known(labels: list[int]) -> list[int]:
        return [tickets.get(label, label) for label in labels if label in tickets or label == script.NEVER_OPENED]

    def named(call: script.AnyCall) -> script.AnyCall:
        call = _renamed(call, lambda _, of, place: None if (to := label_of(of)) is None else (to, place))
        values = {name: getattr(call, name) for name in call.__struct_fields__}
        if isinstance(call, script.Allocate):
            values["label"] = allocations[call.label]
        elif isinstance(call, script.Open):
            values["label"] = tickets[call.label]
        for field in ("settle", "waits"):
            if field in values:
                values[field] = known(values[field])
        if "ticket" in values:
            values["ticket"] = tickets.get(values["ticket"], script.NEVER_OPENED)
        return type(call)(**values)

    return tuple(named(call) for call in calls if known([getattr(call, "ticket", script.NEVER_OPENED)]))
