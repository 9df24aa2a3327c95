"""A function without a piece of what it does."""

import ast
import inspect
from collections.abc import Iterator
from contextlib import contextmanager
from textwrap import dedent
from types import FunctionType
from typing import Any, Final, NamedTuple

NOTHING_AT_ALL: Final = "pass"


class Piece(NamedTuple):
    """A piece of a function that is left out.

    Attributes:
        owner: the class or module that has the function.
        function: its name.
        text: the statement or expression, as `ast.unparse` writes it; the function has it once.
        instead: what stands there.
    """

    owner: Any
    function: str
    text: str
    instead: str = NOTHING_AT_ALL


@contextmanager
def without(piece: Piece) -> Iterator[None]:
    """Inside a `with` block, a function does what it says with one piece left out.

    Raises:
        ValueError: the function does not have the piece, or has it more than once.
    """
    original = vars(piece.owner)[piece.function]
    assert isinstance(original, FunctionType)
    tree = ast.parse(dedent(inspect.getsource(original)))
    cut = _Cut(piece)
    tree = ast.fix_missing_locations(cut.visit(tree))
    if cut.found != 1:
        raise ValueError(f"{original.__qualname__} has {piece.text!r} {cut.found} times")
    made: dict[str, Any] = {}
    exec(compile(tree, f"<{original.__qualname__} without {piece.text}>", "exec"), original.__globals__, made)
    setattr(piece.owner, piece.function, made[piece.function])
    try:
        yield
    finally:
        setattr(piece.owner, piece.function, original)


class _Cut(ast.NodeTransformer):
    def __init__(self, piece: Piece) -> None:
        self._text, self._instead = piece.text, piece.instead
        self.found = 0

    def visit(self, node: ast.AST) -> Any:
        is_whole = isinstance(node, ast.stmt) == (self._instead == NOTHING_AT_ALL)
        if isinstance(node, ast.stmt | ast.expr) and is_whole and ast.unparse(node) == self._text:
            self.found += 1
            return ast.Pass() if isinstance(node, ast.stmt) else ast.parse(self._instead, mode="eval").body
        return self.generic_visit(node)
