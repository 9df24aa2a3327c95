"""Reads a set-up of serving: a model and the features that it is served with."""

import difflib
import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from bandgap.compatibility.words import FEATURES, SORTS, sort_of
from bandgap.errors import UsageError
from impl.layout import DType, Layout, LayoutError, Options, UnsupportedModel, layout_of

MOST_BYTES: Final = 1 << 20
_KEYS: Final = ("model", "features", "page_tokens", "kv_dtype")
_DTYPES: Final = {"bf16": DType.BF16, "fp8": DType.FP8_E4M3}


@dataclass(frozen=True)
class Setup:
    """What is asked about.

    Attributes:
        model: a preset, a `config.json`, or a sort of model.
        features: by name.
        page_tokens: tokens in a page; None for any number that is no feature.
        kv_dtype: `bf16` or `fp8`; None for any that is no feature.
    """

    model: str | None = None
    features: tuple[str, ...] = ()
    page_tokens: int | None = None
    kv_dtype: str | None = None


@dataclass(frozen=True)
class Known:
    """A set-up whose model is known.

    Attributes:
        sort: of the model.
        features: all of them, those that the other fields come to included.
    """

    sort: str
    features: tuple[str, ...]


def read_setup(path: Path) -> Setup:
    """A set-up from a file, JSON if its name says so and else TOML.

    Raises:
        UsageError: there is no such file, or it does not say what a set-up says.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise UsageError("CONFIG", str(path), f"has more than {MOST_BYTES:,} bytes", "give a set-up")
        text = data.decode()
        document = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except OSError as failed:
        raise UsageError("CONFIG", str(path), f"cannot be read ({failed.strerror})", "check the path") from failed
    except (ValueError, RecursionError) as failed:
        raise UsageError("CONFIG", str(path), f"cannot be understood ({failed})", "write JSON or TOML") from failed
    if not isinstance(document, Mapping):
        raise UsageError("CONFIG", str(path), "is no table of fields", f"give {', '.join(_KEYS)}")
    return _setup(document)


def _setup(document: Mapping[str, Any]) -> Setup:
    for key in document:
        if key not in _KEYS:
            raise UsageError(key, document[key], "is no field of a set-up", _near(key, _KEYS))
    model, features = document.get("model"), document.get("features", [])
    if model is not None and not isinstance(model, str):
        raise UsageError("model", model, "is no name", "give a preset, a config.json, or a sort of model")
    if not isinstance(features, list) or not all(isinstance(each, str) for each in features):
        raise UsageError("features", features, "is no list of names", 'write it as ["prefix-cache", "overlap"]')
    return Setup(model, tuple(features), document.get("page_tokens"), document.get("kv_dtype"))


def with_options(
    setup: Setup, model: str | None, features: Sequence[str], pages: int | None, dtype: str | None
) -> Setup:
    """A set-up of which some is said again, which counts; features are added."""
    return replace(
        setup,
        model=model or setup.model,
        features=(*setup.features, *features),
        page_tokens=setup.page_tokens if pages is None else pages,
        kv_dtype=dtype or setup.kv_dtype,
    )


def known(setup: Setup) -> Known:
    """What a set-up comes to.

    Raises:
        UsageError: a field is bad.
        UnsupportedModel: the model has a configuration that unified memory does not serve.
    """
    for feature in setup.features:
        if feature not in FEATURES:
            raise UsageError("features", feature, "is no feature", _near(feature, FEATURES))
    if setup.kv_dtype is not None and setup.kv_dtype not in _DTYPES:
        raise UsageError("kv_dtype", setup.kv_dtype, "is no dtype of K and V", _near(str(setup.kv_dtype), _DTYPES))
    if setup.page_tokens is not None and type(setup.page_tokens) is not int:
        raise UsageError("page_tokens", setup.page_tokens, "is no whole number", "give 1 to 256")
    if setup.model is None:
        raise UsageError("model", None, "is missing", f"give a preset, a config.json, or one of {', '.join(SORTS)}")
    features = [*setup.features, *(["fp8-kv"] if setup.kv_dtype == "fp8" else [])]
    if setup.model in SORTS:
        layout, sort = None, setup.model
    else:
        layout = _layout(setup.model, setup)
        sort = sort_of(layout)
    return Known(sort, tuple(dict.fromkeys([*features, *_of_pages(setup.page_tokens, layout)])))


def _layout(model: str, setup: Setup) -> Layout:
    options = Options()
    try:
        if setup.page_tokens is not None:
            options = replace(options, page_tokens=setup.page_tokens)
        if setup.kv_dtype is not None:
            options = replace(options, kv_dtype=_DTYPES[setup.kv_dtype])
        return layout_of(model, options)
    except UnsupportedModel:
        raise
    except LayoutError as error:
        field = "model" if error.field == "MODEL" else error.field
        raise UsageError(field, error.value, error.problem, error.remedy) from error


def _of_pages(page_tokens: int | None, layout: Layout | None) -> Iterable[str]:
    if page_tokens == 1:
        yield "pages-of-1"
    windows = [] if layout is None else [kind.window for kind in layout.kinds if kind.window is not None]
    if page_tokens is not None and windows and page_tokens > min(windows):
        yield "large-pages"


def _near(name: str, names: Iterable[str]) -> str:
    alike = difflib.get_close_matches(name, list(names), n=3, cutoff=0.5)
    return f"did you mean {' or '.join(alike)}?" if alike else f"choose from {', '.join(names)}"
