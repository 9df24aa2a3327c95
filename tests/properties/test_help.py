"""Where a proof fails the answer helps: the smallest arena, how it comes about, and the sentence that mends it."""

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, replace

import pytest

from properties.failing.budget import Budget
from properties.failing.helping import NO_ACTION, Found, Help, helps
from properties.failing.repairs import Repair, mended, repair
from properties.failing.routes import route
from properties.failing.smallest import smallest, used
from properties.failing.vocabulary import Candidate, candidates
from properties.faults import FAULTS
from properties.judging import confirm_legal, culprits_of
from properties.known import weakenings
from properties.ladder import answers
from properties.limits import USUAL
from properties.obligations import Kind, Obligation
from properties.readings import reading
from properties.search import Search, shapes
from properties.specification import AS_WRITTEN, ON_DEVICE, Specification, dropped
from properties.weakenings import assumptions, sentences
from spec.catalog import sentence_name
from spec.logic import And, Not, Or
from tests.properties.broken import FALSE_LEMMA, grows_by_two, helped, refuted, repaired, shares_twice, way

WITHHELD = "allocate.the-page-is-not-withheld"
ALIVE = "share.the-virtual-page-is-alive"


@dataclass(frozen=True)
class Case:
    specification: Specification
    obligation: Obligation
    counts: Mapping[str, int]
    """Of what the smallest arena has some."""

    way: tuple[str, ...]


def _of(kind: Kind, action: str, claim: str) -> Obligation:
    return Obligation(kind, action, claim)


CASES = {
    "a withheld page is handed out": Case(
        dropped(AS_WRITTEN, WITHHELD),
        _of(Kind.STEP, "allocate", "ledger-gated-reuse"),
        {"band": 1, "page": 1, "ticket": 1, "vid": 2},
        ("allocate", "hold", "free", "allocate"),
    ),
    "a page is moved under its writer": Case(
        dropped(AS_WRITTEN, "move.no-ticket-holds-the-source-for-writing"),
        _of(Kind.STEP, "move", "writers-pin"),
        {"band": 1, "page": 2, "ticket": 1, "vid": 1},
        ("allocate", "hold", "move"),
    ),
    "a span grows into another": Case(
        dropped(AS_WRITTEN, "grow-high.the-grown-span-is-clear-of-every-other"),
        _of(Kind.INDUCTIVE, "grow-high", "band-order"),
        {"band": 2, "page": 1},
        ("grow-high",),
    ),
    "a float appears in another span": Case(
        dropped(AS_WRITTEN, "appear.the-hole-is-clear-of-every-other-span"),
        _of(Kind.INDUCTIVE, "appear", "band-order"),
        {"band": 3, "page": 1},
        ("appear",),
    ),
    "a shared page is freed": Case(
        dropped(AS_WRITTEN, "free.nobody-else-refers-to-it"),
        _of(Kind.STEP, "free", "references-one-by-one"),
        {"band": 1, "page": 1, "vid": 1},
        ("allocate", "share", "free"),
    ),
    "a span grows by two": Case(
        grows_by_two(), _of(Kind.INDUCTIVE, "grow-high", "inside-arena"), {"band": 2}, ("grow-high",)
    ),
    "a reference counts twice": Case(
        shares_twice(),
        _of(Kind.STEP, "share", "references-one-by-one"),
        {"band": 1, "page": 1, "vid": 1},
        ("allocate", "share"),
    ),
    "a move leaves the bytes behind": Case(
        FAULTS["move.leaves-the-bytes-behind"].change(AS_WRITTEN),
        _of(Kind.INDUCTIVE, "move", "content"),
        {"band": 1, "page": 2, "vid": 1},
        ("allocate-wiped", "move"),
    ),
    "a free page is still held": Case(
        FAULTS["free.forgets-the-holders"].change(AS_WRITTEN),
        _of(Kind.INDUCTIVE, "free", "ledger-wellformed"),
        {"band": 1, "page": 1, "ticket": 1, "vid": 1},
        ("allocate", "hold", "free"),
    ),
    "a ticket completes while the device reads": Case(
        weakenings()["device/complete.all-its-accesses-are-over"].change(ON_DEVICE),
        _of(Kind.INDUCTIVE, "device/complete", "accesses-on-record"),
        {"band": 1, "page": 1, "ticket": 1, "access": 2},
        ("device/allocate", "device/hold", "device/land", "device/look-up", "device/complete"),
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_what_is_broken_is_told_with_the_smallest_arena_and_a_way_to_it(case: Case) -> None:
    found = helped(case.specification, case.obligation)
    assert found.obligation == case.obligation
    assert found.smallest is not None
    assert found.smallest.is_least
    example = found.smallest.counterexample.example
    assert example.action == case.obligation.action
    action = case.specification.actions[case.obligation.stage]
    counts = used(example, tuple(zip(action.sorts, example.arguments, strict=True)))
    assert {sort: count for sort, count in counts.items() if count} == case.counts
    assert set(example.before.shape.sizes) == {1}
    *before, last = way(found)
    # of two actions that do not touch each other either may come first
    assert (sorted(before), last) == (sorted(case.way[:-1]), case.way[-1])


def test_a_way_is_made_of_legal_steps_and_ends_in_what_breaks_the_property() -> None:
    broken, obligation = (
        CASES["a withheld page is handed out"].specification,
        _of(Kind.INDUCTIVE, "allocate", "content"),
    )
    found = helped(broken, obligation).route
    assert found is not None
    assert found.found is not None
    steps = [*found.steps, found.found.example]
    assert not any(steps[0].before.table(name) for name in ("status", "refs", "held", "flying", "queued", "published"))
    for step, following in itertools.pairwise(steps):
        assert step.after == following.before
    for step in steps:
        assert step.action is not None
        confirm_legal(broken, step.action, step)
    assert culprits_of(broken, obligation, steps[-1]) == found.found.culprits
    assert all(culprits_of(broken, replace(obligation, stage=str(step.action)), step) is None for step in steps[:-1])


def test_what_is_not_reached_is_said_to_be_not_reached_and_no_more() -> None:
    """The only states that break it give an id that is dead to a writer and a home to another: none comes about."""
    broken = dropped(AS_WRITTEN, ALIVE)
    found = helped(broken, _of(Kind.INDUCTIVE, "share", "writers-aim-true")).route
    assert found is not None
    assert (found.found, found.steps) == (None, ())
    assert found.states > 1000
    assert found.bound == 10


def test_the_same_fault_comes_about_where_it_can() -> None:
    broken = dropped(AS_WRITTEN, ALIVE)
    assert way(helped(broken, _of(Kind.INDUCTIVE, "share", "bijection"))) == ["share"]


def test_where_there_is_no_action_it_is_said_so() -> None:
    lemma = replace(AS_WRITTEN, axioms={FALSE_LEMMA.name: FALSE_LEMMA})
    of_lemma = helped(lemma, Obligation(Kind.LEMMA, "lemma", FALSE_LEMMA.name))
    assert of_lemma.apart.startswith(NO_ACTION)
    assert of_lemma.route is None
    assert _bands(of_lemma) == 1

    theorem = assumptions(AS_WRITTEN)["no-overlap.without-band-order"].change(AS_WRITTEN)
    of_theorem = helped(theorem, Obligation(Kind.THEOREM, "theorem", "no-overlap"))
    assert of_theorem.apart == NO_ACTION
    assert of_theorem.route is not None
    assert of_theorem.route.found is None
    assert of_theorem.route.states > 10
    assert _bands(of_theorem) == 2

    anything = replace(AS_WRITTEN, initial=lambda _: True)
    of_start = helped(anything, Obligation(Kind.INITIAL, "initial", "references"))
    assert of_start.route is not None
    assert of_start.smallest is not None
    assert (of_start.route.steps, of_start.route.found) == ((), of_start.smallest.counterexample)


def _bands(found: Help) -> int:
    assert found.smallest is not None
    return len(found.smallest.counterexample.example.before.origins)


DROPPED = {
    WITHHELD: "the target is not withheld",
    ALIVE: "the virtual page is alive",
    "free.nobody-else-refers-to-it": "refs[band, vid] is 1",
    "unshare.another-reference-remains": "refs[band, vid] is more than 1",
    "settle.a-stream-can-wait-for-it": "is_transfer[ticket] is not true",
    "complete.all-its-writes-have-landed": "nothing is in flights(ticket)",
    "grow-high.the-grown-span-is-clear-of-every-other": "the hole is clear of every other span",
    "grow-low.the-first-band-stays-where-it-begins": "the first band stays where it begins",
    "absorb-high.the-last-band-stays-where-it-ends": "the last band stays where it ends",
    "absorb-low.the-lowest-page-is-in-no-use": "status[band, the lowest page] is free",
}
"""With what is told to mend the action."""

AGREEING = 10
"""Of how many what is told says the same as the sentence that was dropped."""


def test_most_dropped_sentences_are_found_again_or_what_says_the_same() -> None:
    told = {name: _told(name) for name in DROPPED}
    assert {name: repair.sentence for name, repair in told.items()} == DROPPED
    assert all(repair.is_whole and repair.witness is not None for repair in told.values())
    assert sum(_says_again(name, repair) for name, repair in told.items()) == AGREEING


@pytest.mark.parametrize("case", ["a span grows by two", "a reference counts twice"])
def test_what_no_sentence_mends_is_told_so(case: str) -> None:
    told = repaired(CASES[case].specification, CASES[case].obligation)
    assert (told.sentence, told.witness, told.is_whole) == ("", None, True)
    assert told.tried > 200


def _told(name: str) -> Repair:
    claim = sentences(AS_WRITTEN)[name].property
    kind = Kind.STEP if claim in AS_WRITTEN.steps else Kind.INDUCTIVE
    return repaired(dropped(AS_WRITTEN, name), Obligation(kind, name.split(".")[0], claim))


def _says_again(name: str, told: Repair) -> bool:
    broken, stage = dropped(AS_WRITTEN, name), name.split(".")[0]
    (chosen, *_) = [
        each
        for each in candidates(broken, stage)
        if (each.sentence, each.action, each.where) == (told.sentence, told.action, told.where)
    ]
    return _say_the_same(broken, stage, name, chosen)


def _say_the_same(broken: Specification, stage: str, name: str, candidate: Candidate) -> bool:
    """No legal state of a small arena tells the candidate from the sentence, where the rest of the guard holds."""
    search = Search(broken, stage, shapes(broken, stage)[0], USUAL)
    action = AS_WRITTEN.actions[stage]
    with reading(search.small):
        s, arguments = search.scene.before, search.scene.arguments
        (sentence,) = [said for text, said, _ in action.guard(s, *arguments) if sentence_name(action, text) == name]
        says = candidate.holds(s, *arguments)
        apart = Or(And(says, Not(sentence)), And(sentence, Not(says)))
    return search.find(apart) is None


def test_a_sentence_that_mends_nothing_is_told_from_one_that_does() -> None:
    broken = dropped(AS_WRITTEN, WITHHELD)
    obligation = _of(Kind.STEP, "allocate", "ledger-gated-reuse")
    for sentence, verdict in (("status[band, page] is free", "proved"), ("lo[band] is page", "violated")):
        (candidate, *_) = [each for each in candidates(broken, "allocate") if each.sentence == sentence]
        (answer,) = answers(mended(broken, "allocate", candidate), [obligation], USUAL)
        assert answer.verdict == verdict


def test_a_budget_that_is_spent_leaves_things_open() -> None:
    broken = CASES["a withheld page is handed out"].specification
    known = refuted(broken, CASES["a withheld page is handed out"].obligation)
    assert not smallest(broken, known, Budget(0)).is_least
    found = route(broken, known, Budget(0))
    assert (found.found, found.is_whole) == (None, False)
    told = repair(broken, [known], Budget(0))
    assert (told.sentence, told.tried, told.is_whole) == ("", 0, False)


def test_ctrl_c_keeps_what_is_known_by_then() -> None:
    known = list(answers(dropped(AS_WRITTEN, WITHHELD), [CASES["a withheld page is handed out"].obligation], USUAL))

    def enough(_: Found) -> None:
        raise KeyboardInterrupt

    assert helps(known, WITHHELD, 1, enough) == ()
    (found,) = helps(known, WITHHELD, 1)
    assert isinstance(found, Help)
    assert found.repair is not None
    assert found.shown is not None
