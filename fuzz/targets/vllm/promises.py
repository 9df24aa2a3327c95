"""What vLLM's KV cache manager promises, and what is not asked of it."""

from typing import Final

PROMISES: Final = {
    "references": "KVCacheBlock.ref_cnt: the rows and deferred frees that name a block, no more, no less.",
    "conservation": "FreeKVCacheBlockQueue: each block without a reference is in it once, and no other.",
    "bijection": "get_new_blocks: a block that is handed out was in no use.",
    "unique-ids": "The same, for one call.",
    "all-or-nothing": "allocate_slots: None leaves the request as it was, but for what is out of its window.",
    "sole-writer": "A block that is written has one reference: what is shared is full, or copied first.",
    "ledger-gated-reuse": "num_in_flight_tokens and pop_blocks_for_free: what a step in flight uses is not handed out.",
    "holders-know-tenant": "The same.",
    "ids-fresh": "The same.",
    "window-retained": "remove_skipped_blocks: what a step that is scheduled or in flight attends to is kept.",
    "window-let-go": "remove_skipped_blocks: what no step will attend to is given back in time.",
    "content": "find_longest_cache_hit: a block that is hit holds exactly these tokens after exactly this prefix.",
    "admission-sound": "get_num_blocks_to_allocate: no more is taken than was counted.",
    "crash": "A legal call is answered.",
}

LEAVES_OUT: Final = {
    "admission-complete": "A refusal may be cautious: what is counted may be more than is taken.",
    "agreement": "The map of hashes is not looked into: what is wrong in it shows in what a hit holds.",
    "band-order": "One pool of equal blocks serves all groups: there are no bands.",
    "gate-holds": "Nothing moves.",
    "content-kept": "The same.",
    "no-foreign-bytes": "Zeroing is the worker's, by take_new_block_ids.",
    "transfers-meet-nothing": "No stream is the manager's.",
    "frees under a step": "Freeing a request with a step in flight is misuse; it is deferred, as the scheduler does.",
    "partial hits": "Hashes are of whole blocks, so that no block is copied on write.",
    "speculation": "No draft tokens, no EAGLE, no encoder; one rank.",
    "race-free": "A CPU runs everything in order.",
}

EXPECTS: Final = (
    *(("start", outcome) for outcome in ("fresh", "hit", "external", "loading", "refused")),
    *(("resume", outcome) for outcome in ("fresh", "hit")),
    *(("go", outcome) for outcome in ("prefilled", "decoded", "refused")),
    ("arrive", "done"),
    *(("stop", outcome) for outcome in ("freed", "deferred")),
    ("preempt", "done"),
    ("land", "done"),
    ("step", "done"),
    *(("reset", outcome) for outcome in ("yes", "no")),
)
"""Each call with each way in which it can end."""
