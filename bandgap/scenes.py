"""What a failure did to the arena: before and after, with the bytes that are wrong marked."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bandgap.history.focus import focus_of
from bandgap.pictures import Arena, Band, Look, Mark, Status
from bandgap.traces.picture import picture_of
from events.records import AnyRecord, Call, End
from spec.judge.judge import Judge
from spec.judge.verdict import Finding

_PLACE = re.compile(r"of band (?P<band>\d+)\b.*?\bat page (?P<page>\d+)(?:.*\bfrom byte (?P<byte>\d+))?")
"""How a problem tells where a page was found wrong by reading it back."""


@dataclass(frozen=True)
class Scene:
    """The arena before and after, and what neither shows."""

    before: Arena
    after: Arena
    facts: tuple[str, ...] = ()


def scene_of(records: Sequence[AnyRecord], check: str, problem: str, since: int | None = None) -> Scene | None:
    """The scene of a failure, from its trace: the action that the judge objects to, else all that the last call did.

    None where the trace has no arena, as when an allocator could not even begin.

    Args:
        records: up to what broke.
        check: what broke.
        problem: what was seen.
        since: records before the last call; those before the last one of the trace, if left out.
    """
    judge = Judge()
    finding = None
    for record in records:
        finding = judge.take(record)
        if finding is not None:
            break
    if judge.state is None:
        return None
    if finding is not None:
        drawn = picture_of(judge, finding)
        if drawn is not None and drawn.after is not None:
            return Scene(drawn.before, drawn.after, drawn.facts)
    if since is None:
        since = max((at for at, record in enumerate(records) if isinstance(record, Call)), default=len(records))
    earlier = Judge()
    for record in records[:since]:
        earlier.take(record)
    if finding is not None and isinstance(finding.record, End) and finding.record.outcome == "failed":
        # what the judge made of the call is not what the allocator did
        judge = earlier
    return _between(earlier, judge, check, problem)


def _between(earlier: Judge, judge: Judge, check: str, problem: str) -> Scene | None:
    before, after = _arena(earlier), _arena(judge)
    if before is None or after is None:
        return None
    marks = [*_changed(before, after), *(_read_back(after, problem) or _named(judge, after, check, problem))]
    return Scene(before, replace(after, marks=marks))


def _arena(judge: Judge) -> Arena | None:
    """The arena as the judge knows it, without marks."""
    drawn = picture_of(judge, Finding(judge.lines, "agreement", "trace", "nothing in particular"))
    return drawn.before if drawn else None


def _changed(before: Arena, after: Arena) -> Iterator[Mark]:
    for number, (was, now) in enumerate(zip(before.bands, after.bands, strict=True)):
        for page in sorted({page for page, _ in _looks(was).items() ^ _looks(now).items()}):
            yield Mark(number, now.address(page), now.address(page + 1), Look.CHANGED)


def _looks(band: Band) -> dict[int, tuple[Status, str]]:
    holes = dict.fromkeys(range(band.lo, band.hi), (Status.HOLE, ""))
    return {**holes, **{page.number: (page.status, page.label) for page in band.pages}}


def _named(judge: Judge, arena: Arena, check: str, problem: str) -> Iterator[Mark]:
    """The pages of which the problem speaks."""
    for number, page in focus_of(None, check, problem, judge.header).places:
        if number < len(arena.bands):
            band = arena.bands[number]
            yield Mark(number, band.address(page), band.address(page + 1), Look.WRONG)


def _read_back(arena: Arena, problem: str) -> Sequence[Mark]:
    """The bytes of which the problem says that they are not what was written."""
    found = _PLACE.search(problem)
    if found is None or int(found["band"]) >= len(arena.bands):
        return ()
    number, page = int(found["band"]), int(found["page"])
    band = arena.bands[number]
    first = int(found["byte"]) if found["byte"] else band.address(page)
    return (Mark(number, first, band.address(page + 1), Look.WRONG),)
