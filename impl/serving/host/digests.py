"""What a page is known by below the device: the text up to its end, and what the layout and the weights made of it."""

import hashlib
from collections.abc import Sequence
from typing import Final

import numpy as np

from impl.layout import Layout
from impl.serving.prefix.node import Key

DIGEST_BYTES: Final = 16
"""Of BLAKE2b: that two texts of a trillion share one is as likely as one in 10^14."""


def digests_of(keys: Sequence[Key]) -> list[bytes]:
    """Of each page of a text a digest of all tokens up to the page's end.

    What a page holds depends on all tokens before it, so its own tokens do not name it; and a virtual page does not
    either, since it is another text's when it is handed out again.
    """
    digests = []
    digest = b""
    for key in keys:
        digest = hashlib.blake2b(digest + np.array(key, dtype="<i8").tobytes(), digest_size=DIGEST_BYTES).digest()
        digests.append(digest)
    return digests


def fingerprint_of(layout: Layout, identity: str) -> bytes:
    """What the bytes of a page mean: pages of another fingerprint are of no use.

    Args:
        layout: says where which row is.
        identity: of all else that decides the bytes: the weights, and the rank that computes.
    """
    kinds = [
        (
            (kind.name, kind.lifetime.name, kind.window, kind.page_tokens, kind.page_bytes),
            [(row.layer, row.part, row.offset, row.dtype.name, row.shape) for row in kind.rows],
        )
        for kind in layout.kinds
    ]
    return hashlib.blake2b(repr((identity, kinds)).encode(), digest_size=DIGEST_BYTES).digest()
