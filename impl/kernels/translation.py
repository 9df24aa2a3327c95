"""Translating virtual ids to physical ones."""

from typing import Final

import torch

from impl.kernels.arguments import check_flat, check_ids
from impl.kernels.lane import Lane, lane_for
from impl.kernels.twins import translating as twin
from impl.misuse import Misuse
from impl.numbers import is_integer

MOST_TOKENS: Final = 256
"""Tokens that a page may have."""

_LEAST, _GREATEST = -(1 << 63), (1 << 63) - 1


def translate(
    ids: torch.Tensor,
    table: torch.Tensor,
    page_tokens: int,
    *,
    out: torch.Tensor | None = None,
    unmapped: int | None = None,
    lane: Lane | None = None,
) -> torch.Tensor:
    """The physical id of each virtual id: `table[id // page_tokens] * page_tokens + id % page_tokens`.

    An id is *unmapped* if it is negative, if it is `len(table) * page_tokens` or more, or if its table entry is
    negative. By default it becomes entry `id % page_tokens` (never negative) of page 0, which is the sink's in a token
    band, so that a padded write lands where nobody reads. The entry of an id that was never handed out is 0, which
    leads there too. A state band has no sink, and its page 0 is a slot as any other; its kernels skip padded rows, so
    give `unmapped=-1`.

    Args:
        ids: int32 or int64, any shape; virtual token ids, or state slots where `page_tokens` is 1.
        table: int64 [pages], at least one; the physical page of each virtual one.
        page_tokens: 1 to 256.
        out: int64, of the shape of `ids`, which it may be itself; with it nothing is allocated, as the capture of a
            CUDA graph requires.
        unmapped: what an unmapped id becomes, of 64 bits; None for the sink's entry.
        lane: see `lane_for`.

    Returns:
        `out`, or a new int64 tensor of the shape of `ids`.

    Raises:
        Misuse: an argument is anything else, or on another device.
    """
    chosen = lane_for(ids, lane)
    check_ids("ids", ids, table.device, (torch.int32, torch.int64))
    check_flat("table", table, table.device)
    if not table.numel():
        raise Misuse("table", table, "has no entry", "give a table of one page or more")
    if not is_integer(page_tokens) or not 1 <= page_tokens <= MOST_TOKENS:
        raise Misuse("page_tokens", page_tokens, "no size of a page", f"give an integer from 1 to {MOST_TOKENS}")
    if unmapped is not None and not is_integer(unmapped):
        raise Misuse("unmapped", unmapped, "not an integer", "give None or an integer such as -1")
    if unmapped is not None and not _LEAST <= unmapped <= _GREATEST:
        raise Misuse("unmapped", unmapped, "does not fit 64 bits", "give None or an integer such as -1")
    if out is None:
        out = torch.empty(ids.shape, dtype=torch.int64, device=ids.device)
    else:
        check_ids("out", out, ids.device, (torch.int64,))
        if out.shape != ids.shape:
            raise Misuse("out", tuple(out.shape), f"(shape) ids have {tuple(ids.shape)}", "give the same shape")
    if not ids.numel():
        return out
    if chosen == "twin":
        twin.translate(ids, table, page_tokens, out, unmapped)
    else:
        from impl.kernels.jitted import translating

        translating.launch(ids, table, page_tokens, out, unmapped).run()
    return out
