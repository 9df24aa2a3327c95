"""Deliberate faults in the kernels: what is changed, which check must notice, and the property that breaks."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Final

import torch

from fuzz.faults.fault import Fault
from fuzz.kernels.canaries import check_filled, check_found
from fuzz.kernels.changed import changed
from fuzz.kernels.far import check_far_moves
from fuzz.kernels.filling import check_fill
from fuzz.kernels.lane import Lane
from fuzz.kernels.moving import check_moves
from fuzz.kernels.translating import check_translation
from fuzz.kernels.updating import check_update

INTERPRETER: Final = "interpreter"
"""On which faults of kernels are hunted: Triton's, guarded; see `fuzz.interpreter`."""

Check = Callable[[Lane], None]


@dataclass(frozen=True)
class Change:
    """One change to a kernel's text.

    Attributes:
        module: of `impl.kernels.jitted`, by name.
        old: text that is there once.
        new: what it becomes.
    """

    module: str
    old: str
    new: str


KERNEL_FAULTS: Final[dict[str, Fault]] = {}
CHECKS: Final[dict[str, Check]] = {}
"""By the name of a fault, what the kernel passes without it."""


def _module(name: str) -> ModuleType:
    # whether kernels are interpreted is decided when they are decorated: they are imported at last
    from impl.kernels.jitted import canaries, filling, moving, translating, updating

    modules = (canaries, filling, moving, translating, updating)
    return {module.__name__.rpartition(".")[2]: module for module in modules}[name]


def _fault(name: str, prose: str, caught_by: str, precedent: str, change: Change, check: Check) -> None:
    @contextmanager
    def apply() -> Iterator[None]:
        with changed(_module(change.module), change.old, change.new):
            yield

    KERNEL_FAULTS[name] = Fault(name, prose, "kernel", caught_by, precedent, apply, INTERPRETER)
    CHECKS[name] = check


def _moves(page_bytes: int, origin: int = 0, slack: int = 0) -> Check:
    return partial(check_moves, page_bytes=page_bytes, origin=origin, slack=slack)


def _translation(page_tokens: int, unmapped: int | None = None) -> Check:
    return partial(check_translation, page_tokens=page_tokens, dtype=torch.int64, unmapped=unmapped)


_fault(
    "move-takes-one-word-beyond-the-page",
    "The last word that is moved lies in the next page, or outside the arena.",
    "index-range",
    "an access one element beyond the last",
    Change("moving", "inside = place < words", "inside = place <= words"),
    _moves(48),
)
_fault(
    "move-leaves-the-tail-out",
    "What remains of a page behind the last whole tile is not moved.",
    "agreement",
    "sglang#31218",
    Change("moving", "inside = place < words", "inside = place < words // TILE * TILE"),
    _moves(65552),
)
_fault(
    "move-does-not-mask-the-tail",
    "The last tile of a page is written whole, over the next page.",
    "race-free",
    "sglang#31218",
    Change("moving", "taken, mask=inside", "taken"),
    _moves(65552, slack=1 << 16),
)
_fault(
    "move-gives-two-sources-one-target",
    "Of two moves, both write to the same page.",
    "race-free",
    "two destinations that are one",
    Change("moving", "target = tl.load(targets + move)", "target = tl.load(targets + move // 2 * 2)"),
    _moves(48),
)
_fault(
    "move-writes-the-next-page",
    "Each page arrives one place too high.",
    "agreement",
    "sglang#36731",
    Change("moving", "target * words", "(target + 1) * words"),
    _moves(48, slack=48),
)
_fault(
    "move-leaves-the-origin-out",
    "Sources are counted from the arena's first byte, and not from the band's.",
    "agreement",
    "sglang#31471",
    Change("moving", "first + source * words", "source * words"),
    _moves(48, origin=16),
)
_fault(
    "move-counts-the-origin-in-bytes",
    "The band's origin in bytes is taken for a count of units.",
    "index-range",
    "sglang#38592",
    Change("moving", "grid.origin // UNIT", "grid.origin"),
    _moves(48, origin=16),
)
_fault(
    "move-multiplies-in-32-bits",
    "The offset of a page is computed in 32 bits.",
    "index-range",
    "sglang#34027",
    Change("moving", "first + target * words", "first + (target.to(tl.int32) * words.to(tl.int32))"),
    check_far_moves,
)
_fault(
    "move-cuts-offsets-to-32-bits",
    "The offset of a word is cut to 32 bits.",
    "index-range",
    "vllm#47671",
    Change("moving", "first + source * words", "(first + source * words).to(tl.int32)"),
    check_far_moves,
)
_fault(
    "move-runs-a-program-too-few",
    "Nobody moves the last part of the last page.",
    "agreement",
    "a grid that is rounded down",
    Change("moving", "sources.numel() * tile.per_page", "sources.numel() * tile.per_page - 1"),
    _moves(48),
)
_fault(
    "translate-does-not-lead-to-the-sink",
    "An id without a page is translated to a negative one, and not to the sink.",
    "agreement",
    "sglang#38519",
    Change("translating", "tl.maximum(page, 0) * PAGE_TOKENS", "page * PAGE_TOKENS"),
    _translation(16),
)
_fault(
    "translate-looks-up-any-id",
    "An id beyond the page table is looked up all the same.",
    "index-range",
    "sglang#37560",
    Change("translating", " & (number < pages)", ""),
    _translation(16),
)
_fault(
    "translate-looks-up-one-id-too-many",
    "The first id beyond the page table is looked up.",
    "index-range",
    "vllm#40692",
    Change("translating", "number < pages", "number <= pages"),
    _translation(1),
)
_fault(
    "translate-looks-up-minus-one",
    "At one token a page, -1 is looked up before the table's first entry.",
    "index-range",
    "sglang#34613",
    Change("translating", " & (virtual >= 0)", ""),
    _translation(1),
)
_fault(
    "translate-has-negative-remainders",
    "The place of a negative id in its page is negative.",
    "agreement",
    "sglang#34613",
    Change("translating", "(virtual % PAGE_TOKENS + PAGE_TOKENS) % PAGE_TOKENS", "virtual % PAGE_TOKENS"),
    _translation(16),
)
_fault(
    "translate-multiplies-in-32-bits",
    "Physical ids are computed in 32 bits.",
    "index-range",
    "sglang#33974 (b)",
    Change("translating", "tl.maximum(page, 0) * PAGE_TOKENS", "tl.maximum(page, 0).to(tl.int32) * PAGE_TOKENS"),
    _translation(16),
)
_fault(
    "translate-writes-beyond-the-last-id",
    "Threads without an id write their result too.",
    "index-range",
    "an access one element beyond the last",
    Change("translating", "physical, mask=asked", "physical"),
    _translation(16),
)
_fault(
    "translate-sends-padding-to-a-state",
    "Kernels of states, which have no sink, are told the sink's entry for padding.",
    "agreement",
    "sglang#32477",
    Change("translating", "if not TO_SINK:", "if TO_SINK:"),
    _translation(1, -1),
)
_fault(
    "update-writes-the-neighbours-entry",
    "The entry of the next id is written.",
    "agreement",
    "sglang#25385",
    Change("updating", "table + number,", "table + (number + 1) % entries,"),
    partial(check_update, count=129),
)
_fault(
    "update-writes-beyond-the-table",
    "Entries are written one place too high, the last of them outside the table.",
    "index-range",
    "sglang#36403",
    Change("updating", "table + number,", "table + number + 1,"),
    partial(check_update, count=129),
)
_fault(
    "update-writes-entry-0-without-an-id",
    "Threads without an id write to entry 0.",
    "race-free",
    "sglang#37926",
    Change("updating", "tl.load(pages + place, mask=given), mask=given", "tl.load(pages + place, mask=given)"),
    partial(check_update, count=129),
)
_fault(
    "canary-ignores-the-last-word",
    "A wrong byte in the last word of a page is not found.",
    "agreement",
    "a check that looks at less than it says",
    Change("canaries", "inside = place < words", "inside = place < words - 1"),
    partial(check_found, page_bytes=16400, wrong=[16399]),
)
_fault(
    "canary-ignores-all-but-the-first-part",
    "A wrong byte behind the first tile of a page is not found.",
    "agreement",
    "a check that looks at less than it says",
    Change("canaries", "range(0, tl.cdiv(words, TILE))", "range(0, 1)"),
    partial(check_found, page_bytes=16400, wrong=[8192]),
)
_fault(
    "canary-names-the-word",
    "The first wrong byte is said to be the first of its word.",
    "agreement",
    "a check that looks at less than it says",
    Change("canaries", "place * 8 + byte", "place * 8"),
    partial(check_found, page_bytes=16400, wrong=[77]),
)
_fault(
    "canary-ignores-each-eighth-byte",
    "Of each word only seven bytes are compared.",
    "agreement",
    "a check that looks at less than it says",
    Change("canaries", "tl.static_range(8)", "tl.static_range(7)"),
    partial(check_found, page_bytes=48, wrong=[47]),
)
_fault(
    "canary-is-the-same-for-all-pages",
    "All pages have the same pattern, so that one in another's place is right.",
    "agreement",
    "sglang#31218",
    Change("canaries", " + key.to(tl.uint64) * GOLDEN", ""),
    partial(check_filled, page_bytes=48),
)
_fault(
    "canary-begins-anew-in-each-part",
    "All tiles of a page have the same pattern, so that one in another's place is right.",
    "agreement",
    "sglang#31218",
    Change(
        "canaries",
        "pattern(key, stream, place), mask=place < words",
        "pattern(key, stream, tl.arange(0, TILE)), mask=place < words",
    ),
    partial(check_filled, page_bytes=16400),
)
_fault(
    "canary-results-meet",
    "The result of a page is written over that of the next.",
    "index-range",
    "a result that two programs share",
    Change("canaries", "out + (number * 2 + 1)", "out + (number * 2 + 2)"),
    partial(check_found, page_bytes=48, wrong=[]),
)
_fault(
    "fill-leaves-16-bytes",
    "The last 16 bytes of a page keep what was there.",
    "agreement",
    "vllm#56524",
    Change("filling", "mask=place < words", "mask=place < words - 2"),
    partial(check_fill, page_bytes=48, byte=0),
)
_fault(
    "fill-writes-16-bytes-too-many",
    "The first 16 bytes of the next page are filled as well.",
    "index-range",
    "an access beyond the last element",
    Change("filling", "mask=place < words", "mask=place < words + 2"),
    partial(check_fill, page_bytes=48, byte=0),
)
