"""From a model's configuration to its kinds, rows, entries, pages and chain. Pure: no torch, no device."""

from typing import Any

from impl.layout.capacity import Load, load, pages_alone, pages_for
from impl.layout.chain import chain_of
from impl.layout.configs import Config, parse_config, preset_names, read_config
from impl.layout.dtypes import DType
from impl.layout.errors import LayoutError, UnsupportedModel
from impl.layout.families.reading import stored_by
from impl.layout.kinds import Kind, Layout, Lifetime, Row
from impl.layout.options import Draft, Options
from impl.layout.rows import ALIGNMENT
from impl.layout.scaling import with_fewer_layers
from impl.layout.stored import Stored

__all__ = [
    "ALIGNMENT",
    "DType",
    "Draft",
    "Kind",
    "Layout",
    "LayoutError",
    "Lifetime",
    "Load",
    "Options",
    "Row",
    "Stored",
    "UnsupportedModel",
    "chain_of",
    "layout_of",
    "layout_of_config",
    "load",
    "pages_alone",
    "pages_for",
    "preset_names",
    "with_fewer_layers",
]

_DEFAULTS = Options()


def layout_of(model: str, options: Options = _DEFAULTS) -> Layout:
    """The layout of a model on one tensor-parallel rank.

    Args:
        model: a preset's name, or the path of a `config.json` or of its folder.
        options: how the model is served.

    Raises:
        LayoutError: the configuration is bad, or an option contradicts it.
        UnsupportedModel: unified memory does not serve the model.
    """
    return _layout(read_config(model), options)


def layout_of_config(name: str, document: Any, options: Options = _DEFAULTS) -> Layout:
    """As `layout_of`, from a decoded JSON document."""
    return _layout(parse_config(name, "", document), options)


def _layout(config: Config, options: Options) -> Layout:
    kinds = chain_of(stored_by(config, options), options.page_tokens)
    return Layout(
        model=config.name,
        source=config.source,
        kinds=kinds,
        page_tokens=options.page_tokens,
        kv_dtype=options.kv_dtype,
        tp_size=options.tp_size,
        max_context=_max_context(config),
    )


def _max_context(config: Config) -> int | None:
    for name in ("max_position_embeddings", "model_max_length"):
        if config.text.has(name):
            return config.text.count(name, at_most=1 << 40)
    return None
