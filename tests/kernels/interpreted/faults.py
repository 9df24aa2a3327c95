"""Deliberate faults in the kernels: what is changed, which check must notice, and how."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Final

import torch

from fuzz.interpreter.findings import OutOfBounds, Overflow, Race
from impl.kernels.jitted import canaries, filling, moving, translating, updating
from tests.kernels.canaries import check_filled, check_found
from tests.kernels.filling import check_fill
from tests.kernels.interpreted.sparse import check_far_moves
from tests.kernels.lanes import Lane
from tests.kernels.moving import check_moves
from tests.kernels.translating import check_translation
from tests.kernels.updating import check_update

Check = Callable[[Lane], None]


@dataclass(frozen=True)
class KernelFault:
    """One change to a kernel's text.

    Attributes:
        name: of the fault.
        module: the kernel's.
        old: text that is there once.
        new: what it becomes.
        check: passes without the fault.
        found: what the check raises with it: a finding of the guard's, or its own AssertionError for wrong bytes.
    """

    name: str
    module: ModuleType
    old: str
    new: str
    check: Check
    found: type[Exception]


def _moves(page_bytes: int, origin: int = 0, slack: int = 0) -> Check:
    return partial(check_moves, page_bytes=page_bytes, origin=origin, slack=slack)


def _translation(page_tokens: int, unmapped: int | None = None) -> Check:
    return partial(check_translation, page_tokens=page_tokens, dtype=torch.int64, unmapped=unmapped)


FAULTS: Final = (
    KernelFault(
        "move: one word beyond the page",
        moving,
        "inside = place < words",
        "inside = place <= words",
        _moves(48),
        OutOfBounds,
    ),
    KernelFault(
        "move: the tail is left out",
        moving,
        "inside = place < words",
        "inside = place < words // TILE * TILE",
        _moves(65552),
        AssertionError,
    ),
    KernelFault(
        "move: the tail has no mask",
        moving,
        "taken, mask=inside",
        "taken",
        _moves(65552, slack=1 << 16),
        Race,
    ),
    KernelFault(
        "move: two moves share a target",
        moving,
        "target = tl.load(targets + move)",
        "target = tl.load(targets + move // 2 * 2)",
        _moves(48),
        Race,
    ),
    KernelFault(
        "move: the next page is written",
        moving,
        "target * words",
        "(target + 1) * words",
        _moves(48, slack=48),
        AssertionError,
    ),
    KernelFault(
        "move: the origin is left out",
        moving,
        "first + source * words",
        "source * words",
        _moves(48, origin=16),
        AssertionError,
    ),
    KernelFault(
        "move: the origin is counted in bytes",
        moving,
        "grid.origin // UNIT",
        "grid.origin",
        _moves(48, origin=16),
        OutOfBounds,
    ),
    KernelFault(
        "move: the page's offset has 32 bits",
        moving,
        "first + target * words",
        "first + (target.to(tl.int32) * words.to(tl.int32))",
        check_far_moves,
        Overflow,
    ),
    KernelFault(
        "move: the offset is cut to 32 bits",
        moving,
        "first + source * words",
        "(first + source * words).to(tl.int32)",
        check_far_moves,
        Overflow,
    ),
    KernelFault(
        "move: a program too few for the last part of a page",
        moving,
        "sources.numel() * tile.per_page",
        "sources.numel() * tile.per_page - 1",
        _moves(48),
        AssertionError,
    ),
    KernelFault(
        "translate: no clamp to the sink",
        translating,
        "tl.maximum(page, 0) * PAGE_TOKENS",
        "page * PAGE_TOKENS",
        _translation(16),
        AssertionError,
    ),
    KernelFault(
        "translate: ids beyond the table are looked up",
        translating,
        " & (number < pages)",
        "",
        _translation(16),
        OutOfBounds,
    ),
    KernelFault(
        "translate: one id beyond the table is looked up",
        translating,
        "number < pages",
        "number <= pages",
        _translation(1),
        OutOfBounds,
    ),
    KernelFault(
        "translate: -1 is looked up at one token a page",
        translating,
        " & (virtual >= 0)",
        "",
        _translation(1),
        OutOfBounds,
    ),
    KernelFault(
        "translate: a negative remainder",
        translating,
        "(virtual % PAGE_TOKENS + PAGE_TOKENS) % PAGE_TOKENS",
        "virtual % PAGE_TOKENS",
        _translation(16),
        AssertionError,
    ),
    KernelFault(
        "translate: physical ids of 32 bits",
        translating,
        "tl.maximum(page, 0) * PAGE_TOKENS",
        "tl.maximum(page, 0).to(tl.int32) * PAGE_TOKENS",
        _translation(16),
        Overflow,
    ),
    KernelFault(
        "translate: results beyond the last",
        translating,
        "physical, mask=asked",
        "physical",
        _translation(16),
        OutOfBounds,
    ),
    KernelFault(
        "translate: the sink is told to state kernels",
        translating,
        "if not TO_SINK:",
        "if TO_SINK:",
        _translation(1, -1),
        AssertionError,
    ),
    KernelFault(
        "update: the neighbour's entry",
        updating,
        "table + number,",
        "table + (number + 1) % entries,",
        partial(check_update, count=129),
        AssertionError,
    ),
    KernelFault(
        "update: one entry beyond the table",
        updating,
        "table + number,",
        "table + number + 1,",
        partial(check_update, count=129),
        OutOfBounds,
    ),
    KernelFault(
        "update: threads without an id write entry 0",
        updating,
        "tl.load(pages + place, mask=given), mask=given",
        "tl.load(pages + place, mask=given)",
        partial(check_update, count=129),
        Race,
    ),
    KernelFault(
        "canary: the check ignores the last word",
        canaries,
        "inside = place < words",
        "inside = place < words - 1",
        partial(check_found, page_bytes=16400, wrong=[16399]),
        AssertionError,
    ),
    KernelFault(
        "canary: the check ignores all but the first part of a page",
        canaries,
        "range(0, tl.cdiv(words, TILE))",
        "range(0, 1)",
        partial(check_found, page_bytes=16400, wrong=[8192]),
        AssertionError,
    ),
    KernelFault(
        "canary: the first wrong word instead of the byte",
        canaries,
        "place * 8 + byte",
        "place * 8",
        partial(check_found, page_bytes=16400, wrong=[77]),
        AssertionError,
    ),
    KernelFault(
        "canary: seven bytes of each word",
        canaries,
        "tl.static_range(8)",
        "tl.static_range(7)",
        partial(check_found, page_bytes=48, wrong=[47]),
        AssertionError,
    ),
    KernelFault(
        "canary: all pages have the same pattern",
        canaries,
        " + key.to(tl.uint64) * GOLDEN",
        "",
        partial(check_filled, page_bytes=48),
        AssertionError,
    ),
    KernelFault(
        "canary: the pattern begins anew in each part of a page",
        canaries,
        "pattern(key, stream, place), mask=place < words",
        "pattern(key, stream, tl.arange(0, TILE)), mask=place < words",
        partial(check_filled, page_bytes=16400),
        AssertionError,
    ),
    KernelFault(
        "canary: the results of two pages meet",
        canaries,
        "out + (number * 2 + 1)",
        "out + (number * 2 + 2)",
        partial(check_found, page_bytes=48, wrong=[]),
        OutOfBounds,
    ),
    KernelFault(
        "fill: the last 16 bytes stay",
        filling,
        "mask=place < words",
        "mask=place < words - 2",
        partial(check_fill, page_bytes=48, byte=0),
        AssertionError,
    ),
    KernelFault(
        "fill: 16 bytes too many",
        filling,
        "mask=place < words",
        "mask=place < words + 2",
        partial(check_fill, page_bytes=48, byte=0),
        OutOfBounds,
    ),
)
