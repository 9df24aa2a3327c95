"""Where `impl` waits, records events, and uses the ledger: found in its text."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]

FILES: Final = (
    "impl/allocator.py",
    "impl/admission.py",
    "impl/device/arena.py",
    "impl/holders.py",
    "impl/idle.py",
    "impl/ledger.py",
    "impl/steps.py",
)
"""All that keeps or asks the ledger, or puts anything on a stream."""

CALLS: Final = frozenset(
    {
        # streams and events
        *("wait", "wait_for", "_wait_for_allocator", "record", "_is_under_way"),
        # the ledger's entries, and what is queued
        *("hold", "add", "enqueue", "check_hold", "_check_rivals", "_check_queue", "still_written", "check_idle"),
        *("are_held", "pins", "pins_without", "count_queued", "used_by_others"),
        # their ends
        *("retire", "remove", "drain"),
    }
)
"""Functions and methods: to call one is a wait, an event, or a use of the ledger."""

FIELDS: Final = frozenset(
    {"_tail", "_ends", "_behind", "holders", "writers", "entries", "queued", "_on_queue", "_pins"}
)
"""What is remembered of events and in the ledger: to write to one of them is a use."""


class Site(NamedTuple):
    """One of these uses: the function, and its text as Python writes it."""

    function: str
    text: str


def sites() -> list[Site]:
    """Every one, in the order of the text."""
    return [site for file in FILES for site in _sites_of(file)]


def _sites_of(file: str) -> Iterator[Site]:
    for outer in ast.parse((ROOT / file).read_text()).body:
        functions = outer.body if isinstance(outer, ast.ClassDef) else [outer]
        owner = f"{outer.name}." if isinstance(outer, ast.ClassDef) else ""
        for function in functions:
            if isinstance(function, ast.FunctionDef) and function.name != "__init__":
                for node in ast.walk(function):
                    if _is_use(node):
                        yield Site(owner + function.name, ast.unparse(node))


def _is_use(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        # `list.append` and the like on a field write to it
        return _called(node.func) in CALLS or (
            isinstance(node.func, ast.Attribute)
            and node.func.attr in {"append", "clear", "pop"}
            and _field(node.func.value) in FIELDS
        )
    if isinstance(node, ast.Attribute) and node.attr == "is_done":
        return True
    if isinstance(node, ast.Assign):
        return any(_is_written(target) for target in node.targets)
    return isinstance(node, ast.AugAssign) and _is_written(node.target)


def _is_written(target: ast.expr) -> bool:
    return isinstance(target, ast.Attribute | ast.Subscript) and _field(target) in FIELDS


def _called(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _field(place: ast.expr) -> str:
    while isinstance(place, ast.Subscript):
        place = place.value
    return place.attr if isinstance(place, ast.Attribute) else ""
