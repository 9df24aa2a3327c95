"""A request's share of a forward, fixed when it is launched: which tokens it computes, and where its rows are."""

from typing import NamedTuple

import numpy as np

from impl.chain import Chain
from impl.layout import Kind, Lifetime
from impl.numbers import Int64
from impl.requests.reach import first_written
from impl.requests.request import Request


class Share(NamedTuple):
    """What a forward computes of one request, in virtual ids throughout.

    Attributes:
        start: the position of its first new token.
        end: one past the position of its last new token.
        rows: of each band the virtual rows of its last tokens, the new ones last; of a state the slot alone.
        read: of each band the virtual pages that are only read.
        written: of each band the virtual pages that are written.
    """

    start: int
    end: int
    rows: tuple[Int64, ...]
    read: tuple[tuple[int, ...], ...]
    written: tuple[tuple[int, ...], ...]


def share_of(chain: Chain, request: Request, start: int) -> Share:
    """The share of a request whose tokens from `start` on have pages, and are to be computed."""
    kinds = [band.kind for band in chain.bands]
    first = [first_written(kind, start) - request.first[band] for band, kind in enumerate(kinds)]
    return Share(
        start,
        request.tokens,
        tuple(_rows(kind, request, band) for band, kind in enumerate(kinds)),
        tuple(tuple(ids[:place]) for ids, place in zip(request.pages, first, strict=True)),
        tuple(tuple(ids[place:]) for ids, place in zip(request.pages, first, strict=True)),
    )


def _rows(kind: Kind, request: Request, band: int) -> Int64:
    ids = np.array(request.pages[band], dtype=np.int64)
    if kind.lifetime is Lifetime.STATE:
        return ids
    rows: Int64 = (ids[:, None] * kind.page_tokens + np.arange(kind.page_tokens)).ravel()
    return rows[: request.tokens - request.first[band] * kind.page_tokens]
