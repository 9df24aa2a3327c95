"""What a linear-attention layer keeps for a request: a recurrent matrix per value head, and convolution windows."""

from collections.abc import Iterator

from impl.layout.dtypes import DType
from impl.layout.families.attention import Part
from impl.layout.fields import MAX_HEADS, Fields
from impl.layout.options import Options
from impl.layout.sharding import divided

_STATE_DTYPES = {"float32": DType.FP32, "bfloat16": DType.BF16, "float16": DType.FP16}
_CONV_DTYPE = DType.BF16


def linear_parts(fields: Fields, options: Options) -> Iterator[Part]:
    """What one layer keeps per request: KDA where there is a `linear_attn_config`, else GDN."""
    if fields.has("linear_attn_config"):
        return _kda(fields.section("linear_attn_config"), options, _state_dtype(fields))
    return _gdn(fields, options)


def kernel_columns(fields: Fields, name: str) -> int:
    """Columns that a causal convolution remembers: one less than its kernel."""
    return fields.count(name, at_least=2, at_most=65_536) - 1


def _gdn(fields: Fields, options: Options) -> Iterator[Part]:
    """Gated delta net (Qwen3-Next, Qwen3.5): one convolution over queries, keys and values together."""
    key_heads = fields.count("linear_num_key_heads", at_most=MAX_HEADS)
    value_heads = fields.count("linear_num_value_heads", at_most=MAX_HEADS)
    if value_heads % key_heads:
        problem = f"is not a multiple of linear_num_key_heads = {key_heads}"
        raise fields.error("linear_num_value_heads", problem, "each key head serves equally many value heads")
    key_dim = fields.count("linear_key_head_dim")
    value_dim = fields.count("linear_value_head_dim")
    keys = divided(key_heads, options.tp_size, "linear_num_key_heads")
    values = divided(value_heads, options.tp_size, "linear_num_value_heads")
    channels = 2 * keys * key_dim + values * value_dim
    yield "recurrent", (values, key_dim, value_dim), _state_dtype(fields)
    yield "conv_qkv", (channels, kernel_columns(fields, "linear_conv_kernel_dim")), _CONV_DTYPE


def _kda(fields: Fields, options: Options, dtype: DType) -> Iterator[Part]:
    """Kimi delta attention: as many key as value heads, of one size; a convolution for each of q, k and v."""
    heads = divided(fields.count("num_heads", at_most=MAX_HEADS), options.tp_size, f"{fields.path}num_heads")
    dim = fields.count("head_dim")
    yield "recurrent", (heads, dim, dim), dtype
    yield "conv_qkv", (3 * heads * dim, kernel_columns(fields, "short_conv_kernel_size")), _CONV_DTYPE


def _state_dtype(fields: Fields) -> DType:
    """Of recurrent matrices: they accumulate over the whole context, hence fp32 unless the model says otherwise."""
    word = fields.text("mamba_ssm_dtype", default="float32")
    if word not in _STATE_DTYPES:
        raise fields.error("mamba_ssm_dtype", "is no dtype of a state", f"known are {', '.join(_STATE_DTYPES)}")
    return _STATE_DTYPES[word]
