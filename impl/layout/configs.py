"""Finds and reads a model's configuration: a preset by name, or a `config.json` by path."""

import difflib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from impl.layout.errors import LayoutError
from impl.layout.fields import Fields

MAX_CONFIG_BYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class Config:
    """A configuration that is a JSON object, and nothing more is known of it."""

    name: str
    source: str
    top: Fields
    """The outermost object."""
    text: Fields
    """The language model's fields: `text_config` where there is one, else the same as `top`."""


def preset_names() -> list[str]:
    """The models whose configurations ship with the package, by name."""
    return sorted(entry.name.removesuffix(".json") for entry in _presets().iterdir() if entry.name.endswith(".json"))


def read_config(model: str) -> Config:
    """The configuration of a model.

    Args:
        model: a preset's name, else the path of a `config.json` or of the folder that holds one. A file that is
            called as a preset is reached with a leading `./`.

    Raises:
        LayoutError: there is no such preset or file, it is too large, or it is not a JSON object.
    """
    if model in preset_names():
        document = json.loads((_presets() / f"{model}.json").read_bytes())
        return parse_config(model, document["_source"], document)
    path = Path(model)
    if path.is_dir():
        path = path / "config.json"
    if not path.is_file():
        raise LayoutError("MODEL", model, "is neither a preset nor a file", _suggestion(model))
    try:
        with path.open("rb") as file:
            data = file.read(MAX_CONFIG_BYTES + 1)
    except OSError as error:
        raise LayoutError("MODEL", model, f"cannot be read ({error})", "check the path") from error
    if len(data) > MAX_CONFIG_BYTES:
        raise LayoutError("MODEL", model, f"is larger than {MAX_CONFIG_BYTES} bytes", "give a config.json")
    name = path.resolve().parent.name if path.name == "config.json" else path.stem
    return parse_config(name, str(path), _decoded(model, data))


def parse_config(name: str, source: str, document: Any) -> Config:
    """The configuration in a decoded JSON document."""
    if not isinstance(document, dict):
        raise LayoutError("MODEL", name, "is not a JSON object", "give a Hugging Face config.json")
    top = Fields(document)
    if top.has("text_config"):
        return Config(name, source, top, Fields(top.section("text_config").values, "text_config.", outer=document))
    return Config(name, source, top, top)


def _decoded(model: str, data: bytes) -> Any:
    try:
        return json.loads(data, object_pairs_hook=_without_duplicates, parse_constant=_no_constant)
    except LayoutError:
        raise
    except (ValueError, RecursionError) as error:
        raise LayoutError("MODEL", model, f"is not JSON ({error})", "give a config.json") from error


def _without_duplicates(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values:
            raise LayoutError(name, [values[name], value], "is given twice", "keep one")
        values[name] = value
    return values


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is no JSON number")


def _suggestion(model: str) -> str:
    close = difflib.get_close_matches(model.lower(), preset_names(), n=1)
    hint = f"did you mean {close[0]}? " if close else ""
    return f"{hint}presets: {', '.join(preset_names())}"


def _presets() -> Any:
    return resources.files("impl.layout") / "presets"
