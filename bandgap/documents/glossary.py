"""The terms that everything here uses, each once."""

from collections.abc import Mapping

GLOSSARY: Mapping[str, str] = {
    "kind": "One sort of memory of a hybrid model: state, window (one per window length) or full. Parts of layers with "
    "the same lifetime and allocation unit form one kind.",
    "row": "What one layer, or one part of it, stores for one token or one state slot.",
    "entry": "The rows of every participating layer for one token, or for one state slot.",
    "page": "A contiguous run of entries: a fixed number of tokens, the same for all token kinds; one slot for state. "
    "Allocation, eviction and movement act on whole pages.",
    "arena": "The bytes on the device that all kinds share.",
    "band": "The pages of one kind on their own grid of addresses. Page p of a band begins at byte origin + p · page "
    "bytes.",
    "chain": "The bands in address order: state at the low end, full attention at the high end, windows between them.",
    "span": "The contiguous pages that a band has at the moment, from `lo` to before `hi`.",
    "float": "A band between the two ends of the chain. It can be relocated; empty, it has no position.",
    "sink": "Where padded writes of token kinds land; it is never handed out.",
    "live": "A page at which a virtual page lives.",
    "withheld": "A page that is logically free, but whose address is held back because a ticket still holds it.",
    "free": "A page in no use.",
    "hole": "A free page inside its band's span.",
    "gap": "The free bytes between two neighbouring spans that are not empty.",
    "virtual page": "The stable name of a page, an id of its band; `vid` in formulas. It stays when the page moves.",
    "page table": "Where each virtual page lives: on the host, which is the truth, and on the device, a replica that "
    "kernels read.",
    "reference": "Virtual pages can be shared; the one that gives up the last reference frees the page. Writing needs "
    "a sole reference, or a copy first.",
    "ticket": "One piece of device work and the pages that it uses: a forward pass, a host copy or a network transfer.",
    "ledger": "All outstanding tickets and what they hold: `held[ticket, band, page]` is read or write.",
    "retire": "What ends a ticket, once: by completion (its work is observed to be over) or by settling.",
    "settle": "To make the allocator's stream wait for a ticket, so that for everything ordered behind that stream its "
    "work is over. Possible for forwards and host copies, never for transfers.",
    "queued": "What the allocator's own stream may still do with a page: its copies, and the work of tickets that it "
    "waits for.",
    "drain": "The allocator's stream is observed to have caught up, and nothing is queued any more.",
    "quarantine": "Where a transfer is put that failed while its peer may still touch the pages: it keeps them until "
    "the peer is known to be gone.",
    "gate": "Those who have published addresses to a peer; while there is anybody, no page may move. (`bandgap gate` "
    "is another: the check before a merge.)",
    "pinned": "Said of a page that must stay: a ticket holds it, or it is live while somebody has published addresses.",
    "compaction": "Moving pages into holes of their own band, so that its span can retreat.",
    "relayout": "Moving a float so that a neighbour can grow: a sequence of grow, move and absorb.",
    "admission": "The decision whether a joint demand, pages of every kind at once, can be met, and by which steps.",
    "refusal": "Why a demand cannot be met: never, after a release, or after an eviction.",
    "access": "One reading or one writing of a page, or of an entry of the device's page table: issued, then pending, "
    "then over.",
    "guard": "The sentences that must all be true for an action to be legal.",
    "effect": "The state that an action leaves, as a function of the state before.",
    "invariant": "A property of every state that can be reached.",
    "step property": "A property of a state and the next.",
    "theorem": "What follows from the invariants.",
    "obligation": "One thing to be proved: an action keeps an invariant, or is a legal step, or an invariant holds at "
    "the start, or a theorem follows.",
    "judge": "The specification read on plain values: it takes a trace line by line and stops at the first that is not "
    "legal.",
    "trace": "The calls of a driver, each written before it is made, and the steps that an allocator says it took.",
    "seeded fault": "A deliberate mistake, of a sort that the field has made, and the property that must catch it.",
    "canary": "A fault that a check must catch for its pass to count.",
}
