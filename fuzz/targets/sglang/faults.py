"""Deliberate faults for SGLang's allocator, of sorts that the field has really had, put in by replacing methods."""

from collections.abc import Iterator
from typing import Any, Final

import torch

from fuzz.peers.inside.driver import Fault
from fuzz.peers.inside.forcing import faults_into, replaced
from fuzz.targets.sglang.building import COMPOSITES, SETUPS, SUB_POOLS

MultiEndedAllocator, FloatMultiEndedAllocator = SUB_POOLS.MultiEndedAllocator, SUB_POOLS.FloatMultiEndedAllocator
UnifiedSWATokenToKVPoolAllocator = COMPOSITES.UnifiedSWATokenToKVPoolAllocator
UnifiedMambaSWATokenToKVPoolAllocator = COMPOSITES.UnifiedMambaSWATokenToKVPoolAllocator
UnifiedSWAAllocatorBase = getattr(COMPOSITES, "UnifiedSWAAllocatorBase", UnifiedSWATokenToKVPoolAllocator)

FAULTS: Final[dict[str, Fault]] = {}

LAZY: Final = tuple(name for name in SETUPS if name.endswith("lazy"))
THREE: Final = tuple(name for name in LAZY if name.startswith("three"))
STATES: Final = tuple(name for name in LAZY if not name.startswith("full-window"))
WINDOWS: Final = tuple(name for name in LAZY if not name.startswith("full-state"))
TWO_ENDS: Final = tuple(name for name in LAZY if name.startswith("full-window"))

fault = faults_into(FAULTS)


# ----------------------------------------------------------------------------------------------------- lost and doubled


@fault("conservation", "class: lost ids", WINDOWS)
def an_id_is_lost_when_the_window_goes_first() -> Iterator[None]:
    """Freeing what is left of a page whose window side is gone does not give its id back."""

    def losing(free_full: Any) -> Any:
        def free(self: Any, free_index: torch.Tensor) -> None:
            full = self.full_attn_allocator
            kept = full.free_virtual_ids
            free_full(self, free_index)
            full.free_virtual_ids = kept

        return free

    with replaced(UnifiedSWAAllocatorBase, "free_full", losing):
        yield


@fault("conservation", "sglang#39982 (c)", LAZY)
def a_second_batch_under_an_event_replaces_the_first() -> Iterator[None]:
    """Pages that were vacated under an event are forgotten when more are vacated under the same event."""

    def forgetting(commit: Any) -> Any:
        def committed(self: Any, srcs: Any, dsts: Any, event: Any, released: Any) -> None:
            if srcs:
                self._pending_reuse.pop(event, None)
            commit(self, srcs, dsts, event, released)

        return committed

    with replaced(MultiEndedAllocator, "_commit_move_batch", forgetting):
        yield


@fault("conservation", "sglang#38519: a tombstone is freed", WINDOWS)
def a_window_page_that_is_gone_is_freed_again() -> Iterator[None]:
    """Freeing a page whose window side was freed before frees that side once more."""

    def unfiltered(_free: Any) -> Any:
        def free(self: Any, free_index: torch.Tensor) -> None:
            ids = free_index.to(torch.int64)
            self.swa_attn_allocator.free(ids)
            self.full_attn_allocator.free(ids)

        return free

    with replaced(UnifiedSWAAllocatorBase, "free", unfiltered):
        yield


# ------------------------------------------------------------------------------------------------------------- the gate


@fault("gate-holds", "sglang#39982 (a)", THREE)
def the_float_does_not_ask_the_gate() -> Iterator[None]:
    """Windows are moved to make room while addresses are with a peer."""
    with replaced(FloatMultiEndedAllocator, "moves_blocked", lambda _: lambda self: False):
        yield


@fault("gate-holds", "sglang#37417", THREE)
def the_gate_leaves_out_the_states() -> Iterator[None]:
    """The gate is installed on full attention and windows, and states move all the same."""

    def two(_targets: Any) -> Any:
        return lambda self: (self.full_attn_allocator, self.swa_attn_allocator)

    with replaced(UnifiedMambaSWATokenToKVPoolAllocator, "_move_gate_targets", two):
        yield


# ----------------------------------------------------------------------------------------------- forwards in flight


@fault("writers-pin", "sglang 0.5.19 to 0.5.23: wrong pages protected", LAZY)
def pages_that_a_forward_writes_are_moved() -> Iterator[None]:
    """An idle flush does not look at what the forward in flight writes."""
    with replaced(MultiEndedAllocator, "_materialize_inflight_write_set", lambda _: lambda self: None):
        yield


@fault("ledger-gated-reuse", "class: premature reuse", LAZY)
def vacated_pages_are_free_at_once() -> Iterator[None]:
    """A page that a move vacated is handed out although the forward in flight may still read it."""

    def at_once(commit: Any) -> Any:
        def committed(self: Any, srcs: Any, dsts: Any, _event: Any, released: Any) -> None:
            commit(self, srcs, dsts, None, released)

        return committed

    with replaced(MultiEndedAllocator, "_commit_move_batch", at_once):
        yield


@fault("writers-pin", "class: missing wait", LAZY)
def an_urgent_flush_does_not_wait_for_the_forward() -> Iterator[None]:
    """When memory is short, pages that the forward in flight still uses are moved away from and given to neighbours."""
    with replaced(MultiEndedAllocator, "_settle_inflight_forward", lambda _: lambda self: None):
        yield


# ---------------------------------------------------------------------------------------------------------------- bytes


@fault("no-foreign-bytes", "sglang#33974 (a)", SETUPS)
def pages_are_handed_out_with_old_bytes() -> Iterator[None]:
    """A page is not cleared when it is handed out."""
    with replaced(MultiEndedAllocator, "_maybe_zero_pages", lambda _: lambda self, pages: None):
        yield


@fault("content", "class: a move that copies too little", SETUPS)
def the_last_page_of_a_move_is_not_copied() -> Iterator[None]:
    """Of several pages that move at once the last one's bytes stay behind."""

    def all_but_one(move: Any) -> Any:
        return lambda self, src, dst: move(self, src[:-1], dst[:-1])

    with replaced(MultiEndedAllocator, "_move_pages", all_but_one):
        yield


@fault("content", "sglang#31218: the wrong layout law on a move", SETUPS)
def a_move_exchanges_rows() -> Iterator[None]:
    """Within a page that moves, the bytes arrive in another order."""

    def reversing(move: Any) -> Any:
        def moved(self: Any, src: torch.Tensor, dst: torch.Tensor) -> None:
            move(self, src, dst)
            size = self.entry_bytes_per_page
            for page in dst.tolist():
                place = self.unified_buffer._raw[page * size : (page + 1) * size]
                place.copy_(place.flip(0))

        return moved

    with replaced(MultiEndedAllocator, "_move_pages", reversing):
        yield


@fault("band-order", "class: bands that overlap", LAZY)
def a_band_grows_past_its_neighbour() -> Iterator[None]:
    """Growing looks at the table's length and not at where the neighbour is."""

    def blind(_extend: Any) -> Any:
        def extended(self: Any, count: int) -> bool:
            step = count if self.grow_direction == "up" else -count
            self.watermark_physical += step
            return bool(self.min_page_index - 1 <= self.watermark_physical <= self.num_pages)

        return extended

    with (
        replaced(MultiEndedAllocator, "_extend_watermark", blind),
        replaced(
            MultiEndedAllocator, "_current_gap_bytes", lambda gap: lambda self: gap(self) + self.entry_bytes_per_page
        ),
    ):
        yield


# ------------------------------------------------------------------------------------------------------------- capacity


@fault("admission-sound", "sglang#39294", TWO_ENDS)
def each_side_counts_the_gap_for_itself() -> Iterator[None]:
    """What can be had of both sides together is said to be the less of what each could have alone."""

    def apart(_joint: Any) -> Any:
        return lambda self: min(self.full_attn_allocator.available_size(), self.swa_attn_allocator.available_size())

    with replaced(UnifiedSWATokenToKVPoolAllocator, "_compute_available_size", apart):
        yield


@fault("agreement", "sglang#39982 (b)", STATES)
def a_memo_does_not_see_the_gate() -> Iterator[None]:
    """What could be had after a flush is remembered from before the gate was closed."""

    def blind(_key: Any) -> Any:
        return lambda self: (self._chain_capacity_epoch(),)

    with (
        replaced(MultiEndedAllocator, "_schedulable_capacity_key", blind),
        replaced(FloatMultiEndedAllocator, "_schedulable_capacity_key", blind),
    ):
        yield


@fault("all-or-nothing", "sglang#35338", WINDOWS)
def full_pages_stay_when_the_window_has_no_room() -> Iterator[None]:
    """Full attention takes its pages before it is known whether the window side has any, and keeps them if not."""

    def greedy(_alloc: Any) -> Any:
        def alloc(self: Any, need_size: int) -> torch.Tensor | None:
            full, window = self.full_attn_allocator, self.swa_attn_allocator
            ids = full.free_virtual_ids[: need_size // self.page_size].clone()
            tokens: torch.Tensor | None = full.alloc(need_size)
            if tokens is None or need_size > window.available_size():
                return None
            window.alloc_with_virtual(ids)
            return tokens

        return alloc

    with replaced(UnifiedSWAAllocatorBase, "alloc", greedy):
        yield


# --------------------------------------------------------------------------------------------------------------- tables


@fault("bijection", "class: a table that is not the other's inverse", LAZY)
def a_vacated_page_keeps_its_tenant() -> Iterator[None]:
    """After a move the place that was left still names the page that lived there."""

    def keeping(commit: Any) -> Any:
        def committed(self: Any, srcs: Any, dsts: Any, event: Any, released: Any) -> None:
            tenants = self.physical_to_virtual[srcs].clone() if srcs else None
            commit(self, srcs, dsts, event, released)
            if tenants is not None:
                self.physical_to_virtual[srcs] = tenants

        return committed

    with replaced(MultiEndedAllocator, "_commit_move_batch", keeping):
        yield


@fault("index-range", "sglang#34613", SETUPS)
def padding_reads_the_last_row_of_the_table() -> Iterator[None]:
    """The id -1 of padding is not caught, and is translated to a page."""

    def unguarded(translate: Any) -> Any:
        def translated(self: Any, tokens: torch.Tensor, *, out: torch.Tensor | None = None) -> torch.Tensor:
            found: torch.Tensor = translate(self, tokens.clamp(min=self.min_page_index * self.page_size), out=out)
            return found

        return translated

    with replaced(MultiEndedAllocator, "translate_kv_loc", unguarded):
        yield
