"""The terms that everything here uses, each once."""

from collections.abc import Mapping

GLOSSARY: Mapping[str, str] = {
    "kind": "One sort of memory of a hybrid model: state, window (one per window length) or full. Parts of layers with "
    "the same lifetime and allocation unit form one kind.",
    "row": "What one layer, or one part of it, stores for one token or one state slot.",
    "entry": "The rows of every participating layer for one token, or for one state slot: what views are indexed by.",
    "entry of a page table": "Where one virtual page lives.",
    "entry of the ledger": "That one ticket holds one page, to read or to write.",
    "layout of a model": "Its kinds, with their rows and page bytes: what `bandgap layout` shows.",
    "layout of spans": "Where the span of each band lies. A *legal layout* is one that actions could leave: of these "
    "admission speaks.",
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
    "pinned": "Said of a page whose *address* must stay in the span: a ticket holds it, or it is live while somebody "
    "has published addresses. One that is only read may be copied away; its old page is withheld.",
    "compaction": "Moving pages into holes of their own band, so that its span can retreat.",
    "relayout": "Moving a float so that a neighbour can grow: a sequence of grow, move and absorb.",
    "joint demand": "Pages of several kinds that are asked for at once, and given all of them or none.",
    "admission": "The decision whether a joint demand can be met, and by which steps.",
    "step of admission": "How much may move to meet a demand: in place, compact the ends, relayout. The lowest that "
    "suffices is taken.",
    "step of the state": "One action, from a state to the next: what step properties speak of, and what an allocator "
    "writes into a trace (`step.move`).",
    "step of an engine": "One turn of its loop: a batch is chosen, computed and launched.",
    "refusal": "Why a demand cannot be met: never, after a release, or after an eviction.",
    "access": "One reading or one writing of a page, or of an entry of the device's page table: issued, then pending, "
    "then over.",
    "guard": "The sentences that must all be true for an action to be legal.",
    "effect": "The state that an action leaves, as a function of the state before.",
    "invariant": "A property of every state that can be reached.",
    "step property": "A property of a state and the next.",
    "state of an arena": "All that the specification knows at one moment. (A *state* of a model is a kind.)",
    "theorem": "As a property: what follows from the invariants, such as `no-overlap`.",
    "theorem of admission": "As evidence: one proved statement about the lines by which the allocator decides, or "
    "about one action for ranks and counts. A property of admission rests on several.",
    "obligation": "One thing to be proved: an action keeps an invariant, or is a legal step, or an invariant holds at "
    "the start, or a theorem follows.",
    "judge": "The specification read on plain values: it takes a trace line by line and stops at the first that is not "
    "legal.",
    "oracle": "What knows the right answer by another way than what is tested: admission's goes through every layout.",
    "twin": "A function of torch that does what a kernel does, and serves CPU tensors; the kernel is compared with it.",
    "driver": "What makes the calls: a program that chooses them, or a shim in a serving engine. It writes each down "
    "before it is made.",
    "campaign": "A long run of drivers on several workers, which can be resumed and keeps what it found.",
    "trace": "The calls of a driver, each written before it is made, and the steps that an allocator says it took.",
    "seeded fault": "A deliberate mistake, of a sort that the field has made, and the property that must catch it. "
    "*Seen in the field* names a public report of a fault of that sort.",
    "canary": "A fault that a check must catch for its pass to count.",
}
