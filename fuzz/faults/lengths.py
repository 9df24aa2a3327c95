"""How many calls are enough to show each seeded fault: what was found when each was tried as `bandgap faults` does.

A number may fall, and then it is to be written here. It may not grow: what makes failures shorter would be worse.
"""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from fuzz.faults.trial import Trial

LENGTHS: Final = {
    "a-kind-never-gets-more-than-its-share": 1,
    "a-promise-outlives-the-gate": 5,
    "admission-ignores-the-gate": 4,
    "bands-do-not-know-that-they-are-held": 5,
    "clearing-forgets-one-band": 2,
    "clearing-gives-up-each-page-once": 3,
    "compaction-asks-the-device": 1,
    "compaction-does-not-ask-who-holds": 6,
    "completing-twice-is-taken": 3,
    "copies-are-not-made": 5,
    "copies-are-not-queued": 4,
    "copies-are-of-the-neighbour": 5,
    "copies-bring-half-of-a-page": 5,
    "copies-do-not-wait-for-the-writer": 5,
    "copies-share-the-page": 2,
    "copying-takes-the-original-away": 4,
    "each-kind-counts-the-gap-for-itself": 1,
    "ends-are-forgotten-before-they-are-waited-for": 5,
    "events-are-not-asked": 9,
    "events-are-recorded-before-the-last-kernel": 5,
    "every-ticket-is-waited-for": 5,
    "evictions-are-asked-for-where-waiting-suffices": 5,
    "floats-move-where-the-ends-suffice": 3,
    "floats-never-move": 2,
    "free-ignores-holders": 4,
    "freed-pages-are-zeroed-under-their-readers": 9,
    "freeing-does-not-ask-who-holds": 5,
    "growth-asks-only-the-next-band": 1,
    "holders-are-not-counted": 5,
    "holding-pins-nothing": 6,
    "host-copies-read-on-a-stream-of-their-own": 7,
    "ids-are-taken-for-pages": 3,
    "ids-come-back-before-their-holders-retire": 5,
    "later-work-waits-for-the-move-before": 5,
    "making-room-does-not-ask-who-holds": 6,
    "making-room-does-not-ask-who-remains": 6,
    "making-room-settles-nobody-on-the-device": 5,
    "memory-goes-under-its-holders": 5,
    "memory-goes-under-queued-work": 3,
    "memory-is-given-back-whoever-needs-it": 2,
    "memory-is-given-back-with-work-on-it": 3,
    "more-is-settled-than-is-needed": 6,
    "moved-pages-are-not-queued": 5,
    "moves-copy-half-of-a-page": 5,
    "moves-leave-the-bytes-behind": 5,
    "moves-run-on-a-stream-of-their-own": 4,
    "never-is-said-too-early": 2,
    "new-copies-are-not-queued": 4,
    "nobody-is-asked-to-leave": 4,
    "one-band-ignores-the-gate": 4,
    "one-page-too-few-is-evicted": 2,
    "one-page-too-many-is-evicted": 2,
    "one-ticket-too-few-is-waited-for": 5,
    "one-unpublish-opens-the-gate": 6,
    "only-the-last-transfer-of-a-ticket-counts": 7,
    "only-the-last-withheld-page-comes-back": 5,
    "originals-are-copied-whoever-writes-them": 5,
    "originals-are-not-queued": 6,
    "other-tickets-are-not-looked-at": 6,
    "page-table-on-the-device-is-stale-after-a-move": 3,
    "pages-are-given-off-the-ledger": 6,
    "pages-are-given-whoever-uses-them": 6,
    "pages-are-not-wiped": 7,
    "pages-are-wiped-but-for-the-last": 1,
    "pages-move-where-none-need-to": 1,
    "plans-count-all-bytes-in-pages-of-the-first-kind": 3,
    "quarantine-lets-go": 6,
    "readers-are-over-before-they-have-read": 6,
    "readers-hold-nothing": 6,
    "recorder-omits-that-spans-grew": 1,
    "recorder-swaps-two-pages": 1,
    "refused-demands-keep-what-they-got": 1,
    "refused-demands-settle-tickets": 2,
    "relayout-goes-the-wrong-way-round": 2,
    "releasing-twice-is-taken": 2,
    "resumed-memory-is-not-cleared": 2,
    "retiring-forgets-other-holders": 7,
    "retiring-unpins-the-others": 11,
    "rivals-are-not-looked-for": 5,
    "senders-do-not-pin": 4,
    "settling-holds-nothing-back": 5,
    "settling-is-not-told-to-the-device": 7,
    "settling-waits-for-nothing": 5,
    "settling-waits-on-the-host": 2,
    "shared-pages-may-be-written": 4,
    "streams-do-not-wait-for-the-allocators-event": 4,
    "streams-wait-for-an-old-event-of-the-allocator": 5,
    "streams-wait-for-the-event-before-the-last-settling": 7,
    "table-updates-run-on-a-stream-of-their-own": 4,
    "the-first-release-frees": 3,
    "the-queue-does-not-say-what-is-done": 5,
    "the-queue-is-not-looked-at": 5,
    "the-queue-is-taken-for-empty": 3,
    "the-sink-is-free-for-all": 1,
    "tickets-end-without-an-event": 6,
    "transfers-are-over-when-they-begin": 5,
    "transfers-do-not-look-at-the-stream": 3,
    "transfers-do-not-wait-for-copies-to-land": 7,
    "transfers-have-no-end": 12,
    "transfers-look-only-at-what-is-queued-for-their-own-band": 5,
    "vacated-pages-are-not-queued": 5,
    "views-outlive-the-memory": 7,
    "what-settled-readers-read-is-not-queued": 6,
    "what-settled-writers-write-is-not-queued": 8,
    "wiped-pages-are-not-queued": 3,
    "wipes-run-on-a-stream-of-their-own": 4,
    "wiping-is-not-queued": 3,
    "withheld-pages-are-handed-out": 6,
    "work-begins-before-the-allocators-stream-is-there": 4,
    "work-is-told-over-before-its-end": 7,
    "work-is-told-over-while-it-is-under-way": 6,
    "work-waits-for-no-ticket": 8,
    "writers-are-not-counted": 6,
    "writers-do-not-pin": 5,
    "writers-of-originals-are-not-settled": 4,
}
"""By the name of the fault: calls of the shortest script, with the seed and the hunts that are usual."""


def grown(trials: "Iterable[Trial]") -> Iterator[str]:
    """Of faults that were caught, those whose script became longer, or whose length nobody wrote down.

    A trial that ran out of time says nothing.
    """
    for trial in trials:
        known, failure = LENGTHS.get(trial.fault.name), trial.failure
        if trial.verdict != "caught" or trial.shrunk is None or failure is None or not failure.reduced:
            continue
        if known is None:
            yield f"{trial.fault.name}: {trial.shrunk} calls show it, and no length is on record"
        elif trial.shrunk > known:
            yield f"{trial.fault.name}: {trial.shrunk} calls are needed to show it, and {known} were enough"
