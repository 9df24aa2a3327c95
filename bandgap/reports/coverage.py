"""What of the specification was exercised, by all lanes together, as people and programs read it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from bandgap.gate.lane import GateResult, LaneResult
from fuzz.floors import DIFFERENT, Reached, reached

SHOWN: Final = 12
"""Of what was never exercised, so much is named in a terminal; the report and the document name all of it."""


def of_gate(result: GateResult) -> tuple[Reached, ...]:
    """What was reached of each part of the specification; nothing where no lane has called an allocator."""
    times: Counter[str] = Counter()
    for lane in result.lanes:
        times.update(dict(lane.evidence.coverage))
    parts = tuple(reached(times))
    return parts if any(each.number for each in parts) else ()


def lines(parts: Sequence[Reached]) -> Iterator[str]:
    """How much was reached, and by name what never was."""
    if not parts:
        return
    yield "exercised: " + ", ".join(f"{each.number} of {len(each.part.names)} {each.part.what}" for each in parts)
    for each in parts:
        if each.never:
            named = [name.partition(" ")[2] for name in each.never[:SHOWN]]
            more = f"; and {len(each.never) - SHOWN} more" if len(each.never) > SHOWN else ""
            yield f"never, of the {each.part.what}: {'; '.join(named)}{more}"


def document(parts: Sequence[Reached]) -> list[dict[str, Any]]:
    """The same as a document, with every name."""
    return [
        {"what": each.part.what, "reached": each.number, "of": len(each.part.names), "never": list(each.never)}
        for each in parts
    ]


def rows(lane: LaneResult) -> list[tuple[str, int, int]]:
    """What a lane exercised or should have, how often, and how often is asked for; pairs are left out.

    What was exercised too seldom comes first; of a lane of which nothing was asked for there is nothing.
    """
    if lane.left_out:
        return []
    times: Mapping[str, int] = dict(lane.evidence.coverage)
    named = dict.fromkeys((*times, *(what for what in lane.floors if what not in DIFFERENT)))
    pairs = tuple(DIFFERENT.values())
    told = [(what, times.get(what, 0), lane.floors.get(what, 0)) for what in named if not what.startswith(pairs)]
    return sorted(told, key=lambda row: row[1] >= row[2])
