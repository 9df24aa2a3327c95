"""The readings of the specification agree with one another."""

import random
from collections.abc import Iterator

import pytest
import z3

from properties.bits import BITS, Values
from properties.readings import reading
from properties.shapes import Shape
from properties.small import Small
from properties.specification import AS_WRITTEN, ON_DEVICE, SPECIFICATIONS, Specification, written
from spec.concrete import Addresses, ValueMap, small_state
from spec.logic import Term
from spec.ranges import universe
from spec.state import State

SHAPE = Shape(pages=2, vids=2, tickets=2)
DEVICE_SHAPE = Shape(pages=2, vids=2, tickets=2, accesses=4, publishers=1, sizes=(2, 1))
STATES = 4
ACTIONS = [name for whole in SPECIFICATIONS for name in whole.actions]


def shape_of(whole: Specification) -> Shape:
    return DEVICE_SHAPE if whole is ON_DEVICE else SHAPE


class Fixed:
    """A small state of unknowns, a model that fixes them at random, and the same state in plain values."""

    def __init__(self, whole: Specification, seed: int, *, legal: bool = False) -> None:
        self.signature, self.shape = whole.signature, shape_of(whole)
        self.small = Small(self.shape, self.signature)
        pool = self.small.pool
        solver = z3.Solver(ctx=pool.context)
        with reading(self.small):
            self.terms, ranges = self.small.any_state()
            invariants = whole.invariants.values() if legal else ()
            solver.add(*map(pool.asked, [*ranges, *[invariant.holds(self.terms) for invariant in invariants]]))
        rng = random.Random(seed)
        for wish in map(pool.asked, self._wishes(rng)):
            if solver.check(wish) == z3.sat:
                solver.add(wish)
        assert solver.check() == z3.sat
        self.model = solver.model()
        self.plain = self._plain()

    def value(self, term: Term) -> int | bool:
        """What the solver says that a term is, which is what is read off without it."""
        found = self.model.eval(self.small.pool.asked(term), model_completion=True)
        value = bool(z3.is_true(found)) if z3.is_bool(found) else int(found.as_signed_long())
        assert Values(self.model).of(term) == value
        return value

    def symbol(self, label: str, value: int) -> Term:
        """An unknown that happens to have this value."""
        self.model.update_value(
            z3.BitVec(label, BITS, self.small.pool.context),
            z3.BitVecVal(value % (1 << BITS), BITS, self.small.pool.context),
        )
        return self.small.pool.number(label, range(-(1 << (BITS - 1)), 1 << (BITS - 1)))

    def _plain(self) -> State:
        tables = {
            name: {key: self.value(entry) for key, entry in getattr(self.terms, name).entries.items()}
            for name in self.signature.tables
        }
        constants = {name: self.value(getattr(self.terms, name)) for name in ("base", "capacity", "bottom", "top")}
        constants_that_are_tables = {
            name: ValueMap(dict(entries), False, lambda: ())
            for name, entries in tables.items()
            if name not in self.signature.fields
        }
        origins = [int(self.value(origin)) for origin in self.terms.address.origins]
        return small_state(
            self.shape.domains,
            {
                **constants,
                **constants_that_are_tables,
                "bands": self.terms.bands,
                "garbage": self.terms.garbage,
                "address": Addresses(origins, self.shape.sizes),
            },
            {name: tables[name] for name in self.signature.fields},
            self.signature,
        )

    def _wishes(self, rng: random.Random) -> Iterator[Term]:
        """A random value for some of the entries."""
        for name, field in self.signature.tables.items():
            for entry in getattr(self.terms, name).entries.values():
                if rng.random() < 0.3:
                    values = (False, True) if field.value == "bool" else self.shape.values_of[field.value]
                    yield entry == rng.choice(values)


@pytest.mark.parametrize("legal", [True, False])
@pytest.mark.parametrize("seed", range(STATES))
@pytest.mark.parametrize("whole", [AS_WRITTEN, ON_DEVICE], ids=["arena", "device"])
def test_small_reading_says_of_a_state_what_plain_values_say(whole: Specification, seed: int, legal: bool) -> None:
    fixed = Fixed(whole, seed, legal=legal)
    said = {}
    stated_of_states = {**whole.invariants, **whole.theorems}
    for name, stated in stated_of_states.items():
        with reading(fixed.small):
            term = stated.holds(fixed.terms)
        with universe(fixed.shape.domains):
            said[name] = stated.holds(fixed.plain)
        assert fixed.value(term) is said[name], name
    assert len(said) == len(whole.invariants) + len(whole.theorems)
    assert all(said.values()) is legal


@pytest.mark.parametrize("name", ACTIONS)
def test_small_reading_says_of_a_step_what_plain_values_say(name: str) -> None:
    rng = random.Random(name)
    whole = written(name)
    fixed = Fixed(whole, rng.randrange(STATES))
    action = whole.actions[name]
    arguments = tuple(rng.choice(fixed.shape.members[sort]) for sort in action.sorts)
    # symbols, so that tables are written by choice and not by key
    symbols = [fixed.symbol(f"symbol {i}", x) for i, x in enumerate(arguments)]
    with universe(fixed.shape.domains):
        after = action.effect(fixed.plain, *arguments)
        guard = [condition for _, condition, _ in action.guard(fixed.plain, *arguments)]
        steps = [step.holds(fixed.plain, after) for step in whole.steps.values()]
    with reading(fixed.small):
        symbolic_after = action.effect(fixed.terms, *symbols)
        symbolic_guard = [condition for _, condition, _ in action.guard(fixed.terms, *symbols)]
        symbolic_steps = [step.holds(fixed.terms, symbolic_after) for step in whole.steps.values()]
    assert [fixed.value(condition) for condition in symbolic_guard] == guard
    assert [fixed.value(step) for step in symbolic_steps] == steps
    for field_name in whole.signature.fields:
        entries = getattr(symbolic_after, field_name).entries
        assert {key: fixed.value(entry) for key, entry in entries.items()} == {
            key: getattr(after, field_name)[key] for key in entries
        }
