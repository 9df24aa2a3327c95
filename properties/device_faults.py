"""Seeded faults in the specification of the device: missing waits, early observations, kernels that write elsewhere."""

from properties.faults import in_effect, in_guard
from spec.device.words import own_work, settled_work, work_of
from spec.logic import And, Not, Or, Term
from spec.ranges import Forall, Some
from spec.state import NONE, READ, WRITE, State
from spec.words import conflict, writers

OWN_ORDER = "a ticket's stream waits for the allocator's stream"
SETTLED = "it waits for the tickets that were settled"

# ------------------------------------------------------------------------------------------------------ missing waits


@in_guard("device/issue-read", OWN_ORDER, "reads-find-the-latest", "sglang#38463")
def overtakes_the_copy(s: State, ticket: Term, band: Term, page: Term, access: Term) -> Term:
    """The stream waits for the page table alone, and not for the copies that come before it."""
    return Forall(own_work(s), lambda other: Or(s.is_transfer[ticket], Not(s.on_table[other]), s.ahead[other, access]))


@in_guard("device/issue-write", OWN_ORDER, "race-free", "vllm#45704")
def overwrites_what_is_still_copied(s: State, ticket: Term, band: Term, page: Term, value: Term, access: Term) -> Term:
    """The stream waits for what is being written, and not for what is still being read."""
    return Forall(own_work(s), lambda other: Or(s.is_transfer[ticket], s.way[other] == READ, s.ahead[other, access]))


@in_guard("device/look-up", OWN_ORDER, "lookups-find-the-latest", "sglang#37926")
def looks_before_the_table_is_told(s: State, ticket: Term, band: Term, page: Term, access: Term) -> Term:
    """The stream waits for copies and not for the page table, which another stream updates."""
    return Forall(own_work(s), lambda other: Or(s.is_transfer[ticket], s.on_table[other], s.ahead[other, access]))


@in_guard("device/allocate-wiped", SETTLED, "race-free", "trtllm#9056")
def wipes_under_a_reader(s: State, band: Term, page: Term, vid: Term, value: Term, wipes: Term, renames: Term) -> Term:
    """A ticket that only reads is settled without a wait."""
    return Forall(
        settled_work(s), lambda other: Or(s.way[other] == READ, And(s.ahead[other, wipes], s.ahead[other, renames]))
    )


@in_guard("device/tear", "everything that runs before the write is over", "no-foreign-bytes", "sglang#35049")
def arrives_in_part_at_any_time(s: State, access: Term) -> Term:
    """A write begins before what it waits for is over."""
    return True


# -------------------------------------------------------------------------------------------------- early observations


@in_guard("device/complete", "all its accesses are over", "accesses-on-record", "sglang#18746")
def asks_only_for_its_writes(s: State, ticket: Term) -> Term:
    """A ticket completes although it still reads."""
    return Forall(work_of(s, ticket), lambda access: s.way[access] == READ)


@in_guard("device/drain", "so are those of the tickets it waits for", "accesses-on-record", "sglang#9821")
def asks_only_for_its_own_copies(s: State) -> Term:
    """The stream is seen to have caught up although a ticket that it waits for still writes."""
    return Forall(settled_work(s), lambda access: s.way[access] == WRITE)


# --------------------------------------------------------------------------------------------------- names and records


@in_guard("device/move", "no outstanding ticket can still look the page up", "race-free", "sglang#31471")
def asks_only_for_writers(
    s: State, band: Term, source: Term, target: Term, reads: Term, writes: Term, renames: Term
) -> Term:
    """A page is moved while a ticket that only reads it has yet to look it up."""
    return Not(Some(writers(s, band, source)))


@in_guard("device/allocate", "no outstanding ticket was given the id", "race-free", "vllm#52234")
def mints_an_id_that_is_looked_up(s: State, band: Term, page: Term, vid: Term, renames: Term) -> Term:
    """An id is minted while a ticket that was given it may look it up."""
    return True


@in_guard(
    "device/hold", "a transfer meets nothing left on the allocator's stream", "transfers-meet-nothing", "trtllm#9056"
)
def asks_only_of_the_page(s: State, ticket: Term, band: Term, vid: Term, mode: Term) -> Term:
    """What is queued is looked for under the page's number, and not at its bytes, which were another band's before."""
    page = s.page_of[band, vid]
    return Or(Not(s.is_transfer[ticket]), Not(conflict(mode, s.queued[band, page])))


@in_effect("device/fork", "accesses-on-record", "sglang#9821")
def leaves_the_copy_off_the_record(s: State, after: State, *_: Term) -> State:
    """The copy on the allocator's stream is not recorded."""
    return after.but(queued=s.queued)


@in_effect("device/move", "entries-name-the-latest", "sglang#36731")
def tells_the_table_the_old_page(
    s: State, after: State, band: Term, source: Term, target: Term, reads: Term, writes: Term, renames: Term
) -> State:
    """The device's page table goes on naming the page that was left."""
    return after.but(at_page=after.at_page.set(renames, source))


@in_effect("device/look-up", "lookups-are-true", "sglang#36731")
def looks_for_a_virtual_page_at_a_physical_one(
    s: State, after: State, ticket: Term, band: Term, page: Term, access: Term
) -> State:
    """A kernel goes by the page after the one that its ticket was given."""
    return after.but(at_page=s.at_page.set(access, page + 1))


@in_effect("device/issue-write", "flights-are-issued", "sglang#29353")
def forgets_who_wrote_last(s: State, after: State, *_: Term) -> State:
    """A write is issued and nobody remembers that it was."""
    return after.but(latest=s.latest)


# ------------------------------------------------------------------------------------------------------------- content


@in_effect("device/allocate", "pages-hold-the-latest", "sglang#33974")
def trusts_what_was_there(s: State, after: State, *_: Term) -> State:
    """What an earlier owner wrote counts as written for the new one."""
    return after.but(filled=s.filled)


@in_effect("device/allocate-wiped", "pages-hold-the-latest", "vllm#56524")
def wipes_nothing(
    s: State, after: State, band: Term, page: Term, vid: Term, value: Term, wipes: Term, renames: Term
) -> State:
    """The page counts as wiped, and the wipe is never issued."""
    return after.but(phase=s.phase.set(renames, after.phase[renames]))


@in_effect("device/fork", "copies-bring-what-they-found", "vllm#47574")
def trusts_what_it_copies(
    s: State,
    after: State,
    band: Term,
    page: Term,
    vid: Term,
    original: Term,
    reads: Term,
    writes: Term,
    renames: Term,
) -> State:
    """A copy of what was not written yet counts as written."""
    return after.but(is_known=after.is_known.set(writes, True), filled=after.filled.set((band, page), True))


@in_effect("device/land", "held-memory-frozen", "vllm#47671")
def writes_over_the_next_page(s: State, after: State, access: Term) -> State:
    """The address of a write wraps, and it lands on another page as well."""
    place = s.in_band[access], s.at_page[access] + 1
    return after.but(memory=after.memory.set(place, s.garbage))


@in_effect("device/issue-read", "well-formed", "sglang#37926")
def fills_nothing_in(s: State, after: State, ticket: Term, band: Term, page: Term, access: Term) -> State:
    """When a graph was captured the access was left empty: it neither reads nor writes."""
    return after.but(way=s.way.set(access, NONE))
