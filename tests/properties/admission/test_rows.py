"""Arrays that are kept as what they say of any index do what numpy's do."""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

import numpy as np
import pytest
import z3

from properties.admission import few
from properties.admission.code import Edit, loaded
from properties.admission.readings import ANYTHING
from properties.admission.rows import Facts, Numpy, Row
from properties.admission.subject import AS_IT_IS, Subject
from properties.plain import NO_SOLVER
from properties.readings import reading
from properties.unbounded import as_term
from spec.logic import And, If, install


@pytest.fixture
def anything() -> Iterator[None]:
    with reading(ANYTHING):
        yield


def row_of(facts: Facts, values: Sequence[int]) -> Row:
    def at(i: Any) -> Any:
        found: Any = 0
        for place, value in enumerate(values):
            found = If(i == place, value, found)
        return found

    return Row(facts, len(values), at)


def is_sure(facts: Facts, claim: Any) -> bool:
    """Whether it follows from what is given, which is not everything."""
    solver = z3.Solver()
    solver.set("timeout", 10_000)
    solver.add(*map(as_term, facts.facts))
    assert solver.check() != z3.unsat
    solver.add(z3.Not(as_term(claim)))
    return bool(solver.check() == z3.unsat)


def same(facts: Facts, ours: Any, theirs: Any) -> bool:
    claims = [ours.at(i) == int(value) for i, value in enumerate(theirs)]
    return is_sure(facts, And(ours.size == len(theirs), *claims))


Lines = Callable[[Any, Any, Any], Any]

LINES: dict[str, Lines] = {
    "the smallest so far": lambda numpy, row, _: numpy.minimum.accumulate(row),
    "gathered, also from the end": lambda numpy, row, index: row[index],
    "clipped": lambda numpy, row, _: numpy.clip(row, 1, 3),
    "the smaller of two": lambda numpy, row, _: numpy.minimum(row, 2),
    "subtracted from": lambda numpy, row, _: numpy.subtract(7, row),
    "with one in front": lambda numpy, row, _: numpy.concatenate(([9], row)),
    "added": lambda numpy, row, index: row + index - 1,
    "numbers in a row": lambda numpy, row, _: numpy.arange(-1, 3),
    "no numbers in a row": lambda numpy, row, _: numpy.arange(3, 1),
}

PLACES: dict[str, Lines] = {
    "in all": lambda numpy, row, _: row.argmin(),
    "from behind": lambda numpy, row, _: row[:][::-1].argmin(),
    "in a beginning": lambda numpy, row, _: row[:2].argmin(),
    "in all but one": lambda numpy, row, _: row[:-1].argmin(),
    "in more than there is": lambda numpy, row, _: row[1:9].argmin(),
    "in a beginning, from behind": lambda numpy, row, _: row[:3][::-1].argmin(),
}


@pytest.mark.usefixtures("anything")
@pytest.mark.parametrize("name", LINES)
def test_arrays_are_what_numpys_are(name: str) -> None:
    rnd = Random(name)
    for _ in range(3):
        facts, values = Facts(), [rnd.randrange(5) for _ in range(4)]
        index = [rnd.randrange(-4, 4) for _ in range(4)]
        ours = LINES[name](Numpy(facts), row_of(facts, values), row_of(facts, index))
        theirs = LINES[name](np, np.array(values), np.array(index))
        assert is_sure(facts, And(*facts.demands))
        assert same(facts, ours, theirs)
        assert not same(facts, ours, theirs + 1) or not len(theirs)


@pytest.mark.usefixtures("anything")
@pytest.mark.parametrize("name", PLACES)
def test_the_first_of_the_smallest_is_where_numpy_finds_it(name: str) -> None:
    rnd = Random(name)
    for _ in range(3):
        facts, values = Facts(), [rnd.randrange(3) for _ in range(4)]
        row = row_of(facts, values).named()
        found = PLACES[name](Numpy(facts), row, None)
        at = [row.at(i) for i in range(4)]
        theirs = int(PLACES[name](np, np.array(values), None))
        # the entries are called to mind, as the lines that use them do
        facts.facts += [entry == value for entry, value in zip(at, values, strict=True)]
        assert is_sure(facts, And(*facts.demands))
        assert is_sure(facts, found == theirs)


@pytest.mark.usefixtures("anything")
def test_what_numpy_objects_to_is_demanded_not_to_be() -> None:
    objectionable: list[Lines] = [
        lambda numpy, row, _: row[:0].argmin(),
        lambda numpy, row, _: row[row + 9],
        lambda numpy, row, _: row + numpy.arange(0, 2),
    ]
    for lines in objectionable:
        with pytest.raises((ValueError, IndexError)):
            lines(np, np.array([1, 2, 3]), None)
        facts = Facts()
        lines(Numpy(facts), row_of(facts, [1, 2, 3]), None)
        assert not is_sure(facts, And(*facts.demands))


@pytest.mark.usefixtures("anything")
def test_live_pages_are_counted_as_the_allocator_does() -> None:
    states = [2, 1, 2, 2, 3, 0, 2]
    facts = Facts()
    ours = loaded({"np": Numpy(facts)}).live_below(row_of(facts, states), 2, 6)
    theirs = loaded().live_below(np.array(states, np.uint8), 2, 6)
    assert theirs.tolist() == [1, 2, 3, 3, 3]
    facts.facts += [so_many(n) == so_many(n) + 0 for so_many in facts.running for n in range(5)]
    assert same(facts, ours, theirs)


def test_the_few_small_chains_tell_the_cheapest_layout_from_another() -> None:
    install(NO_SOLVER)
    assert all(question.goal for _, question in few.few(AS_IT_IS))
    dear = Subject(Edit("int(begun[::-1].argmin())", "int(begun[::-1].argmax())"))
    wrong = [small for small, question in few.few(dear) if not question.goal]
    assert 5 < len(wrong) < few.CASES
