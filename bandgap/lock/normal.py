"""What a piece of source says, without what it only looks like: no comments, prose, annotations or layout."""

import ast
import hashlib
from typing import Any

SAYS_NOTHING = frozenset({"annotation", "returns", "type_comment", "type_params", "ctx", "kind", "simple"})
"""Fields of a syntax tree that change nothing of what is said."""

DIGITS = 16
"""Hexadecimal digits of a hash."""


def hash_of(*nodes: ast.AST) -> str:
    """A hash of what these say, the same under every version of Python."""
    return hashlib.sha256(repr([normal(node) for node in nodes]).encode()).hexdigest()[:DIGITS]


def normal(node: Any) -> Any:
    """A syntax tree as nested tuples of what it says; what is empty is left out, as newer versions of Python do."""
    if isinstance(node, list):
        return tuple(normal(each) for each in node if not is_prose(each))
    if not isinstance(node, ast.AST):
        return node
    fields = [(name, normal(value)) for name, value in ast.iter_fields(node) if name not in SAYS_NOTHING]
    return type(node).__name__, *[field for field in fields if field[1] not in (None, ())]


def is_prose(node: Any) -> bool:
    """A string that stands by itself: a docstring, or what is said of an attribute."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
