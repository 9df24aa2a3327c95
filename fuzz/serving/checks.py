"""The checks of serving that are no properties of the specification, by name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

CHECKS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "same-logits": "Every token that a job says, and each of its logits, is what the model says on memory of its "
        "own.",
        "same-draft-logits": "What a draft proposes is what it would propose if nothing had ever been guessed before.",
        "rows-are-there": "A forward finds a row for every token that it computes or looks back on.",
        "nothing-left": "Once all is said and the caches are cleared, no page is in use, no ticket is outstanding, and "
        "nobody has published an address.",
        "bookkeeping": "What an engine and its caches count is what the allocators know, and what they assert of "
        "themselves is so.",
        "held-as-needed": "A page is held exactly as long as it is needed: by a job that reads or writes a token of it "
        "again, by a cache that knows it, or by a copy or a transfer under way.",
        "gives-way-enough": "A cache that says that it gave way has freed as many pages as were lacking.",
        "gives-way-no-more": "A cache that gives way frees no more pages than were lacking.",
        "expected-bytes": "A transfer reads and writes only what its ticket holds, and what lands is published or in "
        "quarantine.",
        "misuse": "An engine makes no call that its allocator rejects.",
        "rank-lost": "No rank waits for another that takes no part.",
        "progress": "Every job that has room by itself is served, and every transfer comes to an end.",
    }
)
"""What each says."""
