"""A share, cut: the same pages as a part of a forward finds them that computes fewer tokens."""

from impl.chain import Chain
from impl.layout import Lifetime
from impl.serving.engine.share import Share


def within(chain: Chain, share: Share, begin: int, end: int) -> Share:
    """The share of the tokens from `begin` to `end`, as if there were none after them.

    Args:
        chain: of the share.
        share: of a forward.
        begin: not before the share's first token.
        end: not beyond its last one.
    """
    rows = tuple(
        rows if band.kind.lifetime is Lifetime.STATE else rows[: len(rows) - (share.end - end)]
        for band, rows in zip(chain.bands, share.rows, strict=True)
    )
    return share._replace(start=begin, end=end, rows=rows)
