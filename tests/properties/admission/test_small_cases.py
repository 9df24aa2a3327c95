"""The theorems read of small cases alone, and the geometry of real chains: what the proofs take as given is so."""

from random import Random

import pytest

from impl.chain import chain_for
from properties.admission import asking
from properties.admission.subject import AS_IT_IS
from properties.admission.theorems import THEOREMS
from properties.limits import USUAL
from properties.plain import NO_SOLVER
from spec.admission.layouts import is_arena
from spec.concrete import Addresses
from spec.logic import install
from spec.state import State
from tests.impl.toys import random_layout


@pytest.mark.parametrize("name", THEOREMS)
def test_no_small_case_refutes_a_theorem(name: str) -> None:
    assert asking.counterexample(THEOREMS[name], AS_IT_IS, USUAL) is None


def test_every_chain_is_an_arena_as_the_theorems_take_it() -> None:
    install(NO_SOLVER)
    rnd = Random(0)
    for bands in (2, 3, 4):
        for _ in range(40):
            layout = random_layout(rnd, bands)
            room = sum(rnd.randint(1, 5) * kind.page_bytes for kind in layout.kinds)
            chain = chain_for(layout, 256 + 2 * max(kind.page_bytes for kind in layout.kinds) + room)
            of_spec = State(
                bands=bands,
                base=chain.base,
                capacity=chain.capacity,
                bottom=chain.bottom,
                top=chain.top,
                address=Addresses(chain.origins, chain.page_bytes),
            )
            assert is_arena(of_spec) is True
            assert all(size > 0 for size in chain.page_bytes)
