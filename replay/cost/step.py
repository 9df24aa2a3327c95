"""The time of a step."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from replay.cost.device import DeviceRates
from replay.cost.model import ModelCost


@dataclass(frozen=True, slots=True)
class Constants:
    """What the model of costs cannot know; `--calibrate` fits the first three to measured steps.

    The defaults are what engines usually reach on large batches. They shift all times alike for every memory, so that
    differences between memories depend on them little.
    """

    memory_share: float = 0.75
    """The share of the device's bandwidth that kernels reach."""
    compute_share: float = 0.55
    """The share of its operations per second that kernels reach."""
    step_seconds: float = 1.5e-3
    """Launches, sampling and gaps between kernels, for each step."""
    host_seconds: float = 4e-4
    """What the scheduler takes for each step, beside the allocator; hidden behind a forward where steps overlap."""
    host_request_seconds: float = 2e-6
    """What the scheduler takes for each running request and step."""
    allocator_seconds: float = 6e-5
    """What the allocator's calls take for a step that changes pages. An estimate from the rates of `bandgap bench
    allocator`, and constant so that a run repeats."""


CONSTANTS = tuple(field.name for field in fields(Constants))
FITTED = ("memory_share", "compute_share", "step_seconds")


@dataclass(frozen=True, slots=True)
class Chunk:
    """A stretch of a prompt that one step computes."""

    tokens: int
    before: int
    """Tokens of the request that were computed earlier."""


class StepCost:
    """Times of the steps of one model on one device.

    A step reads the weights that its tokens meet, reads and writes the KV and states of its requests, and computes.
    Weights and operations outside attention overlap, so that the longer counts; so do KV and operations of attention.

    Args:
        model: of one rank.
        device: its rates.
        constants: named above.
    """

    def __init__(self, model: ModelCost, device: DeviceRates, constants: Constants) -> None:
        self.model, self.device, self.constants = model, device, constants
        self._bandwidth = device.bytes_per_second * constants.memory_share
        self._flops = device.flops * constants.compute_share
        # of each kind, bytes read for each token of context; a state is read and written whole
        kinds = list(zip(model.entry_bytes, model.states, strict=True))
        self._read = tuple(0 if state else size for size, state in kinds)
        self._decode_flops = model.attention_flops
        self._per_request = sum(2 * size if state else size for size, state in kinds)

    def moves(self, nbytes: int) -> float:
        """Seconds for pages to be copied, each byte read and written."""
        return 2 * nbytes / self._bandwidth

    def prefill(self, chunks: list[Chunk]) -> tuple[int, float]:
        """The tokens of these chunks, and the seconds of their attention."""
        model, tokens, seconds = self.model, 0, 0.0
        for chunk in chunks:
            tokens += chunk.tokens
            read = self._per_request
            flops = 0.0
            for size, window, flop in zip(self._read, model.windows, model.attention_flops, strict=True):
                if not flop:
                    continue
                before = chunk.before if window is None else min(chunk.before, window)
                own = chunk.tokens if window is None else min(chunk.tokens, window)
                read += size * (before + chunk.tokens)
                flops += flop * chunk.tokens * (before + own / 2)
            seconds += max(read / self._bandwidth, flops / self._flops)
        return tokens, seconds

    def steps(
        self, count: int, requests: int, contexts: list[int], growing: list[int], prefill: tuple[int, float]
    ) -> np.ndarray[Any, np.dtype[np.float64]]:
        """Seconds that the device takes for each of some steps in a row, in which every decoding request gains a token.

        Args:
            count: steps.
            requests: that decode.
            contexts: of each kind, the tokens that they read together in the first step.
            growing: of each kind, by how many tokens that grows with each step.
            prefill: what `prefill` said of the chunks of each step.
        """
        linear, read, flops = self._fixed(requests, contexts, prefill)
        more = sum(size * grows for size, grows in zip(self._read, growing, strict=True))
        work = sum(flop * grows for flop, grows in zip(self._decode_flops, growing, strict=True))
        order = np.arange(count)
        attention = np.maximum((read + more * order) / self._bandwidth, (flops + work * order) / self._flops)
        seconds: np.ndarray[Any, np.dtype[np.float64]] = attention + (linear + prefill[1] + self.constants.step_seconds)
        return seconds

    def step(self, requests: int, contexts: list[int], prefill: tuple[int, float]) -> float:
        """Seconds that the device takes for one step; as `steps` says."""
        linear, read, flops = self._fixed(requests, contexts, prefill)
        attention = max(read / self._bandwidth, flops / self._flops)
        return linear + prefill[1] + self.constants.step_seconds + attention

    def host(self, requests: int, *, pages: bool) -> float:
        """Seconds of the host for a step; `pages` if any were asked for or given back."""
        constants = self.constants
        seconds = constants.host_seconds + constants.host_request_seconds * requests
        return seconds + constants.allocator_seconds if pages else seconds

    def _fixed(self, requests: int, contexts: list[int], prefill: tuple[int, float]) -> tuple[float, float, float]:
        tokens = requests + prefill[0]
        linear = max(
            self.model.touched_bytes(tokens) / self._bandwidth, self.model.flops_per_token * tokens / self._flops
        )
        read: float = self._per_request * requests
        flops = 0.0
        for size, flop, context in zip(self._read, self._decode_flops, contexts, strict=True):
            read += size * context
            flops += flop * context
        return linear, read, flops
