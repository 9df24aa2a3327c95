"""Deliberate faults for vLLM's KV cache manager, of sorts that the field has had, put in by replacing methods."""

from collections.abc import Iterator
from typing import Any, Final

from vllm.v1.core.block_pool import BlockPool
from vllm.v1.core.kv_cache_manager import KVCacheManager
from vllm.v1.core.single_type_kv_cache_manager import (
    MambaManager,
    SingleTypeKVCacheManager,
    SlidingWindowManager,
)

from fuzz.peers.inside.driver import Fault
from fuzz.peers.inside.forcing import faults_into, replaced
from fuzz.targets.vllm.building import BLOCK, SETUPS

FAULTS: Final[dict[str, Fault]] = {}

CACHED: Final = tuple(name for name in SETUPS if "-cached-" in name)
# where a window is, and no state: what is known of states would be found first
WINDOWS: Final = tuple(name for name in SETUPS if name.startswith("full-window-") and "state" not in name)
STATES: Final = tuple(name for name in SETUPS if "state" in name)
ATTENTION: Final = tuple(name for name in SETUPS if "state" not in name)
CACHED_ATTENTION: Final = tuple(name for name in ATTENTION if name in CACHED)

fault = faults_into(FAULTS)


@fault("references", "vllm#42571", ATTENTION)
def a_block_is_freed_twice() -> Iterator[None]:
    """A block is listed twice in what a request gives back."""

    def doubling(pop: Any) -> Any:
        def popped(self: Any, request_id: str) -> Any:
            blocks = pop(self, request_id)
            return [*blocks, *blocks[-1:]]

        return popped

    with replaced(SingleTypeKVCacheManager, "pop_blocks_for_free", doubling):
        yield


@fault("references", "class: a reference that is not counted", CACHED_ATTENTION)
def the_last_block_of_a_hit_is_not_counted() -> Iterator[None]:
    """Of the blocks of a prefix that was found, the last does not count its new user."""

    def forgetting(touch: Any) -> Any:
        return lambda self, blocks: touch(self, blocks[:-1])

    with replaced(BlockPool, "touch", forgetting):
        yield


@fault("conservation", "vllm-ascend#15990: the queue and its count part", ATTENTION)
def the_queue_counts_wrongly() -> Iterator[None]:
    """The count of free blocks rises by one too many when several are freed at once."""

    def drifting(free: Any) -> Any:
        def freed(self: Any, blocks: Any) -> None:
            blocks = list(blocks)
            free(self, blocks)
            if len(blocks) > 3:
                self.free_block_queue.num_free_blocks += 1

        return freed

    with replaced(BlockPool, "free_blocks", drifting):
        yield


@fault("window-retained", "class: eviction of what is still attended to", WINDOWS)
def the_window_is_a_block_too_short() -> Iterator[None]:
    """A block is given back while the next step still attends to it."""

    def short(skipped: Any) -> Any:
        return lambda self, computed: skipped(self, computed + BLOCK)

    with replaced(SlidingWindowManager, "get_num_skipped_tokens", short):
        yield


@fault("window-retained", "sglang#16507, vllm: the optimistic basis", WINDOWS)
def steps_in_flight_are_not_waited_for() -> Iterator[None]:
    """Blocks leave the window as if the steps in flight were over."""

    def hasty(allocate: Any) -> Any:
        def allocated(self: Any, request: Any, *arguments: Any, **named: Any) -> Any:
            kept, request.num_in_flight_tokens = request.num_in_flight_tokens, 0
            try:
                return allocate(self, request, *arguments, **named)
            finally:
                request.num_in_flight_tokens = kept

        return allocated

    with replaced(KVCacheManager, "allocate_slots", hasty):
        yield


@fault("window-let-go", "vllm#55450", STATES)
def a_gap_hides_states_that_are_over() -> Iterator[None]:
    """Looking for what is over stops at the first place that has nothing, and states beyond it are kept."""

    def stopping(_remove: Any) -> Any:
        return SingleTypeKVCacheManager._remove_blocks_in_range

    with (
        replaced(MambaManager, "_remove_blocks_in_range", stopping),
        replaced(MambaManager, "remove_skipped_blocks", lambda _: SingleTypeKVCacheManager.remove_skipped_blocks),
    ):
        yield


@fault("content", "vllm#4761", CACHED_ATTENTION)
def a_block_stays_in_the_map_when_it_is_reused() -> Iterator[None]:
    """A block that is handed out anew is still found by the prefix that it held."""

    def keeping(_evict: Any) -> Any:
        def evicted(self: Any, block: Any) -> bool:
            block.reset_hash()
            return False

        return evicted

    with replaced(BlockPool, "_maybe_evict_cached_block", keeping):
        yield


@fault("admission-sound", "vllm#45856", ATTENTION)
def admission_counts_one_too_few() -> Iterator[None]:
    """What a request needs is counted as a block less, if it is more than one."""

    def less(count: Any) -> Any:
        def counted(self: Any, *arguments: Any, **named: Any) -> int:
            blocks = int(count(self, *arguments, **named))
            return blocks - 1 if blocks > 1 else blocks

        return counted

    with replaced(SingleTypeKVCacheManager, "get_num_blocks_to_allocate", less):
        yield


@fault("conservation", "class: premature reuse", CACHED_ATTENTION)
def a_hit_stays_in_the_queue() -> Iterator[None]:
    """A free block that a prefix hit brings back to life can still be handed out as new."""

    def lazy(_touch: Any) -> Any:
        def touched(self: Any, blocks: Any) -> None:
            for block in blocks:
                block.ref_cnt += 1

        return touched

    with replaced(BlockPool, "touch", lazy):
        yield
