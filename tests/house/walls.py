"""The import walls between rooms, held by reading every module's syntax tree."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]

# What each room may import besides the standard library and itself. The longest entry that matches a module wins.
# `bandgap` may import everything.
MAY_IMPORT: dict[str, frozenset[str]] = {
    "spec": frozenset({"events"}),
    "crew": frozenset({"ray"}),
    "events": frozenset({"msgspec"}),
    "properties": frozenset(
        {"spec", "events", "z3", "crosshair", "cvc5", "impl.arithmetic", "impl.columns"}
        # what processes need that is no proof's business
        | {"crew.interrupts", "crew.processors"}
    ),
    "impl": frozenset({"events", "msgspec", "numpy", "torch", "triton"}),
    "impl.arithmetic": frozenset(),
    # carries pages between processes, for those who ask
    "impl.serving.transfer.mooncake": frozenset({"mooncake", "torch"}),
    "fuzz": frozenset({"spec", "events", "impl", "crew", "hypothesis", "msgspec", "numpy", "torch"}),
    # Redis holds a corpus that several machines share, for those who ask
    "fuzz.campaign.corpus": frozenset({"hypothesis", "redis"}),
    # drives other people's allocators in environments that `make peers` builds
    "fuzz.peers": frozenset({"spec", "events", "msgspec", "bench.peers.environments"}),
    "fuzz.targets.sglang": frozenset({"torch", "transformers", "sglang", "bench.peers.torchvision_absent"}),
    "fuzz.targets.vllm": frozenset({"torch", "vllm"}),
    # guards the interpreter of Triton's, and needs nothing of what it checks
    "fuzz.interpreter": frozenset({"numpy", "torch", "triton"}),
    "gpu_tests": frozenset({"impl", "spec", "events", "fuzz", "numpy", "torch", "triton", "pytest"}),
    # plotly is in the page that it writes, so that the page needs no network
    "replay": frozenset({"impl", "events", "crew", "numpy", "jinja2", "matplotlib", "plotly"}),
    "bench": frozenset({"impl", "spec", "events", "numpy", "torch"}),
    # measures what drives, beside Hypothesis doing nothing
    "bench.fuzz": frozenset({"fuzz", "hypothesis", "torch", "crew.processors"}),
    # on every core, as a campaign does
    "bench.cores": frozenset({"crew", "torch"}),
    # runs in a peer's own environment, where nothing of ours is installed
    "bench.peers": frozenset({"sglang", "vllm", "transformers", "torch"}),
}
ROOMS = frozenset({name for name in MAY_IMPORT if "." not in name} | {"bandgap"})

# Rooms whose walls include their inside: they may not even import their own siblings.
SEALED = frozenset({"impl.arithmetic"})


class Breach(NamedTuple):
    """One import that crosses a wall."""

    module: str
    line: int
    imported: str
    why: str


def rooms_with_code(root: Path = ROOT) -> set[str]:
    """The top-level directories that hold a Python module with at least one statement besides its docstring."""
    return {path.relative_to(root).parts[0] for path in _modules(root) if _says_something(path)}


def modules_of(room: str, root: Path = ROOT) -> list[Path]:
    """The Python files of one room."""
    return [path for path in _modules(root) if path.relative_to(root).parts[0] == room]


def name_of(path: Path, root: Path = ROOT) -> str:
    """The dotted name of a file: `impl/layout/__init__.py` is `impl.layout`."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def breaches(module: str, source: str, *, is_package: bool = False) -> list[Breach]:
    """The imports in a module's source that its room's walls forbid, at any depth of the source.

    Args:
        module: its dotted name, which decides the room.
        source: its text.
        is_package: whether it is an `__init__.py`, which relative imports depend on.
    """
    room = _room_of(module)
    if room == "bandgap":
        return []
    home = room if room in SEALED else room.split(".")[0]
    allowed = MAY_IMPORT[room] | {home}
    found = []
    for line, names in _imports(ast.parse(source), module, is_package):
        if names is None:
            found.append(Breach(module, line, "?", "an import whose name is computed cannot be checked"))
        elif not any(_is_open(name, allowed) for name in names):
            found.append(Breach(module, line, names[0], f"{room} may import {', '.join(sorted(allowed))}"))
    return found


def _modules(root: Path) -> Iterator[Path]:
    for top in sorted(root.iterdir()):
        if top.is_dir() and not top.name.startswith(".") and top.name not in {"build", "dist", "tests"}:
            yield from sorted(top.rglob("*.py"))


def _says_something(path: Path) -> bool:
    body = ast.parse(path.read_text()).body
    return any(not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)) for node in body)


def _room_of(module: str) -> str:
    known = [room for room in (*MAY_IMPORT, "bandgap") if module == room or module.startswith(f"{room}.")]
    return max(known, key=len)


def _is_open(name: str, allowed: frozenset[str]) -> bool:
    return name.split(".")[0] in sys.stdlib_module_names or any(
        name == entry or name.startswith(f"{entry}.") for entry in allowed
    )


def _imports(tree: ast.AST, module: str, is_package: bool) -> Iterator[tuple[int, list[str] | None]]:
    """For each import, its line and the names of which one must be allowed; None when the name is computed."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, [alias.name]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, module, is_package)
            # `from a import b` may mean the module a.b, so a wall that opens a.b alone must see the b.
            yield from ((node.lineno, [f"{base}.{alias.name}"]) for alias in node.names)
        elif isinstance(node, ast.Call) and _called(node.func) in {"import_module", "__import__"}:
            name = node.args[0] if node.args else None
            literal = name.value if isinstance(name, ast.Constant) and isinstance(name.value, str) else None
            yield node.lineno, None if literal is None or literal.startswith(".") else [literal]


def _absolute(node: ast.ImportFrom, module: str, is_package: bool) -> str:
    if not node.level:
        return node.module or ""
    parts = module.split(".")
    package = parts[: len(parts) - node.level + is_package]
    return ".".join([*package, node.module] if node.module else package)


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
