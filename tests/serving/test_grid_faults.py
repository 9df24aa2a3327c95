"""What a rank of a grid could do otherwise than those with which it must agree, each by the check that sees it first.

The last rank has the fault: of the last stage, or of the last replica, the last share of heads or tokens.
"""

from collections.abc import Callable, Iterator

import pytest

from bandgap.compatibility.runs import Run
from impl.ids import IdSpace
from impl.numbers import Int64
from impl.pages import Pages
from impl.serving.engine.rank import Rank
from impl.serving.engine.tiny import tiny
from impl.serving.parallel import grid
from impl.serving.parallel.agreement import Disagreement
from impl.serving.parallel.context import widened
from impl.serving.parallel.grid import Grid
from impl.serving.parallel.group import Group, RankLost
from impl.serving.parallel.processes import Failure, Ranks
from tests.serving.ranked_faults import Scene, by_its_own_clock, check_that_fails, no_fault, outcomes_with
from tests.serving.ranked_together import on_ranks
from tests.serving.seeded import Patch, shows

SECONDS = 2
"""For which a rank waits for those of the other replica."""


@shows("rank-agreement", "class: premature completion")
def own_clock(patch: Patch) -> None:
    """Ends are taken note of when this rank sees them, and not when those of all stages and heads have."""
    by_its_own_clock(patch)


@shows("rank-agreement", "class: moves that depend on the rank")
def pages_in_another_order(patch: Patch) -> None:
    """The same ids as on the other rank of its stage, at other addresses."""
    take = Pages.take_holes

    def wrong(self: Pages, count: int) -> Int64:
        return take(self, count)[::-1].copy()

    patch.setattr(Pages, "take_holes", wrong)


@shows("same-logits", "class: the share of another rank")
def heads_of_another(patch: Patch) -> None:
    """The heads that the other rank of its stage computes, too."""
    patch.setattr(Rank, "heads", lambda self, count: slice(0, max(1, count // self.of)))


@shows("rank-agreement", "sglang 0.5.19 to 0.5.23: widened ids that are not collapsed")
def widened_by_all(patch: Patch) -> None:
    """A page is taken for one of all ranks' tokens, those included that differ by their heads alone."""
    patch.setattr(grid, "widened", lambda chain, of: widened(chain, of * of))


@shows("same-logits", "class: the share of another rank")
def work_of_another(patch: Patch) -> None:
    """Of what works on each token the share of this stage in the other replica."""
    patch.setattr(Rank, "heads", lambda self, count: slice(0, count // self.of))


@shows("rank-agreement", "class: ids that depend on the rank")
def ids_in_another_order(patch: Patch) -> None:
    """The ids that were recycled first are minted first, in one replica and on one rank of it."""
    mint = IdSpace.mint
    patch.setattr(IdSpace, "mint", lambda self, count: mint(self, count)[::-1].copy())


@shows("rank-lost", "class: a rank in the wrong group")
def agrees_in_its_line(patch: Patch) -> None:
    """What the ranks of all stages must have in common is compared with those of its own stage alone."""
    grid_of = grid.grid_of

    def wrong(group: Group, **extents: int) -> Grid:
        found = grid_of(group, **extents)
        assert found.heads is not None
        return Grid(found.requests, found.layers, found.tokens, found.heads, together=found.heads)

    patch.setattr("tests.serving.ranked_together.grid_of", wrong)


def _scene(*ways: str) -> Scene:
    layout = tiny("gpt-oss-20b")
    return Scene(on_ranks, (Run("full+window", "gpt-oss-20b", frozenset(ways)),), layout, [])


HEADS_IN_STAGES = _scene("tensor-parallel", "pipeline-parallel")
HEADS_BY_TOKENS = _scene("tensor-parallel", "decode-context-parallel")
STAGES_IN_REPLICAS = _scene("pipeline-parallel", "data-parallel-attention")
HEADS_IN_REPLICAS = _scene("tensor-parallel", "data-parallel-attention")

FAULTS: list[tuple[Callable[[Patch], None], Scene, str]] = [
    (own_clock, HEADS_IN_STAGES, "rank-agreement: the tickets"),
    (pages_in_another_order, HEADS_IN_STAGES, "rank-agreement: the layout of stage 1"),
    (heads_of_another, HEADS_IN_STAGES, "same-logits"),
    (widened_by_all, HEADS_BY_TOKENS, "rank-agreement: the ids of window10"),
    (work_of_another, STAGES_IN_REPLICAS, "same-logits"),
]


@pytest.fixture(scope="module")
def four() -> Iterator[Ranks]:
    with Ranks(4) as ranks:
        yield ranks


@pytest.mark.parametrize(("fault", "scene", "check"), FAULTS, ids=[fault.__name__ for fault, *_ in FAULTS])
def test_a_fault_shows_by_its_check(four: Ranks, fault: Callable[[Patch], None], scene: Scene, check: str) -> None:
    assert check_that_fails(four, fault, scene) == check


@pytest.mark.parametrize("fault", [agrees_in_its_line], ids=lambda fault: fault.__name__)
def test_a_rank_in_the_wrong_group_is_lost(fault: Callable[[Patch], None]) -> None:
    with Ranks(4, seconds=1) as ranks:
        assert check_that_fails(ranks, fault, HEADS_IN_STAGES) == "rank-lost"


@pytest.mark.parametrize("fault", [ids_in_another_order], ids=lambda fault: fault.__name__)
def test_ranks_of_a_replica_that_disagree_are_lost_to_the_others(fault: Callable[[Patch], None]) -> None:
    with Ranks(4, seconds=SECONDS) as ranks:
        outcomes = outcomes_with(ranks, fault, HEADS_IN_REPLICAS)
    for outcome in outcomes:
        assert isinstance(outcome, Failure)
    for outcome in outcomes[2:]:
        assert isinstance(outcome.error, Disagreement), outcome.said
        assert outcome.error.what == "the ids of window10"
    for rank, outcome in enumerate(outcomes[:2]):
        assert isinstance(outcome.error, RankLost), outcome.said
        assert (outcome.error.rank, outcome.error.lost) == (rank, (rank + 2,)), "they are told as in the group of all"


@pytest.mark.parametrize(
    "scene",
    [HEADS_IN_STAGES, HEADS_BY_TOKENS, STAGES_IN_REPLICAS, HEADS_IN_REPLICAS],
    ids=lambda scene: " ".join(sorted(scene.arguments[0].features)),
)
def test_nothing_shows_where_there_is_no_fault(four: Ranks, scene: Scene) -> None:
    assert check_that_fails(four, no_fault, scene) is None
