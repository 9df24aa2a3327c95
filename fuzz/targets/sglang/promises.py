"""What SGLang's unified-memory allocator promises, and what is not asked of it."""

from typing import Final

PROMISES: Final = {
    "span": "verify_byte_accounting: a member's low frontier is never above its high one.",
    "band-order": "verify_byte_accounting: a member's low frontier clears the previous member's high frontier.",
    "inside-arena": "verify_byte_accounting: frontiers lie in the buffer; the sink is never handed out.",
    "anchored-ends": "UnifiedKVPool: one end grows up from the bottom, the other down from the top.",
    "outside-is-free": "MultiEndedAllocator: what is handed out lies between the frontiers.",
    "bijection": "v2p and p2v are inverse tables; a page that was vacated reads -1.",
    "unique-ids": "alloc: an id is handed out once until it is freed.",
    "conservation": "The span is live pages, holes and pages pending for an event, as sets; an id is free or in use.",
    "all-or-nothing": "alloc, alloc_extend, alloc_decode: None leaves all sides as they were; pages may have moved.",
    "ledger-gated-reuse": "_pending_reuse: a vacated page is handed out only after the forward that may read it.",
    "held-bytes-frozen": "_pending_reuse: what a forward in flight reads does not change under it.",
    "writers-pin": "_flush: a page that a forward in flight writes moves only after the forward.",
    "writers-aim-true": "set_inflight_forward: a forward writes to where its pages still live.",
    "holders-know-tenant": "_pending_reuse: an address that is in use has no second tenant.",
    "gate-holds": "install_move_gate: while a gate is closed no member moves a page.",
    "content": "move_physical_pages and the tables: a page shows what was last written to it, wherever it moved.",
    "content-kept": "The same, seen from other requests' actions.",
    "no-overlap": "UnifiedKVPool: no byte belongs to two pages in use.",
    "no-foreign-bytes": "_maybe_zero_pages: pages of full attention and of windows are handed out as zeros.",
    "index-range": "translate_kv_loc: an unmapped or negative id resolves to the sink.",
    "agreement": "verify_byte_accounting is empty, memos included; translation agrees with the table; alloc_extend and "
    "alloc_decode fill the tail page before new pages.",
    "admission-sound": "available_size, schedulable_available_size, can_reserve and ensure_capacity: what they say is "
    "there can be allocated.",
    "crash": "A legal call is answered.",
}

LEAVES_OUT: Final = {
    "admission-complete": "None and False are allowed where a layout exists: no exact admission is promised.",
    "lowest-step": "No order of means is promised.",
    "honest-refusal": "A refusal has no reason.",
    "ids-fresh": "Ids are free again at once: nobody may free what a forward in flight uses, and the driver does not.",
    "sole-writer": "Sharing is the radix cache's, above the allocator; there are no references here.",
    "references": "The same.",
    "frees under a forward": "Freeing what a forward in flight uses is misuse, as is freeing twice.",
    "states written in flight": "A flush may move a state that a forward in flight writes, since set_inflight_forward "
    "names no states; the scheduler flushes only where no forward runs, and here forwards only read states.",
    "eager compaction beside overlap": "An eager allocator waits for the forward stream with every free; "
    "here that stream is the forward's.",
    "host transfers": "alloc_physical and hierarchical caching are not driven.",
    "context parallelism": "Only a size of 1.",
    "race-free": "A CPU runs everything in order. Order is seen only as far as the allocator asks for it.",
}

EXPECTS: Final = (
    *(("alloc", outcome) for outcome in ("granted", "refused")),
    *(("extend", outcome) for outcome in ("granted", "refused")),
    *(("decode", outcome) for outcome in ("granted", "refused")),
    *(("state", outcome) for outcome in ("granted", "refused")),
    *(("free", how) for how in ("plain", "group", "segment", "full")),
    *(("free-window", how) for how in ("plain", "segment")),
    ("free-state", "done"),
    *(("flush", outcome) for outcome in ("moved", "idle", "gated")),
    *(("urgent", outcome) for outcome in ("moved", "idle", "gated")),
    *(("ensure", outcome) for outcome in ("yes", "no")),
    *(("make-room", outcome) for outcome in ("moved", "idle", "gated")),
    ("pack", "moved"),
    ("forward", "launched"),
    ("land", "done"),
    ("publish", "done"),
    ("unpublish", "done"),
    ("clear", "done"),
)
"""Each call with each way in which it can end."""
