"""What a draft proposes on memory of its own. What the arena is compared with."""

from collections.abc import Sequence

import torch

from impl.layout import Layout
from impl.serving.engine.dense import DenseMemory
from impl.serving.engine.memory import Memory
from impl.serving.engine.model import Model
from impl.serving.speculation.drafter import Drafter, Proposal


def features_alone(model: Model, drafter: Drafter, layout: Layout, text: Sequence[int]) -> torch.Tensor:
    """What a drafter takes of the target for every token of a text, [tokens, width]."""
    return drafter.features(model.outputs(torch.tensor(text), DenseMemory(layout)))


def proposed_alone(
    drafter: Drafter, layout: Layout, text: Sequence[int], features: torch.Tensor, picked: Sequence[int]
) -> Proposal:
    """What a drafter proposes after a text when nothing was ever guessed before.

    Args:
        drafter: of the layout.
        layout: of the model.
        text: two tokens at least.
        features: of its tokens but the last, or more.
        picked: the tokens that are chosen, whatever the logits.
    """
    memory, known = DenseMemory(layout), torch.tensor(text)
    at = len(text) - 1
    before = drafter.extend(features[:at], known[1:], memory)[-1]

    def between(begin: int, end: int) -> Memory:
        memory.advance(begin - memory.start)
        return memory

    return drafter.propose(before, known[-1], at, len(picked), between, lambda place, logits: picked[place])
