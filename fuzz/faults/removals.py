"""Every wait, event and use of the ledger by itself left out: bytes race, or a page is handed out under its holder.

What is left out is one piece of the text of one function. Where an assertion of the allocator's would stop it first,
that is left out as well, as Python leaves it out when it is told to be fast. Only two properties count here, so that
what other checks would see sooner does not hide them: see `ORDER`.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Final

import impl.allocator
from fuzz.faults.fault import FAULTS, Fault, Level
from fuzz.faults.without import Piece, without
from fuzz.targets.simulated import ORDER, SIMULATED
from impl.admission import _Inquiry
from impl.allocator import Allocator
from impl.device.arena import ArenaDevice
from impl.holders import Holders
from impl.ledger import Ledger
from impl.steps import Steps

REMOVALS: Final[dict[str, tuple[Piece, ...]]] = {}
"""By the name of the fault, what is left out; the wait, event or use first."""

HELD_STAY: Final = Piece(
    Steps, "_move", "assert not np.count_nonzero(band.holders.holders[sources]), 'pages that are held stay'"
)
UNWRITTEN: Final = Piece(
    Steps, "_copy", "assert not np.count_nonzero(holders.writers[sources]), 'nobody writes what is copied'"
)


@contextmanager
def _without_all(pieces: tuple[Piece, ...]) -> Iterator[None]:
    with ExitStack() as stack:
        for piece in pieces:
            stack.enter_context(without(piece))
        yield


def _removal(
    name: str,
    prose: str,
    precedent: str,
    *pieces: Piece,
    caught_by: str = "race-free",
    level: Level = "allocator",
    target: str = ORDER.name,
) -> None:
    REMOVALS[name] = pieces
    FAULTS[name] = Fault(name, prose, level, caught_by, precedent, partial(_without_all, pieces), target)


# ---------------------------------------------------------------------------------------------------- waits and events

_on_device = partial(_removal, level="device")
# seen as what they are where every other property counts too
_anywhere = partial(_on_device, target=SIMULATED.name)

_on_device(
    "tickets-end-without-an-event",
    "No event is recorded behind the work of a ticket, so that nobody waits for it.",
    "sglang#28468",
    Piece(ArenaDevice, "end", "self._ends[ticket] = (self.runtime.record(self._streams[ticket]),)"),
)
_on_device(
    "transfers-have-no-end",
    "What a transfer tells of its end is not kept, so that it is over as soon as anybody asks.",
    "sglang#35049",
    Piece(
        ArenaDevice,
        "transfer",
        "(*self._ends.get(work.ticket, ()), self.runtime.transfer(work))",
        "(self.runtime.transfer(work),)[1:]",
    ),
)
_on_device(
    "work-is-told-over-before-its-end",
    "Work that was begun again for more is over when what was launched before is.",
    "sglang#27631",
    Piece(ArenaDevice, "begin", "self._ends.pop(ticket, None)"),
)
_on_device(
    "work-is-told-over-while-it-is-under-way",
    "Nobody asks whether more is being launched for a ticket before it is told over.",
    "vllm#45357",
    Piece(ArenaDevice, "is_over", "self._is_under_way(ticket)", "False"),
)
_on_device(
    "events-are-not-asked",
    "A ticket is told over without asking whether its event has happened.",
    "sglang#9821",
    Piece(ArenaDevice, "is_over", "map(self.runtime.is_done, self.ends_of(ticket))", "()"),
)
_on_device(
    "ends-are-forgotten-before-they-are-waited-for",
    "The events of a ticket are forgotten when the allocator's stream should wait for them.",
    "trtllm#9056",
    Piece(ArenaDevice, "_forget", "self._ends.pop(ticket, ())", "()"),
)
_anywhere(
    "streams-wait-for-the-event-before-the-last-settling",
    "A stream waits for the allocator's as it stood before that was made to wait for a ticket.",
    "sglang#38463",
    Piece(ArenaDevice, "wait_for", "self._tail = None"),
)
_anywhere(
    "settling-holds-nothing-back",
    "A ticket is settled, and the allocator's stream does not wait for its event.",
    "vllm#45357",
    Piece(ArenaDevice, "wait_for", "self.runtime.wait(ALLOCATOR, end)"),
)
_on_device(
    "later-work-waits-for-the-move-before",
    "A stream waits for the allocator's as it stood before the last piece of work was put on it.",
    "an event that is recorded once and waited for ever after",
    Piece(ArenaDevice, "_enqueue", "self._tail = None"),
)
_anywhere(
    "work-begins-before-the-allocators-stream-is-there",
    "The stream of a ticket does not wait for the allocator's.",
    "sglang#29353",
    Piece(ArenaDevice, "begin", "self._wait_for_allocator(stream)"),
)
_on_device(
    "streams-do-not-wait-for-the-allocators-event",
    "The allocator's event is looked up for a stream, which does not wait for it.",
    "sglang#29353",
    Piece(ArenaDevice, "_wait_for_allocator", "self.runtime.wait(stream, tail)"),
)
_anywhere(
    "work-waits-for-no-ticket",
    "The stream of a ticket does not wait for the tickets for which it said that it would.",
    "sglang#38463",
    Piece(ArenaDevice, "begin", "self.runtime.wait(stream, end)"),
)
_anywhere(
    "transfers-do-not-wait-for-copies-to-land",
    "The allocator's stream is said to have caught up without asking its event.",
    "sglang#9821",
    Piece(ArenaDevice, "has_caught_up", "self.runtime.is_done(self.tail())", "True"),
)
_removal(
    "making-room-settles-nobody-on-the-device",
    "Tickets are settled to make room, and the allocator's stream does not wait for them.",
    "vllm#45357",
    Piece(Steps, "carry_out", "self._device.wait_for(number)"),
)
_removal(
    "settling-is-not-told-to-the-device",
    "A ticket is settled on the host alone.",
    "trtllm#9056",
    Piece(Allocator, "settle", "self.device.wait_for(holder.number)"),
)

# ------------------------------------------------------------------------------------------------- who holds which page

_removal(
    "pages-are-given-off-the-ledger",
    "A ticket is given pages, and the ledger does not know of it.",
    "trtllm#12542",
    Piece(Allocator, "hold", "self._ledger.hold(holder, number, pages, level)"),
)
_removal(
    "pages-are-given-whoever-uses-them",
    "A ticket is given pages without a look at who uses them.",
    "sglang#18746",
    Piece(Allocator, "hold", "self._ledger.check_hold(holder, number, pages, level)"),
)
_removal(
    "other-tickets-are-not-looked-at",
    "A ticket is given pages that another one uses which does not run before it.",
    "sglang#18746",
    Piece(Ledger, "check_hold", "self._check_rivals(ticket, band, contested, mode)"),
)
_removal(
    "the-queue-is-not-looked-at",
    "A transfer is given pages on which the allocator's stream still works.",
    "sglang#9821",
    Piece(Ledger, "check_hold", "self._check_queue(band, pages, mode)"),
)
_removal(
    "holders-are-not-counted",
    "A page's holders are not counted.",
    "sglang#35049",
    Piece(Holders, "add", "self.holders[new] += _ONE"),
    caught_by="ledger-gated-reuse",
)
_removal(
    "writers-are-not-counted",
    "A page's writers are counted as if they only read.",
    "trtllm#12306",
    Piece(Holders, "add", "self.writers[newly_written] += _ONE"),
)
_removal(
    "bands-do-not-know-that-they-are-held",
    "It is not counted how many pages of a band are held, so that nobody asks which.",
    "sglang#35049",
    Piece(Holders, "add", "self.entries += new.size"),
    caught_by="ledger-gated-reuse",
)
_removal(
    "freeing-does-not-ask-who-holds",
    "A page that is freed becomes a hole without a look at who holds it.",
    "sglang#27586",
    Piece(Steps, "free", "holders.are_held(pages)", "np.zeros(pages.size, np.bool_)"),
    caught_by="ledger-gated-reuse",
)
_removal(
    "originals-are-copied-whoever-writes-them",
    "A page is copied without asking who writes it.",
    "sglang#36731",
    Piece(Allocator, "plan", "still_written(copied, self._bands, self._ledger, settleable)", "()"),
    UNWRITTEN,
)
_removal(
    "compaction-does-not-ask-who-holds",
    "Compaction moves pages whoever holds them.",
    "sglang#36731",
    Piece(Allocator, "compact", "self._ledger.pins(number)", "(0, 0)"),
    HELD_STAY,
)
_removal(
    "making-room-does-not-ask-who-holds",
    "Pages are moved to make room, whoever holds them.",
    "sglang#36731",
    Piece(_Inquiry, "_stock", "ledger.pins(band)", "NO_EXTENT"),
    HELD_STAY,
)
_removal(
    "making-room-does-not-ask-who-remains",
    "Pages are moved to make room, whoever holds them besides the tickets that are settled for it.",
    "sglang#36731",
    Piece(_Inquiry, "_stock", "ledger.pins_without(band, retired)", "NO_EXTENT"),
    HELD_STAY,
)
_removal(
    "holding-pins-nothing",
    "A ticket that is given pages does not pin them.",
    "sglang#39982 (a)",
    Piece(
        Ledger,
        "hold",
        "self._pins[band] = (min(lo, holding.lo), max(hi, holding.hi)) if lo < hi else (holding.lo, holding.hi)",
    ),
    HELD_STAY,
)
_removal(
    "retiring-unpins-the-others",
    "When a ticket retires, what the others hold is pinned no longer.",
    "sglang#33362",
    Piece(Ledger, "pins", "self.pins_without(band, frozenset())", "NO_EXTENT"),
    HELD_STAY,
)
_removal(
    "memory-is-given-back-whoever-needs-it",
    "The arena's bytes are given back while tickets hold pages or work is queued on them.",
    "LMCache#3018",
    Piece(Allocator, "release_memory", "check_idle(self._bands, self._ledger, self._publishers)"),
)
_removal(
    "memory-is-given-back-with-work-on-it",
    "The arena's bytes are given back while the allocator's stream still works on them.",
    "pytorch#196258",
    Piece(impl.allocator, "check_idle", "band.holders.count_queued()", "0"),
)

# ----------------------------------------------------------------------------- what the allocator's stream may still do

_removal(
    "moved-pages-are-not-queued",
    "Nobody remembers that the allocator's stream may still write where a page has moved to.",
    "trtllm#9056",
    Piece(Steps, "_move", "band.holders.enqueue(targets, WRITE)"),
)
_removal(
    "vacated-pages-are-not-queued",
    "Nobody remembers that the allocator's stream may still read where a page was before it moved.",
    "sglang#39982 (c)",
    Piece(Steps, "_move", "band.holders.enqueue(sources, READ)"),
)
_removal(
    "wiped-pages-are-not-queued",
    "Nobody remembers that the allocator's stream may still wipe a page.",
    "vllm#56524",
    Piece(Steps, "_hand_out", "band.holders.enqueue(plain, WRITE)"),
)
_removal(
    "new-copies-are-not-queued",
    "Nobody remembers that the allocator's stream may still write a copy.",
    "sglang#9821",
    Piece(Steps, "_copy", "holders.enqueue(homes, WRITE)"),
)
_removal(
    "originals-are-not-queued",
    "Nobody remembers that the allocator's stream may still read what it copies.",
    "sglang#38463",
    Piece(Steps, "_copy", "holders.enqueue(band.sieve.once(sources), READ)"),
)
_removal(
    "what-settled-readers-read-is-not-queued",
    "Nobody remembers that a ticket that was settled may still read its pages.",
    "trtllm#12542",
    Piece(Ledger, "retire", "holders.enqueue(holding.all_pages(), READ)"),
)
_removal(
    "what-settled-writers-write-is-not-queued",
    "Nobody remembers that a ticket that was settled may still write its pages.",
    "vllm#45357",
    Piece(Ledger, "retire", "holders.enqueue(holding.all_written(), WRITE)"),
)
_removal(
    "the-queue-does-not-say-what-is-done",
    "Pages are queued, and not what for.",
    "sglang#9821",
    Piece(Holders, "enqueue", "self.queued[pages] = np.maximum(before, mode)"),
)
_removal(
    "the-queue-is-taken-for-empty",
    "Pages are queued, and not listed.",
    "sglang#39982 (c)",
    Piece(Holders, "enqueue", "self._on_queue.append(new)"),
)
