"""What shows that the last rank of a group does otherwise than the others."""

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import pytest

from impl.layout import Layout
from impl.serving.parallel.agreement import Agreement, Disagreement
from impl.serving.parallel.group import Group, RankLost
from impl.serving.parallel.processes import Failure, Ranks
from tests.serving.ranked import Report, is_right
from tests.serving.running import TOLERANCE, Task
from tests.serving.seeded import Patch
from tests.serving.together import Seen


class Scene(NamedTuple):
    """What ranks do.

    Attributes:
        do: each of them.
        arguments: of it.
        layout: of the whole model.
        asked: of the first rank.
    """

    do: Callable[..., Report | Seen]
    arguments: tuple[Any, ...]
    layout: Layout
    asked: list[Task]


def with_fault(group: Group, module: str, name: str, do: Callable[..., Any], *arguments: Any) -> Any:
    """What a rank comes to while the last one has a fault, which is declared beside its test."""
    with pytest.MonkeyPatch.context() as patch:
        if group.rank.number == group.rank.of - 1:
            getattr(import_module(f"tests.serving.{module}"), name)(patch)
        return do(group, *arguments)


def by_its_own_clock(patch: Patch) -> None:
    """What all have seen to end is agreed on, and not heeded."""
    agreed = Agreement.ended

    def wrong(self: Agreement, own: int) -> int:
        agreed(self, own)
        return own

    patch.setattr(Agreement, "ended", wrong)


def no_fault(patch: Patch) -> None:
    """All ranks do as they should."""


def outcomes_with(ranks: Ranks, fault: Callable[[Patch], None], scene: Scene) -> list[Any]:
    """What each rank comes to while the last one has a fault."""
    # pytest may know the module by another name than processes can import it by
    module = fault.__module__.rpartition(".")[2]
    return ranks.outcomes(with_fault, module, fault.__name__, scene.do, *scene.arguments, seconds=60)


def check_that_fails(ranks: Ranks, fault: Callable[[Patch], None], scene: Scene) -> str | None:
    """The check that does not hold."""
    outcomes = outcomes_with(ranks, fault, scene)
    first = outcomes[0]
    if isinstance(first, Seen):
        return None if max(each.furthest for each in outcomes) < TOLERANCE else "same-logits"
    if not isinstance(first, Failure):
        return None if is_right(scene.layout, scene.asked, [first]) else "same-logits"
    if isinstance(first.error, RankLost):
        return "rank-lost"
    assert isinstance(first.error, Disagreement), first.said
    for outcome in outcomes:
        assert isinstance(outcome, Failure)
        assert isinstance(outcome.error, Disagreement), outcome.said
        assert outcome.error.what == first.error.what
    return f"rank-agreement: {first.error.what}"
