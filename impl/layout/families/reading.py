"""Reads a configuration into what its layers store."""

from collections.abc import Iterable, Iterator

from impl.layout.configs import Config
from impl.layout.errors import LayoutError
from impl.layout.families.attention import Part, attention_parts, gqa_parts, is_mla
from impl.layout.families.linear import linear_parts
from impl.layout.families.patterns import LayerType, layer_types, window_of
from impl.layout.families.short_conv import has_short_convolutions, short_conv_parts
from impl.layout.families.support import refuse_by_fields, refuse_by_layers
from impl.layout.fields import Fields
from impl.layout.kinds import Lifetime
from impl.layout.options import Draft, Options
from impl.layout.sharding import divided_or_replicated
from impl.layout.stored import Stored


def stored_by(config: Config, options: Options) -> list[Stored]:
    """What each layer of a model stores on one rank, in layer order; draft layers last.

    Raises:
        LayoutError: a field is missing, bad, or contradicts another or an option.
        UnsupportedModel: unified memory does not serve the model.
    """
    refuse_by_fields(config)
    fields = config.text
    types = layer_types(fields)
    short_convolutions = has_short_convolutions(fields)
    keeping = _keeping(fields, types)
    refuse_by_layers(fields, [types[layer] for layer in keeping], short_convolutions=short_convolutions)
    window = window_of(fields) if LayerType.WINDOW in types else None
    parts_of = {kind: list(_parts(fields, options, kind)) for kind in dict.fromkeys(types)}
    found: list[Stored] = []
    for layer in keeping:
        kind = types[layer]
        found += _stored(layer, _LIFETIME[kind], window if kind is LayerType.WINDOW else None, parts_of[kind])
    if short_convolutions:
        for layer, kind in enumerate(types):
            parts = short_conv_parts(fields, options, windowed=kind is LayerType.WINDOW)
            found += _stored(layer, Lifetime.STATE, None, parts)
    if options.draft is not None:
        found += _draft(fields, options, options.draft, first_layer=len(types))
    return found


_LIFETIME = {
    LayerType.FULL: Lifetime.FULL,
    LayerType.WINDOW: Lifetime.WINDOW,
    LayerType.LINEAR: Lifetime.STATE,
}


def _keeping(fields: Fields, types: tuple[LayerType, ...]) -> list[int]:
    """The layers that keep K and V or a state: in some models the last ones read the K and V of earlier ones."""
    shared = fields.count("num_kv_shared_layers", at_least=0, at_most=len(types) - 1, default=0)
    own = len(types) - shared
    return [layer for layer, kind in enumerate(types) if layer < own or kind is LayerType.LINEAR]


def _parts(fields: Fields, options: Options, kind: LayerType) -> Iterator[Part]:
    if kind is LayerType.LINEAR:
        return linear_parts(fields, options)
    return attention_parts(fields, options, options.kv_dtype, windowed=kind is LayerType.WINDOW)


def _draft(fields: Fields, options: Options, draft: Draft, *, first_layer: int) -> Iterator[Stored]:
    dtype = draft.dtype or options.kv_dtype
    if draft.kv_heads is not None and draft.head_dim is not None:
        heads = divided_or_replicated(draft.kv_heads, options.tp_size, "draft.kv_heads")
        parts = list(gqa_parts(heads, draft.head_dim, draft.head_dim, dtype))
    elif draft.window is not None and is_mla(fields):
        raise LayoutError(
            "draft.window", draft.window, "the target's MLA layers have no windows", "give the draft heads"
        )
    else:
        parts = list(attention_parts(fields, options, dtype, windowed=False))
    lifetime = Lifetime.FULL if draft.window is None else Lifetime.WINDOW
    for layer in range(first_layer, first_layer + draft.layers):
        yield from _stored(layer, lifetime, draft.window, parts, draft=True)


def _stored(
    layer: int, lifetime: Lifetime, window: int | None, parts: Iterable[Part], *, draft: bool = False
) -> Iterator[Stored]:
    for part, shape, dtype in parts:
        yield Stored(layer, lifetime, window, part, shape, dtype, draft)
