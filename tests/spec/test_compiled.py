"""What is compiled of an action says and does what its guard and effect do as they are written."""

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from events import records as r
from spec.catalog import Action, sentence_name
from spec.judge import compiled as compiling
from spec.judge import terms
from spec.judge.arena import JudgedArena
from spec.judge.compiled import compiled, source
from spec.judge.indexes import WATCHES, Watch
from spec.judge.tables import Writes
from spec.specification import ACTIONS
from spec.state import FIELDS, FREE, LIVE, OUTSTANDING, READ
from tests.spec import small
from tests.spec.situation import WINDOW, judged

WALKS, LENGTH = 16, 40

Event = tuple[Action, tuple[Any, ...]]


class Pair:
    """Two judged arenas in the same state: one is changed as the specification is written, one by what is compiled."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        start = small.arena(rng)
        self.written, self.compiled = small.judged(start), small.judged(start)
        self.said: Counter[str] = Counter()

    def put(self, name: str, key: Any, value: Any) -> None:
        """Change one entry of both."""
        for arena in (self.written, self.compiled):
            arena.apply(arena.but(**{name: Writes({key: value})}))

    def scramble(self) -> None:
        """A few entries at random, which leave a state that need not be legal."""
        for name in self.rng.choices([name for name in FIELDS if name not in ("published", "ending")], k=3):
            field = FIELDS[name]
            key = tuple(self.rng.choice(small.MEMBERS[sort]) for sort in field.keys.split())
            self.put(name, key if len(key) > 1 else key[0], self.rng.choice(small.SCRAMBLED[field.value]))

    def renew(self) -> None:
        """There are few tickets: one that has retired may come back as a new one."""
        for ticket in [ticket for ticket in self.written.ending if self.rng.random() < 0.3]:
            self.put("ending", ticket, OUTSTANDING)

    def some(self) -> Iterator[Event]:
        """Actions at random, those first that were taken least."""
        actions = list(ACTIONS.values())
        self.rng.shuffle(actions)
        for action in sorted(actions, key=lambda action: self.said[action.name] * small.RARITY.get(action.name, 1)):
            for _ in range(40):
                yield action, tuple(self.rng.choice(small.MEMBERS[sort]) for sort in action.sorts)

    def is_legal(self, action: Action, arguments: tuple[Any, ...]) -> bool:
        """As the guard is written; what is compiled must say the same."""
        broken = [text for text, holds, _ in action.guard(self.written, *arguments) if holds is not True]
        expected = (0, arguments) if broken else (1, None)
        assert compiled(action, self.compiled).check([arguments]) == expected, (action.name, arguments, broken)
        for text in broken[:1]:
            self.said[sentence_name(action, text)] += 1
        return not broken

    def step(self) -> None:
        """Both take the same action."""
        action, arguments = next(event for event in self.some() if self.is_legal(*event))
        self.written.apply(action.effect(self.written, *arguments))
        its = compiled(action, self.compiled)
        assert self.rng.choice((its.take, its.make))([arguments]) == (1, None)
        self.said[action.name] += 1
        assert known(self.compiled) == known(self.written), (action.name, arguments)


def known(s: JudgedArena) -> dict[str, Any]:
    """All that an arena knows: its tables, and what its indexes list."""
    listed = {name: index.members for name, index in s.indexes.items() if name != "extents"}
    return {**s.tables, **listed, "below": s.extents.below, "above": s.extents.above}


def walks(scramble: bool, number: int = WALKS) -> Counter[str]:
    said: Counter[str] = Counter()
    for seed in range(number):
        pair = Pair(random.Random(seed))
        pair.said = said
        for _ in range(LENGTH):
            pair.renew()
            if scramble:
                pair.scramble()
            pair.step()
    return said


def sentences_of(s: JudgedArena) -> set[str]:
    """All sentences of all guards."""
    return {
        sentence_name(action, text)
        for action in ACTIONS.values()
        for text, _, _ in action.guard(s, *[small.MEMBERS[sort][0] for sort in action.sorts])
    }


def test_what_is_compiled_is_what_is_written() -> None:
    said = walks(scramble=False) + walks(scramble=True)
    assert sum(said[name] for name in ACTIONS) == 2 * WALKS * LENGTH
    assert {name for name in ACTIONS if said[name] < 10} == set()
    sentences = sentences_of(small.judged(small.arena(random.Random(0))))
    assert len(sentences) > 40
    assert sentences - set(said) == set(), "each is the first that does not hold of something"


FAULTS: dict[str, tuple[Any, str, Any]] = {
    "what all must hold need hold once": (terms.Written, "conjunction", terms.Written.disjunction),
    "what may hold once must always hold": (terms.Written, "disjunction", terms.Written.conjunction),
    "what must not hold must hold": (terms.Written, "negation", lambda _, part: part),
    "the other value is chosen": (terms.Written, "choice", lambda _, condition, yes, no: no),
    "of a range nothing is asked": (terms.Loops, "forall", lambda *_: True),
    "there is nothing in a range": (terms.Loops, "exists", lambda *_: False),
    "what means nothing is kept": (compiling, "MEANT_WITH", {}),
    "indexes are not told": (compiling, "_list", lambda *_: None),
    "another entry is looked up": (compiling, "_at", lambda key: terms.said("(", terms.listed(key[::-1]), ")")),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_the_compiler_is_noticed(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*FAULTS[fault])
    compiling._binding.cache_clear()
    try:
        with pytest.raises((AssertionError, KeyError, NameError, TypeError)):
            walks(scramble=True, number=5)
    finally:
        compiling._binding.cache_clear()


def test_pages_are_taken_until_one_is_not_legal() -> None:
    s = small.judged(small.arena(random.Random(0)))
    allocate, grow = compiled(ACTIONS["allocate"], s), compiled(ACTIONS["grow-high"], s)
    assert grow.take([(0,)] * 3) == (3, None)
    pages = [(0, 0, 1), (0, 2, 2), (0, 2, 3), (0, 1, 3)]
    assert allocate.check(pages) == (4, None), "a check changes nothing"
    assert not s.status
    assert allocate.take(pages) == (2, (0, 2, 3))
    assert s.status == {(0, 0): LIVE, (0, 2): LIVE}
    assert allocate.check(pages) == (0, (0, 0, 1))


def holding(effect: Callable[..., Any]) -> Action:
    """An action of a ticket, a band and a page."""
    return Action("holding", "", ("ticket", "band", "page"), lambda *_: iter(()), effect)


def compiled_with(action: Action, *watches: Watch) -> str:
    return source(action.guard, action.effect, action.sorts, watches)


def test_what_cannot_be_written_down_is_refused() -> None:
    branching = holding(lambda s, *key: s.but(status=s.status.set(key[1:], LIVE if s.held[key] == READ else FREE)))
    with pytest.raises(TypeError, match="not known while code is written"):
        compiled_with(branching)


def test_an_index_that_reads_elsewhere_than_at_its_key_is_refused() -> None:
    held = holding(lambda s, *key: s.but(held=s.held.set(key, READ)))
    elsewhere = Watch("elsewhere", frozenset({"held"}), lambda s, ticket, band, page: s.held[ticket, band, page + 1])
    with pytest.raises(TypeError, match="looks at"):
        compiled_with(held, replace(elsewhere, is_index=False))


def test_an_effect_that_changes_what_is_watched_in_two_places_is_refused() -> None:
    two = holding(lambda s, t, band, page: s.but(held=s.held.set((t, band, page), READ).set((t, band, page + 1), READ)))
    compiled_with(holding(lambda s, *key: s.but(held=s.held.set(key, READ))), *WATCHES)
    with pytest.raises(TypeError, match="held in more than one place"):
        compiled_with(two, *WATCHES)


def test_a_finding_is_the_guards_own() -> None:
    """Where what is compiled objects to something and the guard does not, the judge is broken, and says so."""
    judge, finding = judged()
    assert finding is None
    assert judge.state is not None
    free = ACTIONS["free"]
    its = compiled(free, judge.state)
    judge.state.compiled[free.guard] = its._replace(take=lambda pages: (0, next(iter(pages))))
    with pytest.raises(AssertionError, match=re.escape("free (1, 5) is legal")):
        judge.take(r.Release(WINDOW, [5]))
