"""The scenes of the arena as a trace, so that the judge says of an offence what it would say of an allocator's."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from bandgap.documents.scenes.stage import Act
from events import records as r
from properties.examples import Arena
from spec.judge.judge import Judge
from spec.judge.verdict import Finding
from spec.state import READ

STREAM = "compute"
"""The stream of the tickets that are no transfers, oldest first."""

DONE = r.End()

SIDES: Mapping[str, Callable[[int, int], r.Step]] = {
    "grow-low": r.GrewLow,
    "grow-high": r.GrewHigh,
    "absorb-low": r.AbsorbedLow,
    "absorb-high": r.AbsorbedHigh,
}
"""What the allocator writes of a span that changes at a side."""


def finding_of(start: Arena, names: Sequence[str], before: Sequence[Act], wrong: Act) -> Finding | None:
    """What the judge finds when, after these steps, something wrong is done; None if it is right as a call.

    Raises:
        ValueError: it finds something in the steps before, or there is an action that no record says.
    """
    judge = Judge()
    for record in (*opening(start, names), *(record for act in before for record in records_of(start, names, act))):
        finding = judge.take(record)
        if finding is not None:
            raise ValueError(f"the judge objects to what leads up to it: {finding}")
    for record in records_of(start, names, wrong):
        finding = judge.take(record)
        if finding is not None:
            return finding
    return None


def opening(start: Arena, names: Sequence[str]) -> Iterator[r.AnyRecord]:
    """How a trace of a scene begins: the arena, its tables, and the tickets."""
    bands = [
        r.Band(name, size, origin, 1)
        for name, size, origin in zip(names, start.shape.sizes, start.origins, strict=True)
    ]
    yield r.Header(r.VERSION, "a worked example", "toy", bands, start.base, start.capacity, start.bottom, start.top)
    ends = [(start.table("lo").get((band,), 0), start.table("hi").get((band,), 0)) for band in range(len(bands))]
    yield r.Snapshot([r.BandState(lo, hi, [], [], [], [], [], []) for lo, hi in ends], [], {}, 0, [])
    for ticket in range(start.shape.tickets):
        if start.table("is_transfer").get((ticket,)):
            yield r.Open(ticket, "transfer")
        else:
            yield r.Open(ticket, "forward", STREAM)
        yield DONE


def records_of(start: Arena, names: Sequence[str], act: Act) -> Iterator[r.AnyRecord]:
    """An action as the call that asks for it, the allocator's step if it is one, and the end."""
    action, *given = act
    numbers = [int(each) for each in given]
    bands = range(len(names))
    end = DONE
    match action:
        case "grow-low" | "grow-high" | "absorb-low" | "absorb-high":
            yield r.Compact(start.capacity)
            yield SIDES[action](numbers[0], 1)
        case "appear":
            yield r.Compact(start.capacity)
            yield r.Appeared(*numbers)
        case "move":
            yield r.Compact(start.capacity)
            yield r.Moved(numbers[0], numbers[1:2], numbers[2:])
        case "allocate" | "fork":
            band, page, vid, *copied = numbers
            originals = [copied if other == band else [] for other in bands] if copied else []
            yield r.Allocate([int(other == band) for other in bands], [], originals)
            yield r.Forked(band, [page], [vid], copied) if copied else r.Allocated(band, [page], [vid])
            end = r.End("done", [[vid] if other == band else [] for other in bands])
        case "allocate-wiped":
            band, page, vid, _ = numbers
            yield r.Allocate([int(other == band) for other in bands], wipe=True)
            yield r.Wiped(band, [page], [vid])
            end = r.End("done", [[vid] if other == band else [] for other in bands])
        case "share":
            yield r.Share(numbers[0], numbers[1:])
        case "unshare" | "free":
            yield r.Release(numbers[0], numbers[1:])
        case "hold":
            ticket, band, vid, mode = numbers
            yield r.Hold(ticket, band, "read" if mode == READ else "write", [vid])
        case "complete":
            yield r.Complete(*numbers)
        case "settle":
            yield r.Settle(*numbers)
        case "drain":
            yield r.Drain()
        case "issue":
            ticket, band, page, value = numbers
            yield r.Issue(ticket, band, [page], [value])
        case "land":
            yield r.Land(numbers[0], numbers[1:])
        case "publish" | "unpublish":
            yield (r.Publish if action == "publish" else r.Unpublish)(f"p{numbers[0]}")
        case _:
            raise ValueError(f"no record says {action!r}")
    yield end
