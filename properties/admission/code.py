"""The lines of `impl.arithmetic` and `impl.columns`, read with other words.

A solver's stand in place of those that branch and divide, and, where arrays are unknown, of numpy's.

What is run is compiled from the very source of the modules.  A seeded fault is another text in the place of one of
their lines.
"""

import ast
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import z3

import impl.arithmetic.admission
import impl.arithmetic.choice
import impl.arithmetic.ends
import impl.arithmetic.fewest
import impl.arithmetic.grid
import impl.arithmetic.placement
import impl.columns
from spec.logic import And, If, Or

MODULES = (
    impl.arithmetic.choice,
    impl.arithmetic.grid,
    impl.arithmetic.placement,
    impl.arithmetic.admission,
    impl.arithmetic.ends,
    impl.arithmetic.fewest,
    impl.columns,
)
"""In the order in which they import each other."""

NUMPY, LIVE, NOWHERE = (vars(impl.columns)[name] for name in ("np", "LIVE", "NOWHERE"))
"""What the lines about arrays import: numpy, the state of a live page, and more bytes than there are."""

Words = Mapping[str, Any]

DIVIDE = "divided_rounding_down"
"""The word that is read where the source has `//`: not every term knows that sign."""


def divided(dividend: Any, divisor: Any) -> Any:
    """The quotient rounded down, of plain numbers or of terms; those round so where divisors are positive."""
    of_terms = isinstance(dividend, z3.ExprRef) or isinstance(divisor, z3.ExprRef)
    return dividend / divisor if of_terms else dividend // divisor


BRANCHES: Words = {"select": If, "both": lambda a, b: And(a, b), "either": lambda a, b: Or(a, b)}
"""The words of `choice` in which all others are written, for plain values and for terms."""


@dataclass(frozen=True)
class Edit:
    """A text in the place of one that the source of a module has once."""

    old: str
    new: str


@dataclass(frozen=True)
class Code:
    """The functions, by name, and the syntax tree of each."""

    names: Mapping[str, Any] = field(repr=False)
    trees: Mapping[str, ast.FunctionDef] = field(repr=False)

    def __getattr__(self, name: str) -> Any:
        try:
            return self.names[name]
        except KeyError:
            raise AttributeError(f"the arithmetic has no {name!r}") from None


def loaded(words: Words = BRANCHES, edit: Edit | None = None) -> Code:
    """The functions of all modules, in which these words mean what is given.

    Raises:
        ValueError: the text to be replaced is not there exactly once.
    """
    known: dict[str, Any] = dict(words)
    trees: dict[str, ast.FunctionDef] = {}
    edited = 0
    for module in MODULES:
        source = inspect.getsource(module)
        if edit is not None and edit.old in source:
            edited += source.count(edit.old)
            source = source.replace(edit.old, edit.new)
        tree = _DivisionByWord().visit(ast.parse(source))
        space: dict[str, Any] = {"__name__": module.__name__}
        exec(compile(ast.fix_missing_locations(tree), module.__file__ or "", "exec"), space)
        functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        trees |= functions
        known |= {name: space[name] for name in functions if name not in words}
        known |= {node.name: space[node.name] for node in tree.body if isinstance(node, ast.ClassDef)}
        space |= {**known, DIVIDE: divided}
    if edit is not None and edited != 1:
        raise ValueError(f"{edit.old!r} is there {edited} times")
    return Code({**known, DIVIDE: divided}, trees)


class _DivisionByWord(ast.NodeTransformer):
    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.FloorDiv):
            return node
        call = ast.Call(ast.Name(DIVIDE, ast.Load()), [node.left, node.right], [])
        return ast.copy_location(call, node)


# ------------------------------------------------------------------------------------------------- opaque page grids


def _numbers(name: str) -> Callable[..., Any]:
    integers = z3.IntSort()
    function = z3.Function(name, integers, integers, integers, integers)
    return lambda *arguments: function(*arguments)


GRID: Words = {name: _numbers(name) for name in ("address", "first_page_from", "pages_until")}
"""The functions of a grid, of which nothing is known but what the lemmas about them say."""
