"""What a forward writes, and what it only reads."""

from collections.abc import Mapping, Sequence

from impl.layout import Kind, Lifetime
from replay.engine.request import Served
from replay.memory.protocol import Pages


def uses_of(
    kinds: Sequence[Kind], running: Sequence[Served], filling: Sequence[Served], fresh: Mapping[Served, Sequence[int]]
) -> tuple[Pages, Pages]:
    """The pages that a forward writes and those that it reads, of each kind.

    Args:
        kinds: in chain order.
        running: the batch.
        filling: those of it of whose prompts it computes a stretch.
        fresh: of each kind, how many pages each request was given since the forward was launched.
    """
    written: list[list[int]] = [[] for _ in kinds]
    read: list[list[int]] = [[] for _ in kinds]
    begins = {request: request.done - request.chunk for request in filling}
    for request in running:
        began = begins.get(request)
        if began is None and request.start < 0:
            continue
        newer = fresh.get(request)
        for band, (kind, pages) in enumerate(zip(kinds, request.pages, strict=True)):
            ids = pages if newer is None else pages[: len(pages) - newer[band]]
            if kind.lifetime is Lifetime.STATE:
                written[band] += ids
                continue
            index = max(0, len(ids) - 1 if began is None else began // kind.page_tokens - request.first[band])
            read[band] += ids[:index]
            written[band] += ids[index:]
    return written, read
