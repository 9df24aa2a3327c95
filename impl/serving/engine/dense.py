"""Memory of its own for one request: no pages, no arena, nothing ever let go. What the arena is compared with."""

import torch

from impl.device.views import TORCH_DTYPES
from impl.layout import Layout
from impl.serving.engine.memory import Memory
from impl.serving.engine.model import Model
from impl.serving.engine.places import places_of
from impl.serving.engine.rounding import kept


class DenseMemory(Memory):
    """Keeps every row of a request in a tensor for each layer and part.

    Args:
        layout: of the rank whose rows are kept.
    """

    def __init__(self, layout: Layout) -> None:
        self._places = places_of(layout.kinds)
        self._tokens: dict[tuple[int, str], torch.Tensor] = {}
        self._slots: dict[tuple[int, str], torch.Tensor] = {}
        self._start = 0

    @property
    def start(self) -> int:
        """See `Memory.start`."""
        return self._start

    def advance(self, tokens: int) -> None:
        """A forward over so many tokens is done."""
        self._start += tokens

    def append(self, layer: int, part: str, values: torch.Tensor) -> torch.Tensor:
        """See `Memory.append`: all rows of the request."""
        row = self._places[layer, part].row
        rows = kept(values, TORCH_DTYPES[row.dtype]).reshape(len(values), *row.shape)
        before = self._tokens.get((layer, part))
        after = rows if before is None else torch.cat([before, rows])
        self._tokens[layer, part] = after
        return after.double()

    def slot(self, layer: int, part: str) -> torch.Tensor:
        """See `Memory.slot`."""
        if (layer, part) not in self._slots:
            return torch.zeros(self._places[layer, part].row.shape, dtype=torch.float64)
        return self._slots[layer, part].double()

    def put(self, layer: int, part: str, value: torch.Tensor) -> None:
        """See `Memory.put`."""
        self._slots[layer, part] = kept(value, TORCH_DTYPES[self._places[layer, part].row.dtype])

    def rounded(self, layer: int, part: str, value: torch.Tensor) -> torch.Tensor:
        """See `Memory.rounded`."""
        return kept(value, TORCH_DTYPES[self._places[layer, part].row.dtype]).double()


def generated(model: Model, layout: Layout, prompt: list[int], new_tokens: int) -> tuple[list[int], torch.Tensor]:
    """What a model says after a prompt, always the likeliest token, and the logits of each: [new tokens, vocabulary].

    Args:
        model: the whole one.
        layout: its layout.
        prompt: at least one token.
        new_tokens: to be generated.
    """
    memory = DenseMemory(layout)
    tokens, said, logits = list(prompt), [], []
    for _ in range(new_tokens):
        hidden = model.hidden(torch.tensor(tokens), memory)
        memory.advance(len(tokens))
        logits.append(model.logits(hidden[-1]))
        tokens = [int(logits[-1].argmax())]
        said += tokens
    return said, torch.stack(logits)
