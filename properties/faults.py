"""Seeded faults in the specification: each is a mistake that the field has really made, and names what must catch it.

A fault in a guard puts a weaker condition in the place of one sentence; a fault in an effect changes the state after.
"""

from collections.abc import Callable

from properties.specification import Specification, changed, with_action, with_guard
from properties.weakenings import Weakening
from spec.catalog import Guard, prose_of, spelled
from spec.logic import And, If, Implies, Not, Or, Term
from spec.ranges import Forall, Some, Those
from spec.state import FREE, LIVE, NONE, READ, WITHHELD, WRITE, State
from spec.words import conflict, given, in_arena, is_empty, publishers, start

FAULTS: dict[str, Weakening] = {}
"""Every seeded fault, by name."""

ALL = Those([], lambda *_: True)
"""Every entry of a map, whatever its keys."""

LOST = max(FREE, LIVE, WITHHELD) + 1
"""A status of which the specification knows nothing."""

Seeded = Callable[[Callable[..., Term]], None]


def in_guard(action: str, sentence: str, caught_by: str, precedent: str) -> Seeded:
    """Register the decorated condition as what stands in the place of a sentence."""

    def weaker(condition: Callable[..., Term]) -> Callable[..., Guard]:
        def change(guard: Guard, s: State, *arguments: Term) -> Guard:
            replaced = False
            for text, original, protects in guard:
                yield text, condition(s, *arguments) if text == sentence else original, protects
                replaced = replaced or text == sentence
            if not replaced:
                raise ValueError(f"{action} has no sentence {sentence!r}")

        return change

    def register(condition: Callable[..., Term]) -> None:
        def apply(specification: Specification) -> Specification:
            return with_action(specification, with_guard(specification.actions[action], weaker(condition)))

        _register(action, condition, caught_by, precedent, apply)

    return register


def in_effect(action: str, caught_by: str, precedent: str) -> Seeded:
    """Register the decorated `change(s, after, *arguments)` as what the action leaves."""

    def register(change: Callable[..., Term]) -> None:
        def apply(specification: Specification) -> Specification:
            return with_action(specification, changed(specification.actions[action], change))

        _register(action, change, caught_by, precedent, apply)

    return register


def _register(
    action: str,
    fault: Callable[..., Term],
    caught_by: str,
    precedent: str,
    change: Callable[[Specification], Specification],
) -> None:
    name = f"{action}.{spelled(fault.__name__)}"
    FAULTS[name] = Weakening(name, f"{action}: {prose_of(fault)}", caught_by, change, precedent)


# ------------------------------------------------------------------------------------------------- premature reuse


@in_guard("allocate", "the page is not withheld", "ledger-gated-reuse", "vllm#45357")
def hands_out_what_is_only_read(s: State, band: Term, page: Term, vid: Term) -> Term:
    """A withheld page is handed out as long as nobody holds it for writing."""
    return Forall("ticket", lambda ticket: s.held[ticket, band, page] != WRITE)


@in_effect("free", "ledger-wellformed", "sglang#35049")
def forgets_the_holders(s: State, after: State, band: Term, vid: Term) -> State:
    """The page becomes a hole although a ticket holds it."""
    return after.but(status=s.status.set((band, s.page_of[band, vid]), FREE))


@in_effect("complete", "ledger-wellformed", "sglang#28468")
def frees_what_another_holds(s: State, after: State, ticket: Term) -> State:
    """A withheld page becomes a hole although another ticket still holds it."""
    return after.but(status=_withheld_pages_freed(s, ticket))


@in_effect("settle", "ledger-wellformed", "trtllm#9056")
def frees_what_is_held_elsewhere(s: State, after: State, ticket: Term) -> State:
    """A withheld page becomes a hole although another ticket still holds it."""
    return after.but(status=_withheld_pages_freed(s, ticket))


@in_effect("move", "ledger-wellformed", "sglang#36731")
def forgets_the_readers(s: State, after: State, band: Term, source: Term, target: Term) -> State:
    """The source becomes a hole although a ticket, such as a host copy, still reads it."""
    return after.but(status=after.status.set((band, source), FREE))


@in_guard("allocate", "no outstanding ticket was given the id", "ids-fresh", "vllm#52234")
def asks_only_the_writers(s: State, band: Term, page: Term, vid: Term) -> Term:
    """An id is minted again while a ticket that reads under it is outstanding."""
    return Not(
        Some(
            Those(
                ["ticket", "page"],
                lambda ticket, at: And(given.holds(s, band, vid, ticket, at), s.held[ticket, band, at] == WRITE),
            )
        )
    )


# ----------------------------------------------------------------------------------------- references and lost pages


@in_effect("free", "references", "vllm#42571")
def gives_up_a_reference_twice(s: State, after: State, band: Term, vid: Term) -> State:
    """The last reference is given up once more, as where an id is named twice in one call."""
    return after.but(refs=s.refs.set((band, vid), s.refs[band, vid] - 2))


@in_effect("unshare", "references-one-by-one", "LMCache#5005")
def counts_down_twice(s: State, after: State, band: Term, vid: Term) -> State:
    """One call gives up two references."""
    return after.but(refs=s.refs.set((band, vid), s.refs[band, vid] - 2))


@in_guard("hold", "writing needs a sole reference", "sole-writer", "trtllm#12306")
def writes_a_shared_page(s: State, ticket: Term, band: Term, vid: Term, mode: Term) -> Term:
    """A page that two requests share may be written."""
    return Or(mode != WRITE, s.refs[band, vid] <= 2)


@in_effect("complete", "ledger-wellformed", "sglang#39982")
def leaves_pages_withheld(s: State, after: State, ticket: Term) -> State:
    """The pages that the ticket alone held are never given back."""
    return after.but(status=s.status)


@in_effect("free", "conservation", "trtllm#15018")
def loses_the_page(s: State, after: State, band: Term, vid: Term) -> State:
    """The page of a virtual page is neither live, withheld nor a hole afterwards."""
    return after.but(status=s.status.set((band, s.page_of[band, vid]), LOST))


# ------------------------------------------------------------------------------------------------------- the ledger


@in_effect("complete", "holdings-kept", "sglang#39982")
def takes_others_with_it(s: State, after: State, ticket: Term) -> State:
    """The other tickets' entries for its pages leave the ledger too."""
    return after.but(held=_entries_for_its_pages_removed(s, ticket), status=_withheld_pages_freed(s, ticket))


@in_effect("settle", "holdings-kept", "trtllm#12834")
def takes_other_holders_with_it(s: State, after: State, ticket: Term) -> State:
    """The other tickets' entries for its pages leave the ledger too."""
    return after.but(held=_entries_for_its_pages_removed(s, ticket), status=_withheld_pages_freed(s, ticket))


@in_guard("settle", "a stream can wait for it", "holdings-kept", "trtllm#12542")
def waits_for_a_transfer_that_reads(s: State, ticket: Term) -> Term:
    """A network transfer may be settled as long as it only reads."""
    return Forall("band page", lambda band, page: Implies(s.is_transfer[ticket], s.held[ticket, band, page] != WRITE))


@in_effect("hold", "holdings-kept", "sglang#33362")
def weakens_the_first_hold(s: State, after: State, ticket: Term, band: Term, vid: Term, mode: Term) -> State:
    """A second hold puts a weaker mode in the place of the first."""
    return after.but(held=s.held.set((ticket, band, s.page_of[band, vid]), mode))


@in_effect("move", "holdings-kept", "cubecl#1401")
def carries_the_holdings_along(s: State, after: State, band: Term, source: Term, target: Term) -> State:
    """The holdings follow the page, although the tickets still use the address that they were given."""

    def followed(ticket: Term, other: Term, page: Term) -> Term:
        elsewhere = If(And(other == band, page == source), NONE, s.held[ticket, other, page])
        return If(And(other == band, page == target), s.held[ticket, band, source], elsewhere)

    return after.but(held=s.held.where(ALL, followed), status=after.status.set((band, source), FREE))


# ------------------------------------------------------------------------------------------------ streams and bytes


@in_effect("settle", "content", "vllm#47574")
def forgets_writes_in_flight(s: State, after: State, ticket: Term) -> State:
    """What the ticket was still writing never arrives."""
    return after.but(bytes=s.bytes)


@in_effect("settle", "stream-work-on-record", "sglang#38463")
def leaves_the_stream_unmarked(s: State, after: State, ticket: Term) -> State:
    """Nothing on the allocator's stream is known to wait for the ticket's pages."""
    return after.but(queued=s.queued)


@in_effect("move", "stream-work-on-record", "sglang#9821")
def leaves_the_copy_off_the_record(s: State, after: State, band: Term, source: Term, target: Term) -> State:
    """The copy on the allocator's stream is not recorded, so that a transfer may begin before it is done."""
    return after.but(queued=s.queued)


@in_effect("drain", "stream-work-on-record", "sglang#37926")
def forgets_reads_before_writes(s: State, after: State) -> State:
    """Reads leave the stream's record while writes on the same stream are still ahead."""
    reads = Those(["band", "page"], lambda band, page: s.queued[band, page] == READ)
    return after.but(queued=s.queued.where(reads, NONE))


@in_effect("move", "content", "sglang#31218")
def leaves_the_bytes_behind(s: State, after: State, band: Term, source: Term, target: Term) -> State:
    """Only the table changes."""
    return after.but(bytes=s.bytes)


@in_effect("allocate-wiped", "stream-work-on-record", "sglang#33974")
def leaves_its_wiping_off_the_record(s: State, after: State, band: Term, page: Term, vid: Term, value: Term) -> State:
    """The writing on the allocator's stream is not recorded, so that a transfer may bring what it then overwrites."""
    return after.but(queued=s.queued)


@in_effect("fork", "content", "trtllm#12306")
def hands_out_what_lay_there(s: State, after: State, band: Term, page: Term, vid: Term, original: Term) -> State:
    """The new page is not copied: it shows what its hole did."""
    return after.but(bytes=s.bytes)


@in_effect("fork", "stream-work-on-record", "sglang#38463")
def leaves_its_copy_off_the_record(s: State, after: State, band: Term, page: Term, vid: Term, original: Term) -> State:
    """The copy on the allocator's stream is not recorded, so that a transfer may send the page before it is done."""
    return after.but(queued=s.queued)


@in_guard("fork", "no ticket holds the original for writing", "content", "trtllm#9056")
def copies_what_is_being_written(s: State, band: Term, page: Term, vid: Term, original: Term) -> Term:
    """Only transfers that write the original are waited for, and not the forwards."""
    source = s.page_of[band, original]
    return Not(
        Some(Those(["ticket"], lambda ticket: And(s.held[ticket, band, source] == WRITE, s.is_transfer[ticket])))
    )


@in_guard("move", "no ticket holds the source for writing", "writers-pin", "sglang#29353")
def waits_only_for_what_is_in_flight(s: State, band: Term, source: Term, target: Term) -> Term:
    """A page that a ticket will write may be moved as long as no write has been issued."""
    return Not(s.flying[band, source])


@in_guard("hold", "a transfer meets nothing left on the allocator's stream", "transfers-meet-nothing", "sglang#9821")
def asks_only_of_writes(s: State, ticket: Term, band: Term, vid: Term, mode: Term) -> Term:
    """A transfer that writes is given a page that the allocator's stream may still read."""
    queued = s.queued[band, s.page_of[band, vid]]
    return Implies(s.is_transfer[ticket], Not(And(queued == WRITE, conflict(mode, queued))))


# --------------------------------------------------------------------------------------------------------- the gate


@in_guard("move", "nobody has published an address", "gate-holds", "sglang#37417")
def asks_the_gate_of_one_band_only(s: State, band: Term, source: Term, target: Term) -> Term:
    """The gate was not installed on the first band, which compacts for reasons of its own."""
    return Or(band == 0, Not(Some(publishers(s))))


@in_effect("unpublish", "gate-holds", "sglang#33362")
def opens_the_gate_for_all(s: State, after: State, who: Term) -> State:
    """The first to take its addresses back opens the gate, while others still have theirs published."""
    return after.but(published=s.published.where(ALL, False))


# ----------------------------------------------------------------------------------------------------------- spans


@in_guard("grow-high", "the grown span is clear of every other", "band-order", "sglang#39294")
def asks_only_the_neighbour(s: State, band: Term) -> Term:
    """Only the adjacent band is asked whether the gap is free, and an empty one does not answer."""
    return Or(is_empty(s, band + 1), s.address[band, s.hi[band] + 1] <= start(s, band + 1))


@in_guard("grow-low", "the grown span is inside the arena", "inside-arena", "sglang#36729")
def measures_from_zero(s: State, band: Term) -> Term:
    """The arena is taken to begin at address 0, as its own budget and not as a part of a larger one."""
    return in_arena(s.but(base=0), band, s.lo[band] - 1, s.hi[band])


@in_guard("absorb-high", "the highest page is in no use", "outside-is-free", "pytorch#196258")
def gives_up_a_withheld_page(s: State, band: Term) -> Term:
    """A page that is withheld for work still outstanding is given up."""
    return s.status[band, s.hi[band] - 1] != LIVE


def _withheld_pages_freed(s: State, ticket: Term) -> Term:
    """The status of pages if every withheld page of the ticket became a hole, whoever else holds it."""

    def freed(band: Term, page: Term) -> Term:
        its_own = And(s.status[band, page] == WITHHELD, s.held[ticket, band, page] != NONE)
        return If(its_own, FREE, s.status[band, page])

    return s.status.where(ALL, freed)


def _entries_for_its_pages_removed(s: State, ticket: Term) -> Term:
    """The ledger without any entry, of whomever, for a page that the ticket holds."""
    return s.held.where(
        ALL,
        lambda other, band, page: If(s.held[ticket, band, page] != NONE, NONE, s.held[other, band, page]),
    )
