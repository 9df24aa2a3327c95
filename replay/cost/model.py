"""What a model costs beside its memory: weights, operations per token, and experts."""

from dataclasses import dataclass
from typing import Final

from impl.layout import Layout, Lifetime, Row
from impl.layout.configs import read_config
from impl.layout.fields import MAX_HEADS
from replay.errors import ReplayError


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of a whole model, before tensor parallelism."""

    nbytes: float
    """Bytes of all weights as they lie on the device."""
    active: float
    """Parameters that one token meets."""
    expert_bytes: float = 0.0
    """The part of `nbytes` that is experts; 0 for a dense model."""
    experts: int = 1
    chosen: int = 1
    """Experts that one token meets in each layer."""
    source: str = ""


_NOMINAL = "nominal: parameters from the model's name, two bytes each"
_GPT_OSS = "gpt-oss model card: parameters by part; experts in MXFP4 at 4.25 bits, the rest in bf16"

WEIGHTS: Final = {
    "gpt-oss-20b": Weights(13.74e9, 3.61e9, 10.16e9, 32, 4, _GPT_OSS),
    "gpt-oss-120b": Weights(65.2e9, 5.13e9, 60.94e9, 128, 4, _GPT_OSS),
    "qwen3.5-4b": Weights(8e9, 4e9, source=_NOMINAL),
    "qwen3.5-9b": Weights(18e9, 9e9, source=_NOMINAL),
    "gemma-4-31b": Weights(62e9, 31e9, source=_NOMINAL),
    "qwen3-next-80b-a3b": Weights(160e9, 3e9, 154e9, 512, 10, f"{_NOMINAL}; 512 experts of which 10"),
    "kimi-linear-48b-a3b": Weights(96e9, 3e9, 90e9, 256, 8, f"{_NOMINAL}; 256 experts of which 8"),
}


@dataclass(frozen=True, slots=True)
class ModelCost:
    """What a step must read and do on one rank."""

    weights: Weights
    tp_size: int
    entry_bytes: tuple[int, ...]
    """Bytes for a token or for a state slot, of each kind in chain order."""
    windows: tuple[int | None, ...]
    """Tokens of each kind; None but for windows."""
    states: tuple[bool, ...]
    """Whether a kind is a state."""
    attention_flops: tuple[float, ...]
    """Operations for one token that attends to one other, of each kind."""

    @property
    def weight_bytes(self) -> float:
        """Bytes of the weights on this rank."""
        return self.weights.nbytes / self.tp_size

    def touched_bytes(self, tokens: float) -> float:
        """The weights that a step over so many tokens is expected to read, when each chooses experts evenly."""
        weights = self.weights
        if not weights.expert_bytes:
            return self.weight_bytes
        touched = 1 - float((1 - weights.chosen / weights.experts) ** tokens)
        return (weights.nbytes - weights.expert_bytes * (1 - touched)) / self.tp_size

    @property
    def flops_per_token(self) -> float:
        """Operations of a token outside attention."""
        return 2 * self.weights.active / self.tp_size


def model_cost(model: str, layout: Layout, weight_bytes: int | None = None, active: float | None = None) -> ModelCost:
    """The costs of a model.

    Args:
        model: a preset's name or the path of a configuration.
        layout: of the model, on one rank.
        weight_bytes: of the whole model, where it is no preset whose weights are known, or they are quantised.
        active: parameters that one token meets; half the weights' bytes if neither known nor given.

    Raises:
        ReplayError: the weights are unknown.
    """
    known = WEIGHTS.get(layout.model)
    if weight_bytes is None and known is None:
        raise ReplayError("--weights", None, f"is unknown for {layout.model}", "give the bytes of the model's weights")
    if weight_bytes is None and known is not None:
        weights = known
    else:
        nbytes = float(weight_bytes or 0)
        share = nbytes / known.nbytes if known else 0.0
        weights = Weights(
            nbytes,
            known.active if known else nbytes / 2,
            known.expert_bytes * share if known else 0.0,
            known.experts if known else 1,
            known.chosen if known else 1,
            "as given",
        )
    if active is not None:
        weights = Weights(weights.nbytes, active, weights.expert_bytes, weights.experts, weights.chosen, weights.source)
    flops = _attention_flops(model, layout)
    return ModelCost(
        weights,
        layout.tp_size,
        tuple(kind.entry_bytes for kind in layout.kinds),
        tuple(kind.window for kind in layout.kinds),
        tuple(kind.lifetime is Lifetime.STATE for kind in layout.kinds),
        tuple(0.0 if kind.lifetime is Lifetime.STATE else flops * _layers(kind.rows) for kind in layout.kinds),
    )


def _layers(rows: tuple[Row, ...]) -> int:
    return len({row.layer for row in rows})


def _attention_flops(model: str, layout: Layout) -> float:
    """Operations of one layer on one rank, for one pair of tokens: queries with keys, and weights with values."""
    fields = read_config(model).text
    heads = fields.count("num_attention_heads", at_most=MAX_HEADS)
    if fields.has("kv_lora_rank"):
        width = 2 * fields.count("kv_lora_rank") + fields.count("qk_rope_head_dim", at_least=0, default=0)
    elif fields.has("head_dim"):
        width = 2 * fields.count("head_dim")
    else:
        width = 2 * fields.count("hidden_size") // heads
    return 2.0 * heads * width / layout.tp_size
