"""The judged arena and the enumerating state agree on everything that the specification says of them."""

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from spec import words
from spec.catalog import Action
from spec.concrete import Domains, broken_properties, broken_sentences, broken_steps
from spec.judge import arena, indexes
from spec.judge.arena import JudgedArena
from spec.judge.tables import MEANT_WITH, Writes
from spec.ranges import Word, universe
from spec.specification import ACTIONS, INVARIANTS
from spec.state import FIELDS, READ, WRITE, State
from tests.spec import small

WORDS = {word.name: word for word in vars(words).values() if isinstance(word, Word)}

GIVEN = {
    "spans_below": "band",
    "spans_above": "band",
    "this_page": "band page",
    "struck": "band page",
    "holders": "band page",
    "writers": "band page",
    "rivals": "mode band page",
    "entries": "ticket",
    "pages_held": "ticket",
    "given": "band vid",
    "flights": "ticket",
    "met": "ticket mode band page",
}
"""The sorts of what each word is given."""

WALKS, LENGTH = 10, 30


def tuples(members: Mapping[str, Sequence[Any]], sorts: str) -> Iterator[tuple[Any, ...]]:
    return itertools.product(*[members[sort] for sort in sorts.split()])


def compare_guards(slow: State, fast: JudgedArena, rng: random.Random, compared: Counter[str]) -> None:
    for action in ACTIONS.values():
        arguments = [rng.choice(small.MEMBERS[sort]) for sort in action.sorts]
        one, other = list(action.guard(slow, *arguments)), list(action.guard(fast, *arguments))
        assert one == other, (action.name, arguments)
        compared["guard sentences"] += len(one)


def compare_fields(slow: State, fast: JudgedArena, compared: Counter[str]) -> None:
    for name, field in FIELDS.items():
        for key in tuples(small.MEMBERS, field.keys):
            its_key = key if len(key) > 1 else key[0]
            one, other = getattr(slow, name)[key], getattr(fast, name)[its_key]
            assert one == other, (name, key)
            assert type(one) is type(other), (name, key)
            compared["field entries"] += 1


def compare_words(slow: State, fast: JudgedArena, compared: Counter[str]) -> None:
    for name, word in WORDS.items():
        for given in tuples(small.SCRAMBLED, GIVEN.get(name, "")):
            listed = list(fast.listings[name](*given))
            meant = [x for x in tuples(small.MEMBERS, " ".join(word.sorts)) if word.holds(slow, *given, *x)]
            assert len(set(listed)) == len(listed), (name, given)
            assert set(meant) <= set(listed), (name, given)
            assert all(word.holds(slow, *given, *x) for x in listed), (name, given)
            compared["listings"] += 1
            compared["members listed"] += len(listed)


def compare_invariants(slow: State, fast: JudgedArena, compared: Counter[str]) -> None:
    for name, invariant in INVARIANTS.items():
        one, other = invariant.holds(slow), invariant.holds(fast)
        assert one is other, name
        compared["invariants"] += 1
        compared["invariants broken"] += one is False


def walk(seed: int, compared: Counter[str], scramble: bool) -> None:
    """Both states take the same steps, and are compared before and after each."""
    rng = random.Random(seed)
    with universe(Domains(small.MEMBERS)):
        slow = small.arena(rng)
        fast = small.judged(slow)
        for _ in range(LENGTH):
            for entry in small.renewals(slow, rng) + (small.scrambles(slow, rng) if scramble else []):
                slow = small.lapsed(small.with_entry(slow, entry))
                small.put(fast, entry)
            compare_guards(slow, fast, rng, compared)
            action, arguments = small.legal_event(slow, rng, compared)
            slow = small.lapsed(action.effect(slow, *arguments))
            fast.apply(action.effect(fast, *arguments))
            compared[action.name] += 1
            compare_fields(slow, fast, compared)
            compare_words(slow, fast, compared)
            compare_invariants(slow, fast, compared)


def walks(scramble: bool) -> Counter[str]:
    compared: Counter[str] = Counter()
    for seed in range(WALKS):
        walk(seed, compared, scramble)
    return compared


@pytest.mark.parametrize("scramble", [False, True], ids=["legal states", "states that need not be legal"])
def test_both_states_agree_on_guards_fields_words_and_invariants(scramble: bool) -> None:
    compared = walks(scramble)
    assert {name for name in ACTIONS if not compared[name]} == set()
    steps = WALKS * LENGTH
    assert sum(compared[name] for name in ACTIONS) == steps
    assert compared["guard sentences"] > 40 * steps
    assert compared["field entries"] > 500 * steps
    assert compared["listings"] > 200 * steps
    assert compared["members listed"] > 50 * steps
    assert compared["invariants"] == len(INVARIANTS) * steps
    assert (compared["invariants broken"] > steps) == scramble


def test_every_word_is_listed() -> None:
    assert set(small.judged(small.arena(random.Random(0))).listings) == set(WORDS)


INDEXES = {
    "holders": "held",
    "writers": "held",
    "pages_held": "held",
    "given": "held name",
    "flights": "flying flyer",
    "extents": "lo hi",
}
"""What each index watches; leaving one of them out must show."""


def test_the_indexes_are_these() -> None:
    made = small.judged(small.arena(random.Random(0)))
    assert {watch.name: watch.fields for watch in made.watches} == {
        name: frozenset(tables.split()) for name, tables in INDEXES.items()
    }
    assert {watch.name for watch in made.watches if made.listings.get(watch.name) is made.indexes[watch.name]} == (
        set(INDEXES) - {"extents"}
    )


@pytest.mark.parametrize(
    ("index", "table"), [(index, table) for index, tables in INDEXES.items() for table in tables.split()]
)
def test_an_index_that_is_deaf_to_a_table_is_noticed(index: str, table: str, monkeypatch: pytest.MonkeyPatch) -> None:
    watches = [
        replace(watch, fields=watch.fields - {table}) if watch.name == index else watch for watch in indexes.WATCHES
    ]
    monkeypatch.setattr(arena, "WATCHES", tuple(watches))
    with pytest.raises((AssertionError, KeyError)):
        walks(scramble=True)


def test_an_index_of_two_tables_is_told_of_entries_that_change_in_either() -> None:
    s = small.judged(small.arena(random.Random(0)))
    s.apply(s.but(held=Writes({(1, 0, 5): READ}), name=Writes({(1, 0, 5): 3})))
    s.apply(s.but(held=Writes({(2, 0, 6): READ}), name=Writes({(2, 0, 6): 2, (1, 0, 5): 1})))
    assert {vid: set(s.listings["given"](0, vid)) for vid in range(4)} == {0: set(), 1: {(1, 5)}, 2: {(2, 6)}, 3: set()}


def one_by_one(action: Action, s: State, each: list[tuple[Any, ...]]) -> bool:
    for arguments in each:
        if broken_sentences(action, s, arguments):
            return False
        s = action.effect(s, *arguments)
    return True


def test_no_page_of_a_call_changes_whether_another_is_legal() -> None:
    """So the judge may check them all before it takes any; a landing that is named twice is found before that."""
    said: Counter[tuple[str, bool]] = Counter()
    # what empties an arena and its ledger comes late
    rng, fired = (
        random.Random(0),
        Counter({"free": 15, "complete": 12, "settle": 12, "absorb-low": 8, "absorb-high": 8}),
    )
    with universe(Domains(small.MEMBERS)):
        s = small.arena(rng)
        for _ in range(400):
            for entry in small.renewals(s, rng):
                s = small.with_entry(s, entry)
            ticket, band, mode = (rng.choice(small.MEMBERS[sort]) for sort in ("ticket", "band", "mode"))
            alive = [vid for vid in small.MEMBERS["vid"] if s.refs[band, vid] > 0] or [0]
            vids = [rng.choice(alive), rng.choice(rng.choice([alive, small.MEMBERS["vid"]]))]
            held = [page for page in small.MEMBERS["page"] if s.held[ticket, band, page] == WRITE] or [0]
            flying = [page for page in small.MEMBERS["page"] if s.flying[band, page]] or [0]
            for name, each in (
                ("share", [(band, vid) for vid in vids]),
                ("hold", [(ticket, band, vid, mode) for vid in vids]),
                ("issue", [(ticket, band, rng.choice(held), value) for value in (1, 2)]),
                ("land", [(band, page) for page in rng.sample(flying, min(2, len(flying)))]),
            ):
                action = ACTIONS[name]
                at_once = not any(broken_sentences(action, s, arguments) for arguments in each)
                assert at_once == one_by_one(action, s, each), (name, each)
                said[name, at_once] += 1
            action, arguments = small.legal_event(s, rng, fired)
            s = action.effect(s, *arguments)
            fired[action.name] += 1
    assert min(said[name, legal] for name in ("share", "hold", "issue", "land") for legal in (True, False)) > 10, said


def test_what_the_judged_arena_does_not_keep_means_nothing() -> None:
    """Without those entries every guard fails at the same sentence first, and every property is as true as before."""
    compared: Counter[str] = Counter()
    with universe(Domains(small.MEMBERS)):
        for seed in range(4):
            rng = random.Random(seed)
            s = small.arena(rng)
            for _ in range(25):
                for entry in small.renewals(s, rng) + small.scrambles(s, rng):
                    s = small.with_entry(s, entry)
                without = small.lapsed(s)
                compared["entries dropped"] += sum(
                    len(small.entries_of(s, name)) - len(small.entries_of(without, name)) for name in MEANT_WITH
                )
                for action in ACTIONS.values():
                    arguments = tuple(rng.choice(small.MEMBERS[sort]) for sort in action.sorts)
                    broken = broken_sentences(action, s, arguments)
                    assert broken[:1] == broken_sentences(action, without, arguments)[:1], (action.name, arguments)
                    compared["guards"] += 1
                assert broken_properties(s) == broken_properties(without)
                action, arguments = small.legal_event(s, rng, compared)
                after = action.effect(s, *arguments)
                assert broken_steps(s, after) == broken_steps(without, small.lapsed(action.effect(without, *arguments)))
                s = after
                compared[action.name] += 1
    assert compared["entries dropped"] > 50
    assert compared["guards"] == 4 * 25 * len(ACTIONS)
