"""What an attention layer keeps for a token: K and V for each head (MHA, GQA), or one latent row (MLA)."""

from collections.abc import Iterator

from impl.layout.dtypes import DType
from impl.layout.fields import MAX_HEADS, Fields
from impl.layout.options import Options
from impl.layout.sharding import divided, divided_or_replicated

# One scale for each run of so many index-key elements (DeepSeek-V3.2's indexer, whose keys are fp8).
_INDEX_KEYS_PER_SCALE = 128

Part = tuple[str, tuple[int, ...], DType]
"""A part's name, its shape on one rank, and its dtype."""


def is_mla(fields: Fields) -> bool:
    """Whether attention keeps a low-rank latent instead of K and V."""
    return fields.has("kv_lora_rank")


def attention_parts(fields: Fields, options: Options, dtype: DType, *, windowed: bool) -> Iterator[Part]:
    """What one layer keeps per token.

    Args:
        fields: the language model's.
        options: for the tensor-parallel size.
        dtype: of K, V and latent rows.
        windowed: whether it is a sliding layer, which may have heads of its own.
    """
    if is_mla(fields):
        return _latent(fields, options, dtype)
    return _keys_and_values(fields, options, dtype, windowed=windowed)


def gqa_parts(kv_heads: int, key_dim: int, value_dim: int, dtype: DType) -> Iterator[Part]:
    """K and V of so many heads on one rank."""
    yield "k", (kv_heads, key_dim), dtype
    yield "v", (kv_heads, value_dim), dtype


def kv_geometry(fields: Fields, *, windowed: bool) -> tuple[str, int, int]:
    """The field that counts a layer's KV heads, their number in the whole model, and the elements of a head.

    Gemma names its full-attention layers' heads `global`; Inkling and others its sliding layers' heads `swa`.
    """
    own = "swa_{}" if windowed else "{}"
    heads_field = _first(fields, own.format("num_key_value_heads"), "num_key_value_heads", "num_attention_heads")
    dim_field = _first(fields, own.format("head_dim"), "head_dim")
    if not windowed:
        heads_field = _first(fields, "num_global_key_value_heads", heads_field)
        dim_field = _first(fields, "global_head_dim", dim_field)
    kv_heads = fields.count(heads_field, at_most=MAX_HEADS)
    query_field = _first(fields, own.format("num_attention_heads"), "num_attention_heads")
    query_heads = fields.count(query_field, at_most=MAX_HEADS)
    if query_heads % kv_heads:
        problem = f"does not divide {query_field} = {query_heads}"
        raise fields.error(heads_field, problem, "each KV head serves equally many query heads")
    if fields.has(dim_field):
        return heads_field, kv_heads, fields.count(dim_field)
    hidden = fields.count("hidden_size")
    if hidden % query_heads:
        problem = f"is not a multiple of {query_field} = {query_heads}"
        raise fields.error("hidden_size", problem, f"give {dim_field}")
    return heads_field, kv_heads, hidden // query_heads


def _keys_and_values(fields: Fields, options: Options, dtype: DType, *, windowed: bool) -> Iterator[Part]:
    heads_field, kv_heads, key_dim = kv_geometry(fields, windowed=windowed)
    query_field = _first(
        fields, "swa_num_attention_heads" if windowed else "num_attention_heads", "num_attention_heads"
    )
    divided(fields.count(query_field, at_most=MAX_HEADS), options.tp_size, query_field)
    # Even where the weights of K and V are one (gemma's attention_k_eq_v), K is rotated and V is not: two rows.
    value_dim = fields.count("v_head_dim", default=key_dim)
    return gqa_parts(divided_or_replicated(kv_heads, options.tp_size, heads_field), key_dim, value_dim, dtype)


def _latent(fields: Fields, options: Options, dtype: DType) -> Iterator[Part]:
    """One latent and rope row for all heads, hence whole on every rank; index keys beside it where there are any."""
    divided(fields.count("num_attention_heads", at_most=MAX_HEADS), options.tp_size, "num_attention_heads")
    rank = fields.count("kv_lora_rank")
    rope = fields.count("qk_rope_head_dim", at_least=0)
    yield "latent", (rank + rope,), dtype
    if fields.has("index_head_dim"):
        index_dim = fields.count("index_head_dim")
        yield "index_key", (index_dim,), DType.FP8_E4M3
        yield "index_scale", (-(-index_dim // _INDEX_KEYS_PER_SCALE),), DType.FP32


def _first(fields: Fields, *names: str) -> str:
    """The first of the names that is given, else the last, whose absence is then the error."""
    return next((name for name in names if fields.has(name)), names[-1])
