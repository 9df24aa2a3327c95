"""The shipped configurations, read as plain JSON, so that tests can work out figures of their own and spoil copies."""

import copy
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "impl/layout/presets"

NAMES = (
    "gemma-4-31b",
    "gpt-oss-120b",
    "gpt-oss-20b",
    "inkling-small",
    "kimi-k3",
    "kimi-linear-48b-a3b",
    "qwen3-next-80b-a3b",
    "qwen3.5-4b",
    "qwen3.5-9b",
)


def document(name: str) -> dict[str, Any]:
    """A fresh copy of a preset's document."""
    loaded: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return copy.deepcopy(loaded)


def text_fields(config: dict[str, Any]) -> dict[str, Any]:
    """The language model's fields, nested or not."""
    fields: dict[str, Any] = config.get("text_config", config)
    return fields
