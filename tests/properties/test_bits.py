"""Terms over bits say what Python's numbers and truths say, to the solver and when they are read off its models."""

import random
from collections.abc import Iterator

import pytest
import z3

from properties.bits import BITS, Pool, Values
from spec.logic import And, If, Implies, Not, Or, Term, install

HALF = 1 << (BITS - 1)
RANGES = [range(1), range(4), range(-1, 3), range(-HALF, HALF)]


def wrapped(number: int) -> int:
    return (number + HALF) % (2 * HALF) - HALF


def of_unknowns(rng: random.Random, pool: Pool) -> Iterator[tuple[Term, int | bool]]:
    """Unknowns, and what they shall be."""
    for i, among in enumerate(RANGES):
        yield pool.number(f"number {i}", among), rng.choice(among)
    for i in range(3):
        yield pool.truth(f"truth {i}"), rng.random() < 0.5


def composed(rng: random.Random, known: list[tuple[Term, int | bool]]) -> tuple[Term, int | bool]:
    """A term of some that are known, and what Python says that it is."""
    numbers = [each for each in known if type(each[1]) is int] + [(x, x) for x in (-2, 0, 1, 3)]
    truths = [each for each in known if type(each[1]) is bool]
    (one, a), (other, b) = rng.choice(numbers), rng.choice(numbers)
    (this, p), (that, q) = rng.choice(truths), rng.choice(truths)
    made: list[tuple[Term, int | bool]] = [
        (one == other, a == b),
        (one != other, a != b),
        (one < other, a < b),
        (one <= other, a <= b),
        (one > other, a > b),
        (one >= other, a >= b),
        (this == that, p == q),
        (one + other, wrapped(a + b)),
        (one - other, wrapped(a - b)),
        (one * other, wrapped(a * b)),
        (If(this, one, other), a if p else b),
        (If(this, that, False), p and q),
        (And(this, that, True), p and q),
        (Or(this, that, False), p or q),
        (Not(this), not p),
        (Implies(this, that), not p or q),
    ]
    return rng.choice(made)


@pytest.mark.parametrize("seed", range(12))
def test_terms_are_what_python_says_in_the_solver_and_in_its_models(seed: int) -> None:
    rng, pool = random.Random(seed), Pool()
    install(pool)
    known = list(of_unknowns(rng, pool))
    solver = z3.Solver(ctx=pool.context)
    solver.add(*[pool.asked(term == value) for term, value in known])
    for _ in range(150):
        known.append(composed(rng, known))
    for term, value in known:
        solver.add(pool.asked(pool.same(term, value)))
    assert solver.check() == z3.sat
    values = Values(solver.model())
    assert [values.of(term) for term, _ in known] == [value for _, value in known]


def test_what_is_said_twice_is_one_term() -> None:
    pool = Pool()
    install(pool)
    x, y, p = pool.number("x", range(4)), pool.number("y", range(4)), pool.truth("p")
    for make in (lambda: x + y, lambda: If(p, x, y), lambda: And(p, x < y), lambda: Or(Not(p), x == y)):
        assert make() is make()
    assert (x == y) is (y == x)
    assert Not(Not(p)) is p


def test_what_is_plain_is_folded_and_stays_a_term() -> None:
    pool = Pool()
    install(pool)
    x, p = pool.number("x", range(4)), pool.truth("p")
    assert (x == x) is pool.true
    assert (x < x) is pool.false
    assert pool.conjunction([p, pool.true, p]) is p
    assert pool.disjunction([p, pool.true]) is pool.true
    assert pool.choice(pool.false, 1, x) is x
    assert x * 1 + 0 is x
    assert pool.constant(True) is not pool.constant(1)


def test_a_model_says_nothing_of_what_nobody_asked_about() -> None:
    pool = Pool()
    solver = z3.Solver(ctx=pool.context)
    assert solver.check() == z3.sat
    values = Values(solver.model())
    assert values.of(pool.number("x", range(4))) == 0
    assert values.of(pool.truth("p")) is False
    assert (values.of(3), values.of(True)) == (3, True)
