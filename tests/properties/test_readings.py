"""The readings of the specification agree with one another."""

import random
from collections.abc import Iterator

import pytest
import z3

from properties.readings import reading
from properties.shapes import Shape
from properties.small import UNKNOWN_TABLES, Small, as_bits
from spec.concrete import Addresses, ValueMap, small_state
from spec.logic import Term
from spec.ranges import universe
from spec.specification import ACTIONS, INVARIANTS, STEPS, THEOREMS
from spec.state import FIELDS, State

SHAPE = Shape(pages=2, vids=2, tickets=2)
STATES = 4


class Fixed:
    """A small state of unknowns, a model that fixes them at random, and the same state in plain values."""

    def __init__(self, seed: int, *, legal: bool = False) -> None:
        self.small = Small(SHAPE)
        solver = z3.Solver()
        with reading(self.small):
            self.terms, ranges = self.small.any_state()
            solver.add(*ranges, *[as_bits(invariant.holds(self.terms)) for invariant in INVARIANTS.values() if legal])
        rng = random.Random(seed)
        for wish in _wishes(self.terms, rng):
            if solver.check(wish) == z3.sat:
                solver.add(wish)
        assert solver.check() == z3.sat
        self.model = solver.model()
        self.plain = self._plain()

    def value(self, term: Term) -> int | bool:
        found = self.model.eval(as_bits(term), model_completion=True)
        return bool(z3.is_true(found)) if z3.is_bool(found) else int(found.as_signed_long())

    def _plain(self) -> State:
        tables = {
            name: {key: self.value(entry) for key, entry in getattr(self.terms, name).entries.items()}
            for name in UNKNOWN_TABLES
        }
        constants = {name: self.value(getattr(self.terms, name)) for name in ("base", "capacity", "bottom", "top")}
        constants_that_are_tables = {
            name: ValueMap(dict(tables[name]), False, lambda: ()) for name in ("before", "is_transfer")
        }
        origins = [int(self.value(origin)) for origin in self.terms.address.origins]
        return small_state(
            SHAPE.domains,
            {
                **constants,
                **constants_that_are_tables,
                "bands": self.terms.bands,
                "garbage": self.terms.garbage,
                "address": Addresses(origins, SHAPE.sizes),
            },
            {name: tables[name] for name in FIELDS},
        )


def _wishes(s: State, rng: random.Random) -> Iterator[Term]:
    """A random value for some of the entries."""
    for name, field in UNKNOWN_TABLES.items():
        for entry in getattr(s, name).entries.values():
            if rng.random() < 0.3:
                values = (False, True) if field.value == "bool" else SHAPE.values_of[field.value]
                yield entry == rng.choice(values)


@pytest.mark.parametrize("legal", [True, False])
@pytest.mark.parametrize("seed", range(STATES))
def test_small_reading_says_of_a_state_what_plain_values_say(seed: int, legal: bool) -> None:
    fixed = Fixed(seed, legal=legal)
    said = {}
    for name, stated in {**INVARIANTS, **THEOREMS}.items():
        with reading(fixed.small):
            term = stated.holds(fixed.terms)
        with universe(SHAPE.domains):
            said[name] = stated.holds(fixed.plain)
        assert fixed.value(term) is said[name], name
    assert len(said) == len(INVARIANTS) + len(THEOREMS)
    assert all(said.values()) is legal


@pytest.mark.parametrize("name", ACTIONS)
def test_small_reading_says_of_a_step_what_plain_values_say(name: str) -> None:
    rng = random.Random(name)
    fixed = Fixed(rng.randrange(STATES))
    action = ACTIONS[name]
    arguments = tuple(rng.choice(SHAPE.members[sort]) for sort in action.sorts)
    symbols = [z3.BitVecVal(x, 8) for x in arguments]  # symbols, so that tables are written by choice and not by key
    with universe(SHAPE.domains):
        after = action.effect(fixed.plain, *arguments)
        guard = [condition for _, condition, _ in action.guard(fixed.plain, *arguments)]
        steps = [step.holds(fixed.plain, after) for step in STEPS.values()]
    with reading(fixed.small):
        symbolic_after = action.effect(fixed.terms, *symbols)
        symbolic_guard = [condition for _, condition, _ in action.guard(fixed.terms, *symbols)]
        symbolic_steps = [step.holds(fixed.terms, symbolic_after) for step in STEPS.values()]
    assert [fixed.value(condition) for condition in symbolic_guard] == guard
    assert [fixed.value(step) for step in symbolic_steps] == steps
    for field_name in FIELDS:
        entries = getattr(symbolic_after, field_name).entries
        assert {key: fixed.value(entry) for key, entry in entries.items()} == {
            key: getattr(after, field_name)[key] for key in entries
        }
