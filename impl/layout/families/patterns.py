"""Which layers are full attention, which a window, which linear attention."""

from collections.abc import Iterator
from enum import Enum

from impl.layout.errors import LayoutError, UnsupportedModel
from impl.layout.fields import MAX_LAYERS, Fields


class LayerType(Enum):
    """What mixes tokens in a layer, by the words of Hugging Face's `layer_types`."""

    FULL = "full_attention"
    WINDOW = "sliding_attention"
    LINEAR = "linear_attention"


# Fields by which families that are not read here say which layer is which; taking such a model for one of full
# attention alone would be a wrong answer.
_FOREIGN = (
    "attention_chunk_size",
    "attn_layer_indices",
    "attn_layer_period",
    "attn_type_list",
    "hybrid_layer_pattern",
    "hybrid_override_pattern",
    "mamba_d_state",
    "sliding_window_pattern",
    "state_size",
)


def layer_types(fields: Fields) -> tuple[LayerType, ...]:
    """The type of each layer, from every field that says so; full attention where none does.

    Raises:
        LayoutError: two fields disagree, a list does not add up to the number of layers, or a field is bad.
        UnsupportedModel: the types follow from a field that is not read here.
    """
    layers = fields.count("num_hidden_layers", at_most=MAX_LAYERS)
    said = list(_said(fields, layers))
    if not said:
        _check_nothing_is_missed(fields)
        return (LayerType.FULL,) * layers
    (first_field, types), *others = said
    for field, other in others:
        for layer, (one, two) in enumerate(zip(types, other, strict=True)):
            if one is not two:
                problem = f"makes layer {layer} {two.value}, and {first_field} makes it {one.value}"
                raise fields.error(field, problem, "correct one of them")
    return types


def window_of(fields: Fields) -> int:
    """Tokens that a sliding layer looks back on, its own included."""
    name = "sliding_window_size" if fields.has("sliding_window_size") else "sliding_window"
    return fields.count(name, at_most=1 << 31)


def _said(fields: Fields, layers: int) -> Iterator[tuple[str, tuple[LayerType, ...]]]:
    if fields.has("layer_types"):
        known = [word.value for word in LayerType]
        words = fields.words("layer_types", known=known, length=layers)
        yield "layer_types", tuple(LayerType(word) for word in words)
    if fields.has("full_attention_interval"):
        interval = fields.count("full_attention_interval", at_most=layers)
        every = range(1, layers + 1)
        yield (
            "full_attention_interval",
            tuple(LayerType.LINEAR if number % interval else LayerType.FULL for number in every),
        )
    if fields.has("local_layer_ids"):
        local = set(fields.layer_numbers("local_layer_ids", first=0, layers=layers))
        yield "local_layer_ids", tuple(LayerType.WINDOW if n in local else LayerType.FULL for n in range(layers))
    if fields.has("linear_attn_config"):
        yield "linear_attn_config", _kimi(fields.section("linear_attn_config"), layers)


def _kimi(fields: Fields, layers: int) -> tuple[LayerType, ...]:
    """Kimi numbers layers from 1 and names both sorts."""
    full = set(fields.layer_numbers("full_attn_layers", first=1, layers=layers))
    linear = set(fields.layer_numbers("kda_layers", first=1, layers=layers))
    for layer in range(layers):
        if (layer in full) == (layer in linear):
            problem = f"layer {layer + 1} is in both lists" if layer in full else f"layer {layer + 1} is in no list"
            remedy = f"name each of num_hidden_layers = {layers} in kda_layers or in full_attn_layers"
            raise fields.error("kda_layers", problem, remedy)
    return tuple(LayerType.FULL if layer in full else LayerType.LINEAR for layer in range(layers))


def _check_nothing_is_missed(fields: Fields) -> None:
    for name in _FOREIGN:
        if fields.has(name):
            raise UnsupportedModel(
                fields.path + name, fields.get(name), "says which layer is which, and is not read", "give layer_types"
            )
    for name in ("sliding_window", "sliding_window_size"):
        if fields.has(name) and fields.flag("use_sliding_window", default=True):
            remedy = f"{name} = {fields.get(name)!r} is given: say which layers use it"
            raise LayoutError(fields.path + "layer_types", None, "is missing", remedy)
