"""Who has a page: every reference to one is somebody's, and no job has a page of which it needs nothing any more."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fuzz.serving.hosting import Hosted
from fuzz.serving.running import Served
from fuzz.violation import Violation
from impl.layout import Kind, Lifetime
from impl.recording import RecordedAllocator
from impl.requests.request import Request
from impl.serving.engine.engine import Engine
from impl.serving.engine.forward import Part
from impl.serving.engine.job import Job
from impl.serving.prefix.cache import PrefixCache
from impl.serving.speculation.turn import Step, Turn
from impl.serving.transfer.receiver import Receiver
from impl.serving.transfer.sender import Sender

Holder = Sequence[Iterable[int]]
"""Of each band virtual pages, to each of which somebody has one reference."""


class Need(NamedTuple):
    """Which tokens of a request matter.

    Attributes:
        request: has pages.
        final: so many first tokens will never be taken back: what comes next looks back from there.
        end: one past the last token that is computed, or under way.
    """

    request: Request
    final: int
    end: int


def look_at_holders(served: Served, end: Sender | Receiver | None = None) -> None:
    """See who has the pages of an engine's arena, and of the host's below it.

    Args:
        served: the engine.
        end: of transfers, with pages in the same arena.

    Raises:
        Violation: somebody has a page that he does not need, or counts on a reference that is not there.
    """
    needs = [need for job in served.engine.running for need in needs_of(served.engine, job)]
    if isinstance(end, Sender):
        sent = [each.request for each in (*end._going.values(), *end._given_up) if each.request is not None]
        needs += [Need(request, request.tokens, request.tokens) for request in sent]
    # where ranks share tokens out, a page has those of all of them
    kinds = [band.kind for band in served.engine.requests.chain.bands]
    for need in needs:
        _see_that_it_is_needed(kinds, need)
    holders: list[Holder] = [need.request.pages for need in needs]
    if served.engine.prefix is not None:
        holders += _cached(served.engine.prefix, len(served.layout.kinds))
    if isinstance(end, Receiver):
        holders += [incoming.ids for incoming in (*end._waiting, *end._open.values())]
    _compare("the arena", served.allocator, holders)
    if isinstance(served, Hosted):
        _compare("the host's arena", served.host, _below(served))


def needs_of(engine: Engine, job: Job) -> Iterator[Need]:
    """A job's request, and a fork of it for each guess under way from which it may have to go back."""
    request = job.request
    assert request is not None, "it runs"
    own = [part for part in _under_way(engine) if part.request is request]
    starts, ends = [part.share.start for part in own], [part.share.end for part in own]
    yield Need(request, min(starts, default=request.launched), max(ends, default=request.launched))
    for part in own:
        if isinstance(part, Turn) and part.kept is not None:
            yield Need(part.kept, min(starts), part.last_known)


def _under_way(engine: Engine) -> Iterator[Part | Turn]:
    """What forwards in flight compute, and not in vain."""
    for forward in engine._flying:
        if isinstance(forward, Step):
            yield from (turn for turn in forward.turns if not turn.is_void)
        else:
            yield from forward.parts


def _see_that_it_is_needed(kinds: Sequence[Kind], need: Need) -> None:
    for band, kind in enumerate(kinds):
        first, needed = need.request.first[band], _needed(kind, need)
        has = range(first, first + len(need.request.pages[band]))
        if not set(has) <= set(needed):
            what = f"a request of {need.end} tokens, {need.final} of them final, has the places {has} of {kind.name}"
            raise Violation("held-as-needed", f"{what}, and needs {needed}")


def _needed(kind: Kind, need: Need) -> range:
    """The places of a kind in which there is a token that the next one looks back on, or one after that."""
    if kind.lifetime is Lifetime.STATE:
        return range(1)
    begin = 0 if kind.window is None else max(0, need.final - kind.window + 1)
    return range(begin // kind.page_tokens, -(-need.end // kind.page_tokens))


def _cached(prefix: PrefixCache, bands: int) -> Iterator[Holder]:
    for node in prefix._recency:
        yield [
            [vid for vid in node.pages.get(band, [node.states.get(band)]) if vid is not None] for band in range(bands)
        ]


def _below(hosted: Hosted) -> list[Holder]:
    kept: list[list[int]] = [[] for _ in hosted.layout.kinds]
    for place, vid in hosted.cache.host_pages._ids.items():
        kept[place.band].append(vid)
    return [kept, *(copy.host_pages for copy in hosted.cache.copies.flying)]


def _compare(where: str, allocator: RecordedAllocator, holders: Iterable[Holder]) -> None:
    """See that all references of an arena are somebody's, and that each of theirs is there."""
    holders = list(holders)
    for band, name in enumerate(allocator.chain.names):
        known = Counter(vid for ids in holders if ids for vid in ids[band])
        found = Counter(allocator.references(band).tolist())
        if known - found:
            problem = f"somebody counts on references to {name} pages in {where} that are not there: {known - found}"
            raise Violation("references", problem)
        if found - known:
            problem = f"references to {name} pages in {where} are nobody's: {found - known}"
            raise Violation("held-as-needed", problem)
