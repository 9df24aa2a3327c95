"""Decode context parallelism: each rank keeps its share of the tokens of a page, and attends to those alone.

Token t is kept by rank t % n. To all that counts tokens, a page has n times the tokens that a rank keeps of it: its
rows are *widened*. So a page slides out of a window when none of its tokens, of all ranks, is looked back on any more.
Widened rows are collapsed to the rows of this rank in one place, `collapsed`.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from impl.chain import BandGeometry, Chain
from impl.device.arena import ArenaDevice
from impl.layout import Layout, Lifetime
from impl.numbers import Int64
from impl.serving.engine.engine import Engine, EngineOf, Policy
from impl.serving.engine.memory import Memory
from impl.serving.engine.model import Model
from impl.serving.engine.paged import PagedMemory
from impl.serving.engine.places import Places
from impl.serving.engine.rank import Rank
from impl.serving.engine.share import Share
from impl.serving.engine.sharing import Sharing
from impl.serving.parallel.agreeing import in_agreement
from impl.serving.parallel.group import Group
from impl.serving.parallel.witness import Planned, Witness


def widened(chain: Chain, of: int) -> Chain:
    """The chain as it is for those who count tokens: a page has those of all ranks.

    Args:
        chain: of one rank's allocator.
        of: so many ranks.
    """
    return replace(chain, bands=tuple(_widened(band, of) for band in chain.bands))


def _widened(band: BandGeometry, of: int) -> BandGeometry:
    if band.kind.lifetime is Lifetime.STATE:
        # it has no tokens to be shared out: every rank keeps the whole of it
        return band
    tokens = band.page_tokens * of
    return replace(band, kind=replace(band.kind, page_tokens=tokens), page_tokens=tokens)


def collapsed(rows: Int64, rank: Rank) -> Int64:
    """Of some widened rows those that this rank keeps, as they are numbered in its own pages."""
    own: Int64 = rows[rows % rank.of == rank.number] // rank.of
    return own


def own_positions(rank: Rank, begin: int, end: int) -> range:
    """Those of the positions begin <= t < end that this rank keeps."""
    return range(begin + (rank.number - begin) % rank.of, end, rank.of)


class ContextMemory(Memory):
    """A request's memory on one rank: of full attention and of windows the own tokens, and all of a state.

    Args:
        rank: this one.
        device: holds the bytes.
        places: of its chain.
        share: what is computed, in widened rows.
    """

    def __init__(self, rank: Rank, device: ArenaDevice[Any], places: Places, share: Share) -> None:
        self._rank, self._start = rank, share.start
        rows = tuple(
            ids if band.kind.lifetime is Lifetime.STATE else collapsed(ids, rank)
            for band, ids in zip(device.chain.bands, share.rows, strict=True)
        )
        self._paged = PagedMemory(device, places, share._replace(rows=rows))

    @property
    def start(self) -> int:
        """See `Memory.start`."""
        return self._start

    def append(self, layer: int, part: str, values: torch.Tensor) -> torch.Tensor:
        """See `Memory.append`: of all tokens those that this rank keeps."""
        positions = own_positions(self._rank, self._start, self._start + len(values))
        return self._paged.append(layer, part, values[[position - self._start for position in positions]])

    def slot(self, layer: int, part: str) -> torch.Tensor:
        """See `Memory.slot`."""
        return self._paged.slot(layer, part)

    def put(self, layer: int, part: str, value: torch.Tensor) -> None:
        """See `Memory.put`."""
        self._paged.put(layer, part, value)

    def rounded(self, layer: int, part: str, value: torch.Tensor) -> torch.Tensor:
        """See `Memory.rounded`."""
        return self._paged.rounded(layer, part, value)


def attended_together(
    group: Group,
    queries: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    end: int,
    window: int | None,
    *,
    in_block: bool = False,
) -> torch.Tensor:
    """Attention over what all ranks keep; see `attended`.

    Each rank attends to its own keys. What it finds counts by the logarithm of the sum of its exponentiated scores
    (Flash-Decoding, 2023).

    Args:
        group: of the ranks.
        queries: the same on all ranks.
        keys: those that this rank keeps of the last tokens before `end`; there may be none.
        values: of the same tokens.
        end: tokens of the request.
        window: tokens of all ranks that each looks back on, itself included; None for all.
        in_block: whether the queries' own tokens all see each other.
    """
    heads = queries.shape[1] // keys.shape[1]
    keys, values = keys.repeat_interleave(heads, 1), values.repeat_interleave(heads, 1)
    scores = torch.einsum("qhd,khd->qhk", queries, keys) / queries.shape[-1] ** 0.5
    seeing = torch.arange(end - len(queries), end, device=queries.device)[:, None]
    own = own_positions(group.rank, 0, end)
    # what has slid out of a window is not kept
    seen = torch.tensor(own[len(own) - len(keys) :], dtype=torch.int64, device=queries.device)[None, :]
    hidden = torch.zeros_like(seen <= seeing) if in_block else seen > seeing
    if window is not None:
        hidden |= seen <= seeing - window
    scores = scores.masked_fill(hidden[:, None, :], float("-inf"))
    sizes = scores.logsumexp(-1, keepdim=True)
    # a rank that keeps nothing which a query sees has no weights, and counts for nothing
    weights = (scores - sizes).exp().nan_to_num(0.0)
    # what no query sees may be no number, and nothing of it may get through
    values = values.masked_fill(hidden.all(0)[:, None, None], 0.0)
    part = torch.einsum("qhk,khd->qhd", weights, values)
    counts = (sizes - group.largest(sizes)).exp()
    together = group.total(torch.cat([counts * part, counts], dim=-1))
    return together[..., :-1] / together[..., -1:]


def context_parallel(
    group: Group,
    layout: Layout,
    allocator: Planned,
    device: ArenaDevice[Any],
    policy: Policy | None = None,
    engine_of: EngineOf = Engine,
    others: Sequence[Witness] = (),
) -> Engine:
    """The engine of one rank, which computes all heads over its own tokens; all ranks are given the same jobs.

    Args:
        group: of the ranks.
        layout: of the model on one rank alone, which is also the layout of this rank's arena.
        allocator: of this rank.
        device: of the allocator.
        policy: the same on all ranks; a prefix cache's interval is in tokens, of all ranks.
        engine_of: see `in_agreement`.
        others: see `in_agreement`.
    """
    witness = Witness(allocator, layout=True, chain=widened(allocator.chain, group.rank.of))
    model = Model(layout, sharing=Sharing(attend=partial(attended_together, group)))
    engine = in_agreement(group, model, witness, device, policy, engine_of, others)
    engine.memory_of = partial(ContextMemory, group.rank)
    return engine
