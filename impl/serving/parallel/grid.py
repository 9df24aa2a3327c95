"""Ranks within ranks: each line of a grid shares the model in its own way, and all that have the same requests agree.

A rank of a grid of stages by heads has some heads of some layers; and so on. Nothing here shares anything: each way is
that of its own file, with the group of one line.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import prod
from typing import Any, NamedTuple

from impl.device.arena import ArenaDevice
from impl.layout import Layout
from impl.misuse import Misuse
from impl.serving.engine.engine import Engine, EngineOf, Policy
from impl.serving.engine.model import Model
from impl.serving.engine.sharing import Sharing
from impl.serving.parallel.agreeing import in_agreement
from impl.serving.parallel.context import ContextMemory, attended_together, widened
from impl.serving.parallel.data import DataParallel, Rounds
from impl.serving.parallel.group import Group
from impl.serving.parallel.stages import StageModel
from impl.serving.parallel.witness import Planned, Witness


@dataclass(frozen=True)
class Grid:
    """The groups in which one rank is.

    Attributes:
        requests: of those that differ by their requests alone, if any do; see `DataParallel`.
        layers: likewise by their stage; see `pipelined`.
        tokens: likewise by their tokens; see `context_parallel`.
        heads: likewise by their heads; see `tensor_parallel`.
        together: of all that have the same requests, and so make the same calls.
    """

    requests: Group | None
    layers: Group | None
    tokens: Group | None
    heads: Group | None
    together: Group

    @property
    def stage(self) -> str:
        """What is said after the name of what only the ranks of a stage have in common."""
        return "" if self.layers is None else f" of stage {self.layers.rank.number}"

    def shared(self) -> Sharing:
        """How a model's work on a request is shared, but for its layers; a draft's is shared alike."""
        found = Sharing()
        if self.heads is not None:
            found = replace(found, rank=self.heads.rank, total=self.heads.total)
        if self.tokens is not None:
            attend = partial(attended_together, self.tokens)
            found = replace(found, attend=attend, in_block=partial(attend, in_block=True))
        return found


def grid_of(group: Group, *, requests: int = 1, layers: int = 1, tokens: int = 1, heads: int = 1) -> Grid:
    """The place of this rank; ranks are numbered so that those that differ by their heads alone are neighbours.

    Args:
        group: of all ranks.
        requests: so many ranks, or blocks of them, have each its own requests.
        layers: stages.
        tokens: ranks that share the tokens of a request.
        heads: ranks that share the heads of a layer.

    Raises:
        Misuse: that is not as many as there are ranks.
    """
    extents = (requests, layers, tokens, heads)
    if prod(extents) != group.rank.of:
        problem = f"a grid of {' by '.join(map(str, extents))} for {group.rank.of} ranks"
        raise Misuse("group", group.rank.of, problem, "give a grid of as many ranks as there are")
    places = list(product(*map(range, extents)))

    def part(*axes: int) -> Group:
        """The group of those that differ along these axes alone."""
        lines: dict[tuple[int, ...], list[int]] = {}
        for number, place in enumerate(places):
            lines.setdefault(tuple(at for axis, at in enumerate(place) if axis not in axes), []).append(number)
        return group.part(list(lines.values()))

    def along(axis: int) -> Group | None:
        return part(axis) if extents[axis] > 1 else None

    return Grid(along(0), along(1), along(2), along(3), group if requests == 1 else part(1, 2, 3))


class Member(NamedTuple):
    """One rank.

    Attributes:
        engine: to which the same jobs are given in the same order on all ranks that have the same requests.
        replica: makes the engine's steps, where there are ranks with other requests.
    """

    engine: Engine
    replica: DataParallel | None


def in_grid(
    grid: Grid,
    layout: Layout,
    allocator: Planned,
    device: ArenaDevice[Any],
    policy: Policy | None = None,
    engine_of: EngineOf = Engine,
    others: Sequence[Witness] = (),
    *,
    for_draft: bool = False,
) -> Member:
    """One rank of a grid. What each way asks of those who drive it, a grid of several asks as well.

    Args:
        grid: in which it has its place.
        layout: of the model, or of this stage of it, as it is where nobody shares its heads.
        allocator: of this rank; its layout is that of `grid.heads.rank.of` ranks.
        device: of the allocator.
        policy: the same on all ranks that have the same requests.
        engine_of: likewise; see `in_agreement`.
        others: see `in_agreement`.
        for_draft: see `StageModel`.
    """
    rounds = None if grid.requests is None else Rounds(grid.requests)
    sharing = grid.shared() if rounds is None else rounds.shared(grid.shared())
    model = (
        Model(layout, sharing=sharing)
        if grid.layers is None
        else StageModel(layout, grid.layers, sharing=sharing, for_draft=for_draft)
    )
    chain = None if grid.tokens is None else widened(allocator.chain, grid.tokens.rank.of)
    witness = Witness(allocator, layout=True, stage=grid.stage, chain=chain)
    engine = in_agreement(
        grid.together, model, witness, device, policy, engine_of, others, in_stages=grid.layers is not None
    )
    if grid.tokens is not None:
        engine.memory_of = partial(ContextMemory, grid.tokens.rank)
    return Member(engine, None if rounds is None else DataParallel(rounds, model, engine))
