"""Options of `bandgap replay` that contradict each other: one of them would be ignored, so neither is taken."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from bandgap.errors import UsageError

if TYPE_CHECKING:
    from impl.layout import Layout

PAIRS: Final = (
    ("hbm", "arena", "--hbm is all of the device and --arena what weights leave of it: give one"),
    ("memory_fraction", "arena", "it is a share of --hbm: give --hbm instead of --arena, or leave it out"),
    ("rate", "concurrency", "requests arrive by themselves, or when clients have their answers: give one"),
    ("speed", "concurrency", "clients that wait for their answers have no times of arrival: give one"),
    ("record", "sweep", "a sweep is of many runs: record one of them without --sweep"),
    ("html", "sweep", "a sweep is a table: leave one of them out, or take --json"),
    ("png", "sweep", "a sweep is a table: leave one of them out, or take --json"),
)
"""Two options, and the remedy."""

OVERRIDDEN: Final = {
    "arena": ("arena", "hbm", "memory_fraction"),
    "page": ("page_tokens",),
    "swa": ("swa_ratio",),
    "mamba": ("mamba_ratio",),
}
"""The options that the values of each axis of a sweep stand for."""

WRITTEN: Final = ("record", "html", "png")
"""Options that name what is written."""


def given(context: typer.Context) -> dict[str, Any]:
    """The options that a person wrote, by parameter, with their values."""
    sources = ((name, value, context.get_parameter_source(name)) for name, value in context.params.items())
    # by its name, as typer has brought its own click since some version
    return {name: value for name, value, source in sources if source is not None and source.name == "COMMANDLINE"}


def refuse_contradictions(options: Mapping[str, Any], traffic: str) -> None:
    """Raise UsageError, naming both, where one option would make another mean nothing.

    Args:
        options: as `given` says.
        traffic: the argument.
    """
    for one, other, remedy in PAIRS:
        if one in options and other in options:
            raise _contradicts(one, options[one], _flag(other), remedy)
    if options.get("search") and "sweep" in options:
        raise _contradicts("search", True, "--sweep", "a sweep searches nothing: leave --search out")
    _refuse_clusters(options)
    _refuse_overwriting(options, traffic)


def refuse_overridden(options: Mapping[str, Any], axes: Sequence[str]) -> None:
    """Raise UsageError where an option says what an axis of the sweep says, or an axis is given twice."""
    for axis in axes:
        if axes.count(axis) > 1:
            raise UsageError("--sweep", axis, "is given twice", "write all its values in one, separated by commas")
        for name in OVERRIDDEN[axis]:
            if name in options:
                raise _contradicts(name, options[name], f"--sweep {axis}", "the sweep sets it: give one")


def refuse_idle_ratios(options: Mapping[str, Any], axes: Sequence[str], layout: "Layout") -> None:
    """Raise UsageError where a ratio is given of a kind that the model has not."""
    from impl.layout import Lifetime

    has_window = any(kind.window is not None for kind in layout.kinds)
    has_state = any(kind.lifetime is Lifetime.STATE for kind in layout.kinds)
    for name, axis, has, kind in (
        ("swa_ratio", "swa", has_window, "window"),
        ("mamba_ratio", "mamba", has_state, "state"),
    ):
        field = _flag(name) if name in options else "--sweep" if axis in axes else None
        if field is not None and not has:
            problem = f"is of the {kind} pool, and {layout.model} has no {kind} kind"
            raise UsageError(field, options.get(name, axis), problem, "leave it out")


def _refuse_clusters(options: Mapping[str, Any]) -> None:
    if options.get("engine") == "ray" and "sweep" not in options:
        remedy = "add --sweep, or leave --engine out: this machine's processes do the rest"
        raise UsageError("--engine", "ray", "is for sweeps, and there is no --sweep", remedy)
    if "address" in options and options.get("engine") != "ray":
        problem = "is of a Ray cluster, and --engine is local"
        raise UsageError("--address", options["address"], problem, "add --engine ray, or leave it out")


def _refuse_overwriting(options: Mapping[str, Any], traffic: str) -> None:
    taken = {Path(traffic).resolve(): "TRAFFIC"}
    for name in WRITTEN:
        path = options.get(name)
        if path is None:
            continue
        other = taken.setdefault(path.resolve(), _flag(name))
        if other != _flag(name):
            raise UsageError(_flag(name), str(path), f"is the file of {other}", "give another path")


def _contradicts(name: str, value: object, other: str, remedy: str) -> UsageError:
    return UsageError(_flag(name), str(value), f"contradicts {other}", remedy)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"
