"""Which models unified memory does not serve, and why."""

from collections.abc import Collection

from impl.layout.configs import Config
from impl.layout.errors import UnsupportedModel
from impl.layout.families.attention import is_mla
from impl.layout.families.patterns import LayerType
from impl.layout.fields import Fields


def refuse_by_fields(config: Config) -> None:
    """Raises UnsupportedModel for a model that single fields give away, whatever its layers."""
    for fields in (config.top, config.text):
        model_type = fields.values.get("model_type")
        if isinstance(model_type, str) and model_type.startswith("deepseek_v4"):
            raise UnsupportedModel(
                f"{fields.path}model_type",
                model_type,
                "DeepSeek-V4 keeps compressed entries for 4 and for 128 tokens beside its windows, so that its kinds "
                "have no common page size in tokens",
                "serve it with split pools",
            )
    text = config.text
    if is_mla(text) and text.has("sliding_window") and text.flag("use_sliding_window", default=True):
        raise _windowed_latent(text)


def refuse_by_layers(fields: Fields, types: Collection[LayerType], *, short_convolutions: bool) -> None:
    """Raises UnsupportedModel for a mixture of layers that unified memory has no chain for.

    Args:
        fields: the language model's.
        types: of the layers that keep anything.
        short_convolutions: whether every layer keeps state besides.
    """
    present = set(types)
    if is_mla(fields) and LayerType.WINDOW in present:
        raise _windowed_latent(fields)
    if LayerType.FULL not in present:
        raise UnsupportedModel(
            f"{fields.path}num_hidden_layers",
            fields.get("num_hidden_layers"),
            "no layer is full attention, and the chain ends in it",
            "serve it with split pools",
        )
    if present == {LayerType.FULL} and not short_convolutions:
        raise UnsupportedModel(
            f"{fields.path}num_hidden_layers",
            fields.get("num_hidden_layers"),
            "full attention only: with one kind of memory there is nothing to share",
            "serve it with a plain KV pool",
        )


def _windowed_latent(fields: Fields) -> UnsupportedModel:
    return UnsupportedModel(
        f"{fields.path}kv_lora_rank",
        fields.get("kv_lora_rank"),
        "MLA with sliding windows: there is no kind for a latent row that lives for a window only",
        "serve it with split pools",
    )
