"""What Inkling's short convolutions keep for a request: the last columns of four streams in each layer."""

from collections.abc import Iterator

from impl.layout.dtypes import DType
from impl.layout.families.attention import Part, kv_geometry
from impl.layout.families.linear import kernel_columns
from impl.layout.fields import Fields
from impl.layout.options import Options
from impl.layout.sharding import divided_or_replicated


def has_short_convolutions(fields: Fields) -> bool:
    """Whether every layer, of whatever type, also keeps convolution windows."""
    return fields.flag("use_sconv", default=False)


def short_conv_parts(fields: Fields, options: Options, *, windowed: bool) -> Iterator[Part]:
    """Windows over K and V, divided as their heads are, and over the attention's and the MLP's outputs.

    The outputs are `hidden_size` wide on every rank, since they come after the ranks' sums are added.
    """
    columns = kernel_columns(fields, "sconv_kernel_size")
    heads_field, kv_heads, head_dim = kv_geometry(fields, windowed=windowed)
    channels = divided_or_replicated(kv_heads, options.tp_size, heads_field) * head_dim
    hidden = fields.count("hidden_size")
    for part, width in (
        ("conv_k", channels),
        ("conv_v", channels),
        ("conv_attn_out", hidden),
        ("conv_mlp_out", hidden),
    ):
        yield part, (width, columns), DType.BF16
