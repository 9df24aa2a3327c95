"""A model with random weights: tokens in, logits out, everything it remembers in a `Memory`."""

from collections.abc import Callable
from typing import Final

import torch
from torch.nn.functional import normalize, silu, softplus

from impl.layout import Layout
from impl.serving.engine.layers import Layer, layers_of
from impl.serving.engine.memory import Memory
from impl.serving.engine.mixers.attention import Attend
from impl.serving.engine.mixers.convolution import convolved
from impl.serving.engine.mixers.delta import Inputs, recurred
from impl.serving.engine.mixers.rotary import rotated
from impl.serving.engine.rank import Rank
from impl.serving.engine.sharing import Sharing
from impl.serving.engine.weights import Weights

QUERY_HEADS: Final = 4
"""Of every attention layer of the whole model; a multiple of any tiny model's K and V heads."""

VOCABULARY: Final = 96
"""Tokens that there are."""

HIDDEN: Final = 32
"""Numbers between two layers for a token."""

_SHARPNESS: Final = 4.0
_NOTHING_ADDED: Final = 1e-6


ModelLayer = Callable[[torch.Tensor, Memory], torch.Tensor]
"""A layer: what it makes of what the one before gave, [tokens, hidden size]."""


class Model:
    """Computes in float64 whatever is not kept, so that it hardly matters how tokens are put into forwards.

    Args:
        layout: of the whole model, not of one rank: its layers and their sizes.
        seed: of the weights.
        sharing: with other ranks.
        device: where the weights lie; the CPU if left out.
        draft: whether to compute the layers of the draft model that is fused into the layout's entries instead.

    Attributes:
        layers: what `through` passes, one after the other.
        sharing: see above.

    Raises:
        Misuse: a layer keeps what the engine does not compute.
    """

    def __init__(
        self,
        layout: Layout,
        seed: int = 0,
        sharing: Sharing | None = None,
        device: torch.device | None = None,
        *,
        draft: bool = False,
    ) -> None:
        weights = Weights(seed, device or torch.device("cpu"))
        self.sharing = sharing or Sharing()
        self._blocks = [_Block(layer, weights, self.sharing) for layer in layers_of(layout, draft=draft)]
        self.layers: tuple[ModelLayer, ...] = tuple(self._blocks)
        self._embedding = weights.matrix("embedding", VOCABULARY, HIDDEN) * HIDDEN**0.5
        self._output = weights.matrix("output", VOCABULARY, HIDDEN) * _SHARPNESS

    def hidden(self, tokens: torch.Tensor, memory: Memory) -> torch.Tensor:
        """What the last layer gives for the next tokens of a request, [tokens, hidden size].

        Args:
            tokens: [tokens], at least one, from `memory.start` on.
            memory: the request's.
        """
        return self.finished(self.outputs(tokens, memory)[-1])

    def outputs(self, tokens: torch.Tensor, memory: Memory) -> list[torch.Tensor]:
        """What each layer gives for the next tokens, [tokens, hidden size]; see `hidden`."""
        self.sharing.begins()
        x, outputs = self.embedded(tokens), []
        for layer in self.layers:
            x = layer(x, memory)
            outputs.append(x)
        return outputs

    def embedded(self, tokens: torch.Tensor) -> torch.Tensor:
        """What the first layer is given for some tokens, [tokens, hidden size]."""
        rows: torch.Tensor = self._embedding[tokens]
        return rows

    def through(self, x: torch.Tensor, memory: Memory) -> torch.Tensor:
        """What the layers make of what the first of them is given."""
        for layer in self.layers:
            x = layer(x, memory)
        return x

    def work_on_nothing(self) -> None:
        """Compute on each token in every layer where there is no token, for the sake of those who share the work."""
        for block in self._blocks:
            block.work(self._embedding[:0])

    def finished(self, x: torch.Tensor) -> torch.Tensor:
        """What `logits` takes of what the last layer gives."""
        return _scaled(x)

    def logits(self, hidden: torch.Tensor) -> torch.Tensor:
        """[tokens, `VOCABULARY`] of what `hidden` gave."""
        return hidden @ self._output.T


class _Block:
    """A layer: what mixes tokens, and then what works on each."""

    def __init__(self, layer: Layer, weights: Weights, sharing: Sharing) -> None:
        self._layer, self._sharing = layer, sharing
        number, rows = layer.number, layer.rows

        def matrix(name: str, *shape: int) -> torch.Tensor:
            return weights.matrix(f"{number} {name}", *shape)

        self._mixer = _mixer(layer, matrix, sharing)
        self._up, self._down = matrix("up", 2 * HIDDEN, HIDDEN), matrix("down", HIDDEN, 2 * HIDDEN)
        self._kernels = {
            part: matrix(part, HIDDEN, rows[part].shape[1] + 1)
            for part in ("conv_attn_out", "conv_mlp_out")
            if part in rows
        }

    def __call__(self, x: torch.Tensor, memory: Memory) -> torch.Tensor:
        x = x + self._after(self._sharing.total(self._mixer(_scaled(x), memory)), "conv_attn_out", memory)
        return x + self._after(self.work(x), "conv_mlp_out", memory)

    def work(self, x: torch.Tensor) -> torch.Tensor:
        """What is added to each token by itself."""
        return self._sharing.work(_scaled(x), self._up, self._down)

    def _after(self, x: torch.Tensor, part: str, memory: Memory) -> torch.Tensor:
        if part not in self._kernels:
            return x
        return x + _remembering(x, memory, self._layer.number, part, self._kernels[part])


_Mixer = Callable[[torch.Tensor, Memory], torch.Tensor]
_Matrix = Callable[..., torch.Tensor]


def _mixer(layer: Layer, matrix: _Matrix, sharing: Sharing) -> _Mixer:
    if "recurrent" in layer.rows:
        return _linear(layer, matrix, sharing.rank)
    if "latent" in layer.rows:
        return _latent(layer, matrix, sharing.rank, sharing.attend)
    return _attention(layer, matrix, sharing.rank, sharing.attend)


def _attention(layer: Layer, matrix: _Matrix, rank: Rank, attend: Attend) -> _Mixer:
    """Grouped-query attention; the streams of K and V pass a short convolution where the layer has one."""
    number, rows = layer.number, layer.rows
    (key_heads, key_dim), (_, value_dim) = rows["k"].shape, rows["v"].shape
    queries, keys = rank.heads(QUERY_HEADS), rank.heads(key_heads)
    to_q = matrix("q", QUERY_HEADS, key_dim, HIDDEN)[queries]
    to_k, to_v = matrix("k", key_heads, key_dim, HIDDEN)[keys], matrix("v", key_heads, value_dim, HIDDEN)[keys]
    back = matrix("o", QUERY_HEADS, HIDDEN, value_dim)[queries]
    kernels = {
        part: matrix(part, key_heads, dim, rows[part].shape[1] + 1)[keys].flatten(0, 1)
        for part, dim in (("conv_k", key_dim), ("conv_v", value_dim))
        if part in rows
    }

    def mixed(x: torch.Tensor, memory: Memory) -> torch.Tensor:
        positions = torch.arange(memory.start, memory.start + len(x), device=x.device)
        q, k, v = (torch.einsum("nh,cdh->ncd", x, each) for each in (to_q, to_k, to_v))
        if kernels:
            k = k + _remembering(k.flatten(1), memory, number, "conv_k", kernels["conv_k"]).view_as(k)
            v = v + _remembering(v.flatten(1), memory, number, "conv_v", kernels["conv_v"]).view_as(v)
        kept_k = memory.append(number, "k", rotated(k, positions))
        kept_v = memory.append(number, "v", v)
        out = attend(rotated(q, positions), kept_k, kept_v, memory.start + len(x), layer.window)
        return torch.einsum("ncd,chd->nh", out, back)

    return mixed


def _latent(layer: Layer, matrix: _Matrix, rank: Rank, attend: Attend) -> _Mixer:
    """Multi-head latent attention in its absorbed form (DeepSeek-V2, 2024): one row serves all heads.

    The last `_ROPE` elements of a row are rotated; a head's query is taken into the space of the others.
    """
    number = layer.number
    (width,) = layer.rows["latent"].shape
    rope = width // 3
    rank_dim = width - rope
    queries = rank.heads(QUERY_HEADS)
    to_row = matrix("latent", width, HIDDEN)
    to_q = matrix("q", QUERY_HEADS, width, HIDDEN)[queries]
    back = matrix("o", QUERY_HEADS, HIDDEN, rank_dim)[queries]

    def turned(values: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
        return torch.cat([values[..., :rank_dim], rotated(values[..., rank_dim:], positions)], dim=-1)

    def mixed(x: torch.Tensor, memory: Memory) -> torch.Tensor:
        positions = torch.arange(memory.start, memory.start + len(x), device=x.device)
        rows = turned((x @ to_row.T)[:, None], positions)[:, 0]
        kept = memory.append(number, "latent", rows)[:, None]
        q = turned(torch.einsum("nh,cdh->ncd", x, to_q), positions)
        out = attend(q, kept, kept[..., :rank_dim], memory.start + len(x), layer.window)
        return torch.einsum("ncd,chd->nh", out, back)

    return mixed


def _linear(layer: Layer, matrix: _Matrix, rank: Rank) -> _Mixer:
    """Gated delta net, or Kimi's delta attention where there are as many key as value heads: it decays by element."""
    number, rows = layer.number, layer.rows
    value_heads, key_dim, value_dim = rows["recurrent"].shape
    channels, columns = rows["conv_qkv"].shape
    key_heads = (channels - value_heads * value_dim) // (2 * key_dim)
    decays = key_dim if key_heads == value_heads else 1
    keys, values = rank.heads(key_heads), rank.heads(value_heads)
    streams = (("q", key_heads, key_dim, keys), ("k", key_heads, key_dim, keys), ("v", value_heads, value_dim, values))
    to_qkv = torch.cat([matrix(name, heads, dim, HIDDEN)[own].flatten(0, 1) for name, heads, dim, own in streams])
    kernel = torch.cat(
        [matrix(f"conv {name}", heads, dim, columns + 1)[own].flatten(0, 1) for name, heads, dim, own in streams]
    )
    to_decay = matrix("decay", value_heads, decays, HIDDEN)[values]
    to_strength = matrix("strength", value_heads, 1, HIDDEN)[values, 0]
    back = matrix("o", value_heads, HIDDEN, value_dim)[values]
    own_keys = (keys.stop - keys.start) * key_dim
    shared_by = value_heads // key_heads

    def mixed(x: torch.Tensor, memory: Memory) -> torch.Tensor:
        qkv = silu(_remembering(x @ to_qkv.T, memory, number, "conv_qkv", kernel))
        q, k = (
            normalize(each.reshape(len(x), -1, key_dim), dim=-1).repeat_interleave(shared_by, 1)
            for each in (qkv[:, :own_keys], qkv[:, own_keys : 2 * own_keys])
        )
        v = qkv[:, 2 * own_keys :].reshape(len(x), -1, value_dim)
        decay = torch.exp(-softplus(torch.einsum("nh,cdh->ncd", x, to_decay)))
        strength = torch.sigmoid(x @ to_strength.T)
        inputs = Inputs(q, k, v, decay.expand(-1, -1, key_dim), strength)
        out, state = recurred(
            memory.slot(number, "recurrent"), inputs, lambda state: memory.rounded(number, "recurrent", state)
        )
        memory.put(number, "recurrent", state)
        return torch.einsum("ncd,chd->nh", out, back)

    return mixed


def _remembering(x: torch.Tensor, memory: Memory, layer: int, part: str, kernel: torch.Tensor) -> torch.Tensor:
    """A convolution over time whose inputs are rounded as they are remembered."""
    out, columns = convolved(memory.rounded(layer, part, x), memory.slot(layer, part), kernel)
    memory.put(layer, part, columns)
    return out


def _scaled(x: torch.Tensor) -> torch.Tensor:
    return x / (x.square().mean(-1, keepdim=True) + _NOTHING_ADDED).sqrt()
