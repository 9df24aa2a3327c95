"""A prefix cache for entries whose draft rows are made of the token after theirs."""

from collections.abc import Sequence

from impl.serving.prefix.cache import PrefixCache
from impl.serving.prefix.node import Key


class BigramCache(PrefixCache):
    """Knows a page by its own tokens and the one after them, of which the draft's row of its last token is made.

    So of a text of so many whole pages the last one is known only with another token after it.
    """

    def _keys(self, tokens: Sequence[int]) -> list[Key]:
        size = self.page_tokens
        return [tuple(tokens[begin : begin + size + 1]) for begin in range(0, len(tokens) - size, size)]
