"""Engines that speculate, whose draft agrees with the target as often as a test wants, and what the draft would say."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import torch

from fuzz.serving.running import Served, Task, said_alone, serve
from impl.device.arena import ArenaDevice
from impl.layout import Draft, Layout, Options
from impl.serving.engine.engine import Engine, Policy
from impl.serving.engine.job import Job
from impl.serving.engine.model import VOCABULARY, Model
from impl.serving.engine.tiny import PAGE_TOKENS, tiny
from impl.serving.speculation.alone import features_alone, proposed_alone
from impl.serving.speculation.drafter import Drafter
from impl.serving.speculation.drafters import DRAFTERS
from impl.serving.speculation.engine import SpeculatingEngine
from impl.serving.speculation.turn import Turn

POLICY = Policy(most_running=4, chunk=7, positions=80)

DRAFT_WINDOW = 6
"""Tokens; no target has such a window."""


def tiny_with_draft(
    pattern: str, page_tokens: int = PAGE_TOKENS, *, layers: int = 1, window: int | None = None
) -> Layout:
    """A tiny model with a draft in its entries."""
    return tiny(pattern, Options(page_tokens=page_tokens, draft=Draft(layers, kv_heads=2, head_dim=8, window=window)))


@dataclass(eq=False)
class Speculation:
    """What is served, what was asked, and what was heard.

    Attributes:
        served: the engine, and all that it stands on.
        drafter: proposes.
        heard: each verified turn, and how much was accepted.
        asked: each job, and what it is asked for.
    """

    served: Served
    drafter: Drafter
    heard: list[tuple[Turn, int]] = field(default_factory=list)
    asked: dict[Job, Task] = field(default_factory=dict)

    @property
    def engine(self) -> SpeculatingEngine:
        """The engine."""
        assert isinstance(self.served.engine, SpeculatingEngine)
        return self.served.engine

    @property
    def accepted(self) -> set[int]:
        """How many guesses were accepted, of all turns."""
        return {accepted for _, accepted in self.heard}

    def ask(self, task: Task) -> Job:
        """A job."""
        job = self.engine.submit(task.prompt, task.new_tokens)
        self.asked[job] = task
        return job


def speculate(
    layout: Layout,
    arena_bytes: int,
    drafter: str = "eagle",
    *,
    agree: Any = None,
    drafts: int = 3,
    make: Callable[..., Served] = serve,
    **more: Any,
) -> Speculation:
    """An engine that speculates.

    Args:
        layout: with a draft.
        arena_bytes: of the arena.
        drafter: its name.
        agree: how many guesses in a row are made to be right, as a function of the last known position; what the draft
            holds for the likeliest if left out.
        drafts: guesses in a step.
        make: what is served; given an arena, and what makes its engine.
        more: see `serve`, or what takes its place.
    """
    made = DRAFTERS[drafter](layout)

    def engine_of(model: Model, allocator: Any, device: ArenaDevice[Any], policy: Policy, cache: Any = None) -> Engine:
        return SpeculatingEngine(model, made, allocator, device, policy, drafts, cache)

    all_of_it = Speculation(make(layout, arena_bytes, engine_of=engine_of, **{"policy": POLICY, **more}), made)

    def pick(job: Job, position: int, place: int, logits: torch.Tensor) -> int:
        task = all_of_it.asked[job]
        text = (*task.prompt, *said_alone(layout, task)[0])
        right = text[position + place + 1] if position + place + 1 < len(text) else 0
        return right if place < agree(position) else (right + 1) % VOCABULARY

    all_of_it.engine.heard = lambda turn, accepted: all_of_it.heard.append((turn, accepted))
    if agree is not None:
        all_of_it.engine.pick = pick
    return all_of_it


def furthest_proposal(made: Speculation) -> float:
    """The largest difference of any logit of the draft from what it is when nothing was ever guessed before."""
    return max((furthest_of(made, turn) for turn, _ in made.heard), default=0.0)


def furthest_of(made: Speculation, turn: Turn) -> float:
    """The same of one verified turn."""
    assert turn.guessed is not None
    assert turn.proposing is not None
    layout = made.served.layout
    features = _features(layout, type(made.drafter), tuple(turn.job.tokens))
    text = turn.job.tokens[: turn.last_known + 1]
    proposal = proposed_alone(made.drafter, layout, text, features, turn.guessed.tolist())
    difference = (turn.proposing - proposal.logits).abs().max()
    return float(difference.nan_to_num(float("inf")))


@cache
def _features(layout: Layout, drafter: type[Drafter], text: tuple[int, ...]) -> torch.Tensor:
    return features_alone(Model(layout), drafter(layout), layout, text)


def nothing_is_left(made: Speculation) -> bool:
    """Whether every page is given back, that no prefix cache has."""
    return not any(kind.live or kind.withheld for kind in made.served.allocator.statistics().kinds)
