"""What the judge stops at: for each rule a trace that breaks it, the line, the check and who is to blame."""

import random
from typing import Any, NamedTuple, get_args

import pytest

from events import records as r
from spec.catalog import sentence_name
from spec.concrete import Domains
from spec.ranges import universe
from spec.specification import ACTIONS, INVARIANTS, STEPS
from tests.spec import small
from tests.spec.situation import (
    DONE,
    FAILED,
    FIRST,
    FULL,
    NEXT,
    REFUSED,
    SECOND,
    STATE,
    TRANSFER,
    UNPUBLISH,
    WINDOW,
    header,
    judged,
    snapshot,
)


class Broken(NamedTuple):
    """Records, the place among them of the one that is found, and what is said of it.

    An illegal call is found at the call; that shows once its end says that it was done all the same.
    """

    records: tuple[Any, ...]
    at: int
    check: str
    blame: str
    problem: str


def driver(check: str, problem: str, *records: Any, at: int = -1) -> Broken:
    """The last call is illegal, and its end, the last record, says that it was done."""
    return Broken((*records, DONE), len(records) + at, check, "driver", problem)


def allocator(check: str, problem: str, *records: Any) -> Broken:
    """The last record is illegal."""
    return Broken(records, len(records) - 1, check, "allocator", problem)


ASK = r.Allocate([1, 1, 1])
WIPE = r.Allocate([1, 1, 1], wipe=True)
COPY = r.Allocate([0, 1, 0], [], [[], [5], []])
COPY_SETTLED = r.Allocate([0, 1, 0], [FIRST], [[], [6], []])
"""The first forward writes the original, and may be settled."""
EMPTY_WINDOW = (
    *UNPUBLISH,
    r.Release(WINDOW, [5, 6]),
    DONE,
    r.Complete(FIRST),
    DONE,
    r.Complete(SECOND),
    r.AbsorbedHigh(WINDOW, 4),
    DONE,
)
EMPTY_ARENA = (
    *EMPTY_WINDOW,
    r.Release(STATE, [10, 11, 11]),
    r.AbsorbedHigh(STATE, 4),
    DONE,
    r.Complete(TRANSFER),
    DONE,
    r.Release(FULL, [0, 1]),
    r.AbsorbedLow(FULL, 5),
    DONE,
)
FREED_WHILE_HELD = (r.Release(WINDOW, [6]), DONE)

GUARDS: dict[str, Broken] = {
    # spans
    "grow-low.the-first-band-stays-where-it-begins": allocator("anchored-ends", "band 0", ASK, r.GrewLow(STATE, 1)),
    "grow-high.the-last-band-stays-where-it-ends": allocator("anchored-ends", "band 2", ASK, r.GrewHigh(FULL, 1)),
    "grow-low.the-grown-span-is-inside-the-arena": allocator(
        "inside-arena", "band 2", *EMPTY_ARENA, r.Allocate([0, 0, 1]), r.GrewLow(FULL, 51)
    ),
    "grow-high.the-grown-span-is-inside-the-arena": allocator(
        "inside-arena", "band 0", *EMPTY_ARENA, r.Allocate([1, 0, 0]), r.GrewHigh(STATE, 11)
    ),
    "grow-low.the-grown-span-is-clear-of-every-other": allocator("band-order", "band 2", ASK, r.GrewLow(FULL, 10)),
    "grow-high.the-grown-span-is-clear-of-every-other": allocator("band-order", "band 1", ASK, r.GrewHigh(WINDOW, 7)),
    "appear.the-band-is-a-float": allocator("anchored-ends", "band 2", ASK, r.Appeared(FULL, 3)),
    "appear.the-float-is-empty": allocator("outside-is-free", "band 1", ASK, r.Appeared(WINDOW, 15)),
    "appear.the-hole-is-inside-the-arena": allocator(
        "inside-arena", "page 40", *EMPTY_WINDOW, r.Allocate([0, 1, 0]), r.Appeared(WINDOW, 40)
    ),
    "appear.the-hole-is-clear-of-every-other-span": allocator(
        "band-order", "page 30", *EMPTY_WINDOW, r.Allocate([0, 1, 0]), r.Appeared(WINDOW, 30)
    ),
    "absorb-low.the-first-band-stays-where-it-begins": allocator(
        "anchored-ends", "band 0", r.Drain(), r.AbsorbedLow(STATE, 1)
    ),
    "absorb-high.the-last-band-stays-where-it-ends": allocator(
        "anchored-ends", "band 2", r.Drain(), r.AbsorbedHigh(FULL, 1)
    ),
    "absorb-low.the-span-is-not-empty": allocator("span", "band 1", *EMPTY_WINDOW, r.Drain(), r.AbsorbedLow(WINDOW, 1)),
    "absorb-high.the-span-is-not-empty": allocator(
        "span", "band 1", *EMPTY_WINDOW, r.Drain(), r.AbsorbedHigh(WINDOW, 1)
    ),
    "absorb-low.the-lowest-page-is-in-no-use": allocator(
        "outside-is-free", "band 1", r.Drain(), r.AbsorbedLow(WINDOW, 1)
    ),
    "absorb-high.the-highest-page-is-in-no-use": allocator(
        "outside-is-free", "band 0", r.Drain(), r.AbsorbedHigh(STATE, 2)
    ),
    # pages
    "allocate.the-page-is-inside-its-bands-span": allocator(
        "outside-is-free", "page 24", ASK, r.Allocated(WINDOW, [24], [7])
    ),
    "allocate.the-page-is-not-live": allocator("bijection", "page 20", ASK, r.Allocated(WINDOW, [20], [7])),
    "allocate.the-page-is-not-withheld": allocator("ledger-gated-reuse", "page 2", ASK, r.Allocated(STATE, [2], [13])),
    "allocate.the-id-is-not-in-use": allocator("bijection", "id 5", ASK, r.Allocated(WINDOW, [21], [5])),
    "allocate.no-outstanding-ticket-was-given-the-id": allocator(
        "ids-fresh", "id 6", *FREED_WHILE_HELD, ASK, r.Allocated(WINDOW, [21], [6])
    ),
    "allocate-wiped.the-page-is-inside-its-bands-span": allocator(
        "outside-is-free", "page 24", WIPE, r.Wiped(WINDOW, [24], [7])
    ),
    "allocate-wiped.the-page-is-not-live": allocator("bijection", "page 20", WIPE, r.Wiped(WINDOW, [20], [7])),
    "allocate-wiped.the-page-is-not-withheld": allocator(
        "ledger-gated-reuse", "page 2", WIPE, r.Wiped(STATE, [2], [13])
    ),
    "allocate-wiped.the-id-is-not-in-use": allocator("bijection", "id 5", WIPE, r.Wiped(WINDOW, [21], [5])),
    "allocate-wiped.no-outstanding-ticket-was-given-the-id": allocator(
        "ids-fresh", "id 6", *FREED_WHILE_HELD, WIPE, r.Wiped(WINDOW, [21], [6])
    ),
    "fork.the-page-is-inside-its-bands-span": allocator(
        "outside-is-free", "page 24", COPY, r.Forked(WINDOW, [24], [7], [5])
    ),
    "fork.the-page-is-not-live": allocator("bijection", "page 20", COPY, r.Forked(WINDOW, [20], [7], [5])),
    "fork.the-page-is-not-withheld": allocator(
        "ledger-gated-reuse", "page 2", r.Allocate([1, 0, 0], [], [[10], [], []]), r.Forked(STATE, [2], [13], [10])
    ),
    "fork.the-id-is-not-in-use": allocator("bijection", "id 6", COPY, r.Forked(WINDOW, [21], [6], [5])),
    "fork.no-outstanding-ticket-was-given-the-id": allocator(
        "ids-fresh", "id 6", *FREED_WHILE_HELD, COPY, r.Forked(WINDOW, [21], [6], [5])
    ),
    "fork.the-original-is-alive": allocator("content", "id 99", COPY, r.Forked(WINDOW, [21], [7], [99])),
    "fork.no-ticket-holds-the-original-for-writing": allocator(
        "content", "id 6", COPY_SETTLED, r.Forked(WINDOW, [21], [7], [6])
    ),
    "share.the-virtual-page-is-alive": driver("bijection", "id 99", r.Share(STATE, [10, 99])),
    "free.the-virtual-page-is-alive": driver("bijection", "id 7", r.Release(WINDOW, [5, 7])),
    # the ledger
    "hold.the-ticket-has-not-retired": driver(
        "retired-hold-nothing", "ticket 3", r.Complete(FIRST), DONE, r.Hold(FIRST, STATE, "read", [10])
    ),
    "hold.the-virtual-page-is-alive": driver("ledger-wellformed", "id 99", r.Hold(SECOND, STATE, "read", [10, 99])),
    "hold.writing-needs-a-sole-reference": driver("sole-writer", "id 11", r.Hold(SECOND, STATE, "write", [10, 11])),
    "hold.where-either-writes-every-other-holder-runs-before-this-ticket": driver(
        "ledger-wellformed", "id 6", r.Open(NEXT, "forward", "other"), DONE, r.Hold(NEXT, WINDOW, "read", [6])
    ),
    "hold.a-transfer-meets-nothing-left-on-the-allocators-stream": driver(
        "transfers-meet-nothing", "id 1", r.Hold(TRANSFER, FULL, "read", [0, 1])
    ),
    "complete.the-ticket-has-not-retired": driver(
        "holdings-kept", "ticket 3", r.Complete(FIRST), DONE, r.Complete(FIRST)
    ),
    "complete.all-its-writes-have-landed": driver(
        "flights-are-held", "ticket 3", r.Issue(FIRST, WINDOW, [22], [9]), DONE, r.Complete(FIRST)
    ),
    "settle.the-ticket-has-not-retired": driver("holdings-kept", "ticket 3", r.Settle(FIRST), DONE, r.Settle(FIRST)),
    "settle.a-stream-can-wait-for-it": driver("holdings-kept", "ticket 4", r.Settle(TRANSFER)),
    # moving
    "move.nobody-has-published-an-address": allocator("gate-holds", "page 0", r.Compact(999), r.Moved(STATE, [0], [3])),
    "move.the-source-is-live": allocator("bijection", "page 2", *UNPUBLISH, r.Compact(999), r.Moved(STATE, [2], [3])),
    "move.no-ticket-holds-the-source-for-writing": allocator(
        "writers-pin", "page 22", *UNPUBLISH, r.Compact(999), r.Moved(WINDOW, [22], [21])
    ),
    "move.the-target-is-inside-its-bands-span": allocator(
        "outside-is-free", "page 24", *UNPUBLISH, r.Compact(999), r.Moved(WINDOW, [20], [24])
    ),
    "move.the-target-is-not-live": allocator(
        "bijection", "page 48", *UNPUBLISH, r.Compact(999), r.Moved(FULL, [49], [48])
    ),
    "move.the-target-is-not-withheld": allocator(
        "ledger-gated-reuse", "page 2", *UNPUBLISH, r.Compact(999), r.Moved(STATE, [0], [2])
    ),
    # the device
    "issue.the-ticket-holds-the-page-for-writing": driver(
        "flights-are-held", "ticket 5", r.Issue(SECOND, WINDOW, [22], [9])
    ),
    "land.a-write-is-in-flight-to-the-page": driver("held-bytes-frozen", "page 20", r.Land(WINDOW, [20])),
}
"""Each guard sentence that a record can break, by its name."""

NEVER_ASKED = {
    "unshare.another-reference-remains",
    "free.nobody-else-refers-to-it",
}
"""A release is an unshare or a free as the references have it, so that these always hold."""

ASKED_BEFORE = {
    "hold.the-ticket-has-not-retired",
    "complete.the-ticket-has-not-retired",
    "settle.the-ticket-has-not-retired",
}
"""Whether a ticket is outstanding is asked of the order of tickets, which forgets the retired ones."""

RULES: dict[str, Broken] = {
    # calls that are misuses whatever the pages
    "the number of a new ticket was used": driver("agreement", "the next is 6", r.Open(SECOND, "forward", "main")),
    "a transfer on a stream": driver("agreement", "on no stream", r.Open(NEXT, "transfer", "main")),
    "a transfer that waits": driver("agreement", "waits for nothing", r.Open(NEXT, "transfer", None, [FIRST])),
    "a forward without a stream": driver("agreement", "needs a stream", r.Open(NEXT, "forward")),
    "a ticket that waits for one to come": driver("agreement", "never opened", r.Open(6, "copy", "host", [7])),
    "a ticket that waits for a negative one": driver("agreement", "never opened", r.Open(6, "copy", "host", [-1])),
    "a ticket that waits for a transfer": driver("agreement", "a transfer", r.Open(6, "copy", "host", [TRANSFER])),
    "a hold by a ticket to come": driver("agreement", "never opened", r.Hold(9, STATE, "read", [10])),
    "a completion of a ticket to come": driver("agreement", "never opened", r.Complete(9)),
    "a settling of a ticket to come": driver("agreement", "never opened", r.Settle(9)),
    "a write by a ticket to come": driver("agreement", "never opened", r.Issue(9, STATE, [0], [1])),
    "a write by a retired ticket": driver(
        "flights-are-held", "has not retired", r.Complete(FIRST), DONE, r.Issue(FIRST, WINDOW, [22], [9])
    ),
    "a hold in no band": driver("agreement", "no band 3", r.Hold(FIRST, 3, "read", [10])),
    "a share in no band": driver("agreement", "no band 3", r.Share(3, [10])),
    "a release in no band": driver("agreement", "no band 3", r.Release(3, [10])),
    "a write in no band": driver("agreement", "no band 3", r.Issue(FIRST, 3, [10], [1])),
    "a landing in no band": driver("agreement", "no band 3", r.Land(3, [10])),
    "a page for which there is no value": driver("agreement", "1 pages for 0 values", r.Issue(FIRST, WINDOW, [22], [])),
    "a value that means garbage": driver("agreement", "garbage", r.Issue(FIRST, WINDOW, [22], [-1])),
    "a landing of one write twice": driver(
        "held-bytes-frozen", "only once", r.Issue(FIRST, WINDOW, [22], [9]), DONE, r.Land(WINDOW, [22, 22])
    ),
    "a release of more references than there are": driver("bijection", "alive", r.Release(STATE, [11, 10, 11, 11])),
    "an address taken back that nobody has": driver("agreement", "published nothing", r.Unpublish("nvlink")),
    "a demand for too few bands": driver("agreement", "3 bands", r.Allocate([1])),
    "a demand for too many bands": driver("agreement", "3 bands", r.Allocate([1, 1, 1, 1])),
    "originals of too few bands": driver("agreement", "3 bands", r.Allocate([1, 1, 1], [], [[10]])),
    "originals of too many bands": driver("agreement", "3 bands", r.Allocate([1, 1, 1], [], [[], [], [], []])),
    "more originals than pages": driver(
        "agreement", "2 originals for 1 pages", r.Allocate([1, 1, 1], [], [[10, 10], [], []])
    ),
    "an original that is not alive": driver("content", "id 99 of band 1", r.Allocate([1, 1, 1], [], [[], [99], []])),
    "an original that is being written": driver("content", "id 6 of band 1", r.Allocate([1, 1, 1], [], [[], [6], []])),
    "an original that is being written, where another may be settled": driver(
        "content", "held for writing", r.Allocate([1, 1, 1], [SECOND], [[], [6], []])
    ),
    "a demand that may settle a transfer": driver("agreement", "cannot be settled", r.Allocate([1, 1, 1], [TRANSFER])),
    "a demand that may settle a retired ticket": driver(
        "agreement", "cannot be settled", r.Complete(FIRST), DONE, r.Allocate([1, 1, 1], [SECOND, FIRST])
    ),
    # misuses that were not rejected are found at their call whatever comes after it
    "an illegal call with a step": Broken(
        (r.Complete(9), r.AbsorbedHigh(STATE, 1)), 0, "agreement", "driver", "never opened"
    ),
    "an illegal call that was refused": Broken((r.Allocate([1]), REFUSED), 0, "agreement", "driver", "3 bands"),
    # the frame of calls
    "a call within a call": Broken((r.Drain(), r.Drain()), 1, "agreement", "driver", "drain before it has no end"),
    "a snapshot within a call": Broken((r.Drain(), snapshot()), 1, "agreement", "driver", "has no end"),
    "a closing line within a call": Broken((r.Drain(), r.Close(3)), 1, "agreement", "driver", "has no end"),
    "an end without a call": Broken((DONE,), 0, "agreement", "driver", "no call to end"),
    "a second end": Broken((r.Drain(), DONE, DONE), 2, "agreement", "driver", "no call to end"),
    "a step without a call": allocator("agreement", "no call asked", r.GrewLow(WINDOW, 1)),
    "a step after its call": allocator("agreement", "no call asked", r.Drain(), DONE, r.AbsorbedHigh(WINDOW, 1)),
    "a second header": Broken((header(),), 0, "trace", "trace", "second header"),
    "a call after the closing line": Broken((r.Close(2), r.Drain()), 1, "trace", "trace", "after the closing line"),
    "a snapshot after the closing line": Broken(
        (r.Close(2), snapshot()), 1, "trace", "trace", "after the closing line"
    ),
    # steps that their call did not ask for, or that say nothing
    "a settling that was not allowed": allocator("agreement", "did not allow", ASK, r.Settled(FIRST)),
    "a second settling": allocator(
        "agreement", "retired already", r.Allocate([1, 0, 0], [FIRST]), r.Settled(FIRST), r.Settled(FIRST)
    ),
    "a step in no band": allocator("agreement", "no band 3", ASK, r.GrewLow(3, 1)),
    "more pages than ids": allocator("agreement", "1 pages for 0 ids", ASK, r.Allocated(STATE, [3], [])),
    "more wiped pages than ids": allocator("agreement", "1 pages for 0 ids", WIPE, r.Wiped(STATE, [3], [])),
    "a page that was to be wiped and was not": allocator(
        "agreement",
        "to be wiped, and 1 were not",
        r.Allocate([2, 0, 0], [], [[10], [], []], True),
        r.GrewHigh(STATE, 1),
        r.Forked(STATE, [3], [13], [10]),
        r.Allocated(STATE, [4], [14]),
        r.End(ids=[[13, 14], [], []]),
    ),
    "a page that was wiped for nobody": allocator(
        "agreement",
        "as they are, and 1 were not",
        r.Allocate([1, 0, 0]),
        r.Wiped(STATE, [3], [13]),
        r.End(ids=[[13], [], []]),
    ),
    "more pages than ids of copies": allocator("agreement", "1 pages and 0 ids", COPY, r.Forked(WINDOW, [21], [], [5])),
    "fewer originals than copies": allocator(
        "agreement", "1 ids for 0 originals", COPY, r.Forked(WINDOW, [21], [7], [])
    ),
    "a copy after an empty page": allocator(
        "agreement",
        "come before",
        r.Allocate([0, 2, 0], [], [[], [5], []]),
        r.Allocated(WINDOW, [21], [7]),
        r.Forked(WINDOW, [23], [8], [5]),
    ),
    "an empty page for a copy": allocator(
        "agreement", "were copied", COPY, r.Allocated(WINDOW, [21], [7]), r.End(ids=[[], [7], []])
    ),
    "a copy for an empty page": allocator(
        "agreement", "were copied", r.Allocate([0, 1, 0]), r.Forked(WINDOW, [21], [7], [5]), r.End(ids=[[], [7], []])
    ),
    "a copy of another": allocator(
        "agreement",
        "were copied",
        *UNPUBLISH,
        r.Complete(FIRST),
        DONE,
        COPY,
        r.Forked(WINDOW, [21], [7], [6]),
        r.End(ids=[[], [7], []]),
    ),
    "more sources than targets": allocator(
        "agreement", "1 sources for 0 targets", *UNPUBLISH, r.Compact(999), r.Moved(STATE, [0], [])
    ),
    "more bytes moved than allowed": allocator(
        "agreement",
        "130 bytes moved, and only 129",
        *UNPUBLISH,
        r.Compact(129),
        r.Moved(STATE, [0], [3]),
        r.Moved(WINDOW, [20], [21]),
    ),
    # ends
    "a legal call rejected": allocator("agreement", "rejected a legal call", r.Drain(), FAILED),
    "a drain refused": allocator("agreement", "only an allocation", r.Drain(), REFUSED),
    "a drain that gives ids": allocator("agreement", "only an allocation gives ids", r.Drain(), r.End(ids=[[1]])),
    "fewer pages than asked for": allocator(
        "all-or-nothing",
        "[1, 1, 1] pages of each band were asked for, and [1, 0, 0] allocated",
        ASK,
        r.Allocated(STATE, [3], [13]),
        r.End(ids=[[13], [], []]),
    ),
    "more pages than asked for": allocator(
        "all-or-nothing",
        "[1, 0, 2] allocated",
        r.Allocate([1, 0, 1]),
        r.Allocated(STATE, [3], [13]),
        r.Allocated(FULL, [45, 46], [13, 14]),
        r.End(ids=[[13], [], [13]]),
    ),
    "pages of another band": allocator(
        "all-or-nothing",
        "[1, 0, 0] pages of each band were asked for, and [0, 0, 1] allocated",
        r.Allocate([1, 0, 0]),
        r.Allocated(FULL, [45], [13]),
        r.End(ids=[[], [], [13]]),
    ),
    "pages where none were asked for": allocator(
        "all-or-nothing",
        "[1, 0, 0] allocated",
        r.Allocate([0, 0, 0]),
        r.Allocated(STATE, [3], [13]),
        r.End(ids=[[], [], []]),
    ),
    "other ids than the steps say": allocator(
        "agreement",
        "other ids",
        r.Allocate([1, 0, 0]),
        r.Allocated(STATE, [3], [13]),
        r.End(ids=[[14], [], []]),
    ),
    "no ids": allocator("agreement", "other ids", r.Allocate([1, 0, 0]), r.Allocated(STATE, [3], [13]), DONE),
    "pages left behind by a refusal": allocator(
        "all-or-nothing", "left pages", ASK, r.Allocated(STATE, [3], [13]), r.Refused("never"), REFUSED
    ),
    "a ticket settled by a refusal": allocator(
        "all-or-nothing", "settled", r.Allocate([1, 1, 1], [FIRST]), r.Settled(FIRST), r.Refused("never"), REFUSED
    ),
    "a refusal without a reason": allocator("agreement", "says why", ASK, REFUSED),
    "a refusal with two reasons": allocator("agreement", "not 2", ASK, r.Refused("never"), r.Refused("evict"), REFUSED),
    "a refusal that gives ids": allocator(
        "agreement", "was given ids", ASK, r.Refused("never"), r.End("refused", [[1], [], []])
    ),
    "a refusal that was done": allocator(
        "agreement", "wrote a refusal", r.Allocate([0, 0, 0]), r.Refused("never"), r.End(ids=[[], [], []])
    ),
}

ALL = {**GUARDS, **RULES}


@pytest.mark.parametrize("name", ALL)
def test_illegal(name: str) -> None:
    broken = ALL[name]
    judge, finding = judged(*broken.records)
    assert finding is not None
    assert (finding.check, finding.blame) == (broken.check, broken.blame)
    assert broken.problem in finding.problem
    assert finding.line == broken.at + 3
    assert finding.record is broken.records[broken.at]
    assert str(finding) == f"line {finding.line}: {finding.check}: {finding.problem}"
    assert judge.verdict(finding).finding is finding


MISUSES = [name for name, broken in ALL.items() if broken.records[broken.at + 1 :] == (DONE,)]
"""Those in which an illegal call was done."""


def test_there_are_misuses_of_every_call_that_can_be_illegal() -> None:
    assert len(MISUSES) > 35
    assert {type(ALL[name].records[-2]) for name in MISUSES} == set(get_args(r.Call)) - {r.Drain, r.Publish, r.Compact}


@pytest.mark.parametrize("name", MISUSES)
def test_a_misuse_that_the_allocator_rejects_is_no_finding_and_changes_nothing(name: str) -> None:
    broken = ALL[name]
    judge, finding = judged(*broken.records[:-1], FAILED)
    untouched, _ = judged(*broken.records[:-2])
    assert finding is None
    assert judge.misuses == 1
    assert judge.state is not None
    assert untouched.state is not None
    assert judge.state.tables == untouched.state.tables
    assert judge.state.order.__dict__ == untouched.state.order.__dict__
    assert judge.actions == untouched.actions


def test_every_guard_sentence_is_broken_by_a_record() -> None:
    with universe(Domains(small.MEMBERS)):
        s = small.judged(small.arena(random.Random(0)))
        sentences = {
            sentence_name(action, text): protects
            for action in ACTIONS.values()
            for text, _, protects in action.guard(s, *[small.MEMBERS[sort][0] for sort in action.sorts])
        }
    assert set(sentences) == set(GUARDS) | NEVER_ASKED
    assert {name: broken.check for name, broken in GUARDS.items()} == {name: sentences[name] for name in GUARDS}


@pytest.mark.parametrize("name", [name for name in GUARDS if name not in ASKED_BEFORE])
def test_a_finding_of_a_guard_says_the_action_and_its_arguments(name: str) -> None:
    _, finding = judged(*GUARDS[name].records)
    assert finding is not None
    assert finding.action == name.split(".")[0]
    action = ACTIONS[finding.action]
    assert len(finding.arguments) == len(action.sorts)
    assert sentence_name(action, finding.problem.split("not so: ")[1]) == name


def test_every_record_is_found_at_least_once() -> None:
    found = {type(broken.records[broken.at]) for broken in ALL.values()}
    assert found >= {*get_args(r.Call), *get_args(r.Step)} - {r.Drain, r.Publish, r.Compact, r.Refused} | {r.End}


SHRINKS = {r.AbsorbedLow, r.AbsorbedHigh}
LAYS_OUT = SHRINKS | {r.GrewLow, r.GrewHigh, r.Appeared}
MAY_BRING: tuple[tuple[Any, set[Any]], ...] = (
    (r.Allocate([1, 1, 1]), LAYS_OUT | {r.Allocated, r.Wiped, r.Forked, r.Moved, r.Settled, r.Refused}),
    (r.Compact(999), LAYS_OUT | {r.Moved}),
    (r.Release(WINDOW, [5]), SHRINKS),
    (r.Complete(FIRST), SHRINKS),
    (r.Settle(FIRST), SHRINKS),
    (r.Drain(), SHRINKS),
    (r.Unpublish("rdma"), SHRINKS),
    (r.Publish("rdma"), set()),
    (r.Share(WINDOW, [5]), set()),
    (r.Open(NEXT, "transfer"), set()),
    (r.Hold(FIRST, WINDOW, "read", [5]), set()),
    (r.Issue(FIRST, WINDOW, [22], [9]), set()),
    (r.Land(WINDOW, []), set()),
)
"""A legal call of each kind, and the steps that it may bring."""

A_STEP = (
    r.GrewLow(WINDOW, 0),
    r.GrewHigh(WINDOW, 0),
    r.AbsorbedLow(WINDOW, 0),
    r.AbsorbedHigh(WINDOW, 0),
    r.Appeared(WINDOW, 0),
    r.Allocated(WINDOW, [], []),
    r.Wiped(WINDOW, [], []),
    r.Forked(WINDOW, [], [], []),
    r.Moved(WINDOW, [], []),
    r.Settled(FIRST),
    r.Refused("never"),
)


@pytest.mark.parametrize(("call", "may_bring"), MAY_BRING, ids=[type(call).__name__ for call, _ in MAY_BRING])
@pytest.mark.parametrize("step", A_STEP, ids=lambda step: type(step).__name__)
def test_a_call_brings_only_the_steps_that_it_asked_for(call: Any, may_bring: set[Any], step: Any) -> None:
    _, finding = judged(call, step)
    unasked = finding is not None and "does not ask for this step" in finding.problem
    assert unasked == (type(step) not in may_bring)
    if finding is not None and unasked:
        assert (finding.check, finding.blame, finding.line) == ("agreement", "allocator", 4)


def test_every_call_and_step_is_in_that_table() -> None:
    assert {type(call) for call, _ in MAY_BRING} == set(get_args(r.Call))
    assert {type(step) for step in A_STEP} == set(get_args(r.Step))


def test_every_check_is_a_property_or_one_of_the_judges_own() -> None:
    names = {broken.check for broken in ALL.values()}
    assert names - set(INVARIANTS) - set(STEPS) == {"agreement", "trace", "all-or-nothing"}


def test_the_first_line_is_a_header_and_the_second_a_snapshot() -> None:
    judge, _ = judged()
    for first, problem in ((snapshot(), "must be a header"), (r.Drain(), "must come before"), (r.Close(0), "header")):
        finding = type(judge)().take(first)
        assert finding is not None
        assert (finding.line, finding.check, finding.blame) == (1, "trace", "trace")
        assert problem in finding.problem
    for second, problem in ((r.Drain(), "must come before"), (r.Close(1), "no snapshot")):
        fresh = type(judge)()
        assert fresh.take(header()) is None
        finding = fresh.take(second)
        assert finding is not None
        assert (finding.line, finding.check, finding.blame) == (2, "trace", "trace")
        assert problem in finding.problem


def test_what_is_no_record_is_the_callers_mistake() -> None:
    judge, _ = judged()
    with pytest.raises(TypeError, match="no record"):
        judge.take(["end"])
