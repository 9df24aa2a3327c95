"""Everything that the specification says, by kind and name, read from its source."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path, PurePosixPath

from bandgap.lock.normal import hash_of, is_prose

Items = Mapping[str, str]
"""The hash of each thing by kind and name, such as `guard allocate.the-id-is-not-in-use`."""

COVERED = ("spec", "properties/specification.py", "properties/scenes.py", "properties/unbounded.py")
"""What is read: the specification with its judge, and of the proofs what they assume and how they read it."""

PROPERTIES = ("invariant", "step", "theorem")
"""Decorators of what holds."""

IN_ARENA = ("actions",)
"""Folders of the specification that are part of the arena's, and name nothing of their own."""


def items_of(sources: Mapping[str, str]) -> Items:
    """The items of source files, by their path from the root.

    Raises:
        ValueError: two have the same name.
    """
    found: dict[str, str] = {}
    for path, text in sorted(sources.items()):
        for name, digest in _items_of_file(path, text):
            if name in found:
                raise ValueError(f"two things are named {name!r}")
            found[name] = digest
    return found


@cache
def _items_of_file(path: str, text: str) -> tuple[tuple[str, str], ...]:
    """Most files are the same in both of two trees that are compared."""
    return tuple(_items(PurePosixPath(path), ast.parse(text)))


def sources_in(root: Path) -> dict[str, str]:
    """The source files that are covered, in a tree."""
    paths = [path for top in COVERED for path in ([root / top] if top.endswith(".py") else (root / top).rglob("*.py"))]
    return {path.relative_to(root).as_posix(): path.read_text() for path in paths if path.exists()}


def _items(path: PurePosixPath, module: ast.Module) -> Iterator[tuple[str, str]]:
    prefix = _prefix(path)
    for node in module.body:
        if is_prose(node) or isinstance(node, ast.Import | ast.ImportFrom):
            continue
        decorators = _decorators(node)
        if "action" in decorators and isinstance(node, ast.ClassDef):
            yield from _of_action(prefix, node)
        elif isinstance(node, ast.FunctionDef) and (kinds := [kind for kind in PROPERTIES if kind in decorators]):
            yield f"{kinds[0]} {_spelled(node.name)}", hash_of(node)
        elif isinstance(node, ast.FunctionDef) and _yields(node) and _is_guard(node):
            yield from _sentences(f"guard {prefix}{node.name}", node)
        elif isinstance(node, ast.FunctionDef) and path.stem == "words":
            yield f"word {prefix}{node.name}", hash_of(node)
        else:
            yield f"{_kind(path)} {'.'.join(path.with_suffix('').parts)}.{_name(node)}", hash_of(node)


def _prefix(path: PurePosixPath) -> str:
    folders = [part for part in path.parts[1:-1] if part not in IN_ARENA]
    return "".join(f"{folder}/" for folder in folders)


def _kind(path: PurePosixPath) -> str:
    if path.parts[0] == "properties":
        return "proof"
    return "judge" if path.parts[1] == "judge" else "definition"


def _of_action(prefix: str, node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    name = prefix + _spelled(node.name)
    yield f"arguments {name}", hash_of(*node.decorator_list)
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and part.name == "guard":
            yield from _sentences(f"guard {name}", part)
        elif not is_prose(part):
            yield f"{_name(part)} {name}", hash_of(part)


def _sentences(name: str, guard: ast.FunctionDef) -> Iterator[tuple[str, str]]:
    """The sentences of a guard, each with the local names that it needs; and the guards that it takes over."""
    local: dict[str, ast.stmt] = {}
    for statement in guard.body:
        names = _bound(statement)
        said = statement.value if isinstance(statement, ast.Expr) else None
        if names:
            local |= dict.fromkeys(names, statement)
        elif isinstance(said, ast.Yield) and isinstance(said.value, ast.Tuple) and _text(said.value):
            yield f"{name}.{_dashed(_text(said.value))}", hash_of(guard.args, *_needed(said, local), said)
        elif isinstance(said, ast.YieldFrom):
            if isinstance(said.value, ast.Call):
                taken = _dashed(ast.unparse(said.value.func))
                yield f"{name}.all-of-{taken}", hash_of(guard.args, *_needed(said, local), said)
        elif not is_prose(statement):
            yield f"{name}.line-by-line", hash_of(guard)
            return


def _needed(node: ast.AST, local: Mapping[str, ast.stmt]) -> list[ast.stmt]:
    """The statements that give the local names in a node their meaning, in order."""
    reached: dict[str, ast.stmt] = {}
    waiting = [node]
    while waiting:
        used = {each.id for each in ast.walk(waiting.pop()) if isinstance(each, ast.Name)}
        new = {name: local[name] for name in used & set(local) - set(reached)}
        reached |= new
        waiting += new.values()
    return [statement for name, statement in local.items() if name in reached]


def _bound(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef):
        return [statement.name]
    if isinstance(statement, ast.Assign):
        return [each.id for target in statement.targets for each in ast.walk(target) if isinstance(each, ast.Name)]
    return []


def _decorators(node: ast.stmt) -> Sequence[str]:
    decorators = getattr(node, "decorator_list", [])
    return [ast.unparse(each.func if isinstance(each, ast.Call) else each).split(".")[-1] for each in decorators]


def _yields(node: ast.FunctionDef) -> bool:
    return any(isinstance(each, ast.Yield | ast.YieldFrom) for each in ast.walk(node))


def _is_guard(node: ast.FunctionDef) -> bool:
    return node.returns is not None and ast.unparse(node.returns) == "Guard"


def _text(said: ast.Tuple) -> str:
    first = said.elts[0]
    return first.value if isinstance(first, ast.Constant) and isinstance(first.value, str) else ""


def _name(node: ast.stmt) -> str:
    """What a statement binds; of others the beginning of what they say."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return node.name
    if isinstance(node, ast.Assign):
        return ",".join(ast.unparse(target) for target in node.targets)
    if isinstance(node, ast.AnnAssign):
        return ast.unparse(node.target)
    return f"{type(node).__name__.lower()}-{hash_of(node)[:6]}"


def _spelled(name: str) -> str:
    return name.replace("_", "-")


def _dashed(text: str) -> str:
    """The words of a sentence with dashes, as `spec.catalog.sentence_name` spells them."""
    return "-".join("".join(c if c.isalnum() else " " for c in text.replace("'", "")).split())
