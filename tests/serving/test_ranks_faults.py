"""What a rank could do otherwise than the others, each by the check that sees it first.

The last rank of a group has the fault. That ranks disagree is seen by all of them, at the same step.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import torch

from bandgap.compatibility.runs import Run
from impl.device.arena import ArenaDevice
from impl.ids import IdSpace
from impl.layout import Kind
from impl.numbers import Int64
from impl.plan import Plan, Refusal
from impl.requests.reach import first_needed
from impl.serving.engine.engine import Engine
from impl.serving.engine.rank import Rank
from impl.serving.engine.share import Share
from impl.serving.engine.tiny import tiny
from impl.serving.host.copies import Copies
from impl.serving.parallel import context
from impl.serving.parallel.conjunction import Conjunction, Verdict
from impl.serving.parallel.context import ContextMemory
from impl.serving.parallel.data import Rounds
from impl.serving.parallel.group import Group
from impl.serving.parallel.processes import Ranks
from impl.serving.parallel.stages import StageModel
from impl.serving.parallel.transfers import AgreedTransport
from impl.serving.transfer.transport import Fate
from tests.serving.ranked import by_heads, by_layers, by_requests, by_tokens
from tests.serving.ranked_faults import Scene, by_its_own_clock, check_that_fails, no_fault
from tests.serving.ranked_together import on_ranks
from tests.serving.running import tasks
from tests.serving.seeded import Patch, shows

ASKED = tasks(1, count=5)
TWO = 2
"""Ranks, in most scenes."""

SECONDS = 2
"""For which a rank waits for one that does not take part."""


@shows("rank-agreement", "class: premature completion")
def own_clock(patch: Patch) -> None:
    """Ends are taken note of when this rank sees them."""
    by_its_own_clock(patch)


@shows("rank-agreement", "class: ids that depend on the rank")
def ids_in_another_order(patch: Patch) -> None:
    """The ids that were recycled first are minted first."""
    mint = IdSpace.mint
    patch.setattr(IdSpace, "mint", lambda self, count: mint(self, count)[::-1].copy())


@shows("same-logits", "class: the share of another rank")
def heads_of_another(patch: Patch) -> None:
    """The heads that the first rank computes, too."""
    patch.setattr(Rank, "heads", lambda self, count: slice(0, max(1, count // self.of)))


@shows("rank-agreement", "class: moves that depend on the rank")
def no_compaction(patch: Patch) -> None:
    """What the others move stays where it is."""
    patch.setattr("tests.serving.ranked.compacted", lambda standing: 0)


@shows("rank-lost", "class: a rank that dies")
def dies_at_a_step(patch: Patch) -> None:
    """The process ends while a forward runs."""
    step = Engine.step

    def wrong(self: Engine) -> bool:
        if self.forwards == 4:
            os._exit(1)
        return step(self)

    patch.setattr(Engine, "step", wrong)


@shows("rank-agreement", "class: non-atomic joint allocation")
def admits_alone(patch: Patch) -> None:
    """A stage that carries out its plan, whatever the others say."""
    agreed = Conjunction.agreed

    def wrong(self: Conjunction, plan: Plan | Refusal) -> list[Verdict]:
        return agreed(self, plan)[-1:]

    patch.setattr(Conjunction, "agreed", wrong)


@shows("rank-agreement", "class: accounting drift")
def settles_alone(patch: Patch) -> None:
    """A stage that waits only for the tickets for which its own plan must."""
    agreed = Conjunction.agreed

    def wrong(self: Conjunction, plan: Plan | Refusal) -> list[Verdict]:
        own = plan.settle if isinstance(plan, Plan) else ()
        return [verdict._replace(settle=own) for verdict in agreed(self, plan)]

    patch.setattr(Conjunction, "agreed", wrong)


@shows("same-logits", "class: a layer is left out")
def no_layers(patch: Patch) -> None:
    """A stage that passes on what it was given."""
    patch.setattr(StageModel, "own_outputs", lambda self, x, memory: [x for _ in self.layers])


@shows("same-logits", "sglang 0.5.19 to 0.5.23: widened ids that are not collapsed")
def another_owner(patch: Patch) -> None:
    """Keys are taken for those of the rank before."""
    attended = context.attended_together

    def wrong(group: Group, *arguments: Any) -> torch.Tensor:
        right = context.own_positions
        with Patch.context() as inner:
            inner.setattr(context, "own_positions", lambda rank, begin, end: [at + 1 for at in right(rank, begin, end)])
            return attended(group, *arguments)

    patch.setattr(context, "attended_together", wrong)


@shows("same-logits", "class: partial results that are not weighed alike")
def largest_of_its_own(patch: Patch) -> None:
    """What a rank finds counts by its own largest score."""
    largest = Group.largest

    def wrong(self: Group, values: torch.Tensor) -> torch.Tensor:
        largest(self, values)
        return values

    patch.setattr(Group, "largest", wrong)


@shows("rank-agreement", "sglang 0.5.19 to 0.5.23: widened ids that are not collapsed")
def pages_not_widened(patch: Patch) -> None:
    """A page is taken for as many tokens as the rank keeps of it."""
    patch.setattr(context, "widened", lambda chain, of: chain)


@shows("rank-agreement", "sglang 0.5.19 to 0.5.23: widened ids that are not collapsed")
def slides_by_its_own_tokens(patch: Patch) -> None:
    """A page slides out of a window when as many of this rank's own tokens as the window has came after it."""

    def wrong(kind: Kind, settled: int) -> int:
        own = replace(kind, page_tokens=kind.page_tokens // TWO)
        return first_needed(own, settled // TWO)

    patch.setattr("impl.requests.requests.first_needed", wrong)


@shows("same-logits", "class: a mask without the window")
def looks_back_on_all(patch: Patch) -> None:
    """Whatever is kept of a window is attended to, though its last page has tokens that have slid out."""
    attended = context.attended_together

    def wrong(group: Group, *arguments: Any) -> torch.Tensor:
        queries, keys, values, end, _ = arguments
        return attended(group, queries, keys, values, end, None)

    patch.setattr(context, "attended_together", wrong)


@shows("same-logits", "sglang 0.5.19 to 0.5.23: widened ids that are not collapsed")
def window_rows_not_collapsed(patch: Patch) -> None:
    """Of a window's rows those of this rank are chosen, and stay as they are numbered in the pages of all ranks."""
    made = ContextMemory.__init__

    def wrong(self: ContextMemory, rank: Rank, device: ArenaDevice[Any], places: Any, share: Share) -> None:
        (band,) = (place for place, each in enumerate(device.chain.bands) if each.kind.window is not None)
        windows, collapsed = share.rows[band], context.collapsed

        def wide(rows: Int64, rank: Rank) -> Int64:
            return collapsed(rows, rank) * (rank.of if rows is windows else 1)

        with Patch.context() as inner:
            inner.setattr(context, "collapsed", wide)
            made(self, rank, device, places, share)

    patch.setattr(ContextMemory, "__init__", wrong)


@shows("same-logits", "class: the share of another rank")
def share_of_another(patch: Patch) -> None:
    """The first rank's share of what works on each token."""
    patch.setattr(Rank, "heads", lambda self, count: slice(0, count // self.of))


@shows("rank-lost", "class: a rank without requests")
def takes_no_part(patch: Patch) -> None:
    """A rank that has nothing to compute does nothing."""
    patch.setattr(Rounds, "take_part", lambda self, model: None)


@shows("rank-agreement", "class: premature completion")
def landings_of_its_own(patch: Patch) -> None:
    """Copies to and from the host are taken note of when this rank sees their ends."""
    poll = Copies.poll

    def wrong(self: Copies, agreed: Callable[[int], int]) -> None:
        def own(landed: int) -> int:
            agreed(landed)
            return landed

        poll(self, own)

    patch.setattr(Copies, "poll", wrong)


@shows("rank-agreement", "class: premature completion")
def network_of_its_own(patch: Patch) -> None:
    """A prompt is taken to be there when this rank's share of it is."""
    fate = AgreedTransport.fate

    def wrong(self: AgreedTransport, batch: Any) -> Fate:
        fate(self, batch)
        return self._transport.fate(batch)

    patch.setattr(AgreedTransport, "fate", wrong)


HEADS = Scene(by_heads, ("gpt-oss-20b", ASKED, 3), tiny("gpt-oss-20b"), ASKED)
_SIX = tiny("gpt-oss-20b", layers=6)
LAYERS = Scene(by_layers, (_SIX, [0, 2], ASKED, 3, 0), _SIX, ASKED)
_LATENT = tiny("kimi-linear-48b-a3b")
TOKENS = Scene(by_tokens, (_LATENT, ASKED, 3), _LATENT, ASKED)
_WINDOW = tiny("gpt-oss-20b")
WINDOWS = Scene(by_tokens, (_WINDOW, ASKED, 3), _WINDOW, ASKED)
REQUESTS = Scene(by_requests, ("gpt-oss-20b", [ASKED, tasks(2, count=2)], 3), tiny("gpt-oss-20b"), ASKED)

_TOGETHER = frozenset({"tensor-parallel", "prefix-cache", "host-tier", "disaggregation"})
TOGETHER = Scene(on_ranks, (Run("full+state", "qwen3.5-4b", _TOGETHER),), tiny("qwen3.5-4b"), [])

FAULTS: list[tuple[Callable[[Patch], None], Scene, str]] = [
    (own_clock, HEADS, "rank-agreement: the tickets"),
    (ids_in_another_order, HEADS, "rank-agreement: the ids of window10"),
    (heads_of_another, HEADS, "same-logits"),
    (no_compaction, HEADS, "rank-agreement: the layout"),
    (admits_alone, LAYERS, "rank-agreement: the ids of window10"),
    (settles_alone, LAYERS, "rank-agreement: the tickets"),
    (no_layers, LAYERS, "same-logits"),
    (another_owner, TOKENS, "same-logits"),
    (largest_of_its_own, TOKENS, "same-logits"),
    (pages_not_widened, TOKENS, "rank-agreement: the ids of full"),
    (slides_by_its_own_tokens, WINDOWS, "rank-agreement: the ids of window10"),
    (looks_back_on_all, WINDOWS, "same-logits"),
    (window_rows_not_collapsed, WINDOWS, "same-logits"),
    (share_of_another, REQUESTS, "same-logits"),
    (landings_of_its_own, TOGETHER, "rank-agreement: the tickets of the host"),
    (network_of_its_own, TOGETHER, "rank-agreement: the tickets"),
]
LOST: list[tuple[Callable[[Patch], None], Scene]] = [(dies_at_a_step, HEADS), (takes_no_part, REQUESTS)]


@pytest.fixture(scope="module")
def two() -> Iterator[Ranks]:
    with Ranks(2) as ranks:
        yield ranks


def test_a_stage_with_a_clock_of_its_own_is_noticed_by_all(two: Ranks) -> None:
    assert check_that_fails(two, own_clock, LAYERS) == "rank-agreement: the tickets"


@pytest.mark.parametrize(("fault", "scene", "check"), FAULTS, ids=[fault.__name__ for fault, *_ in FAULTS])
def test_a_fault_shows_by_its_check(two: Ranks, fault: Callable[[Patch], None], scene: Scene, check: str) -> None:
    assert check_that_fails(two, fault, scene) == check


@pytest.mark.parametrize(("fault", "scene"), LOST, ids=[fault.__name__ for fault, _ in LOST])
def test_a_rank_that_takes_no_part_is_lost(fault: Callable[[Patch], None], scene: Scene) -> None:
    with Ranks(2, seconds=SECONDS) as ranks:
        assert check_that_fails(ranks, fault, scene) == "rank-lost"


@pytest.mark.parametrize(
    "scene", [HEADS, LAYERS, TOKENS, WINDOWS, REQUESTS, TOGETHER], ids=lambda scene: scene.do.__name__
)
def test_nothing_shows_where_there_is_no_fault(two: Ranks, scene: Scene) -> None:
    assert check_that_fails(two, no_fault, scene) is None
