"""The lines of `impl.arithmetic` and `impl.columns`, read with other words.

A solver's stand in place of those that branch and divide, of Python's own `x if c else y`, `min` and `max`, and, where
arrays are unknown, of numpy's.

What is run is compiled from the very source of the modules. A seeded fault is another text in the place of one of
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
import impl.arithmetic.in_place
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
    impl.arithmetic.in_place,
    impl.columns,
)
"""The modules that are read, in the order in which they import each other."""

NUMPY, LIVE, NOWHERE = (vars(impl.columns)[name] for name in ("np", "LIVE", "NOWHERE"))
"""What the lines about arrays import: numpy, the state of a live page, and more bytes than there are."""

Words = Mapping[str, Any]

DIVIDE = "divided_rounding_down"
"""The word that is read where the source has `//`: not every term knows that sign."""


def divided(dividend: Any, divisor: Any) -> Any:
    """The quotient rounded down, of plain numbers or of terms; those round so where divisors are positive."""
    of_terms = isinstance(dividend, z3.ExprRef) or isinstance(divisor, z3.ExprRef)
    return dividend / divisor if of_terms else dividend // divisor


CHOOSE = "chosen_by"
"""The word that is read where the source has `x if c else y`."""


def chosen(condition: Any, yes: Callable[[], Any], no: Callable[[], Any]) -> Any:
    """One of two values, or of two tuples member by member; of plain values only the one that is chosen is made."""
    return _either(condition, yes(), no()) if isinstance(condition, z3.ExprRef) else yes() if condition else no()


def _either(condition: Any, yes: Any, no: Any) -> Any:
    if isinstance(yes, tuple):
        return tuple(_either(condition, one, other) for one, other in zip(yes, no, strict=True))
    return If(condition, yes, no)


def smallest(one: Any, other: Any) -> Any:
    """The smaller of two, as Python's `min` finds it."""
    return chosen(other < one, lambda: other, lambda: one)


def largest(one: Any, other: Any) -> Any:
    """The larger of two, as Python's `max` finds it."""
    return chosen(other > one, lambda: other, lambda: one)


PYTHONS: Words = {DIVIDE: divided, CHOOSE: chosen, "min": smallest, "max": largest}
"""What is read in place of what Python itself has, for plain values and for terms."""


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
        tree = _ByWord().visit(ast.parse(source))
        space: dict[str, Any] = {"__name__": module.__name__}
        exec(compile(ast.fix_missing_locations(tree), module.__file__ or "", "exec"), space)
        functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
        trees |= functions
        known |= {name: space[name] for name in functions if name not in words}
        known |= {node.name: space[node.name] for node in tree.body if isinstance(node, ast.ClassDef)}
        space |= {**known, **PYTHONS}
    if edit is not None and edited != 1:
        raise ValueError(f"{edit.old!r} is there {edited} times")
    return Code({**known, **PYTHONS}, trees)


class _ByWord(ast.NodeTransformer):
    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        nothing = ast.arguments([], [], None, [], [], None, [])
        sides = [ast.Lambda(nothing, side) for side in (node.body, node.orelse)]
        return ast.copy_location(ast.Call(ast.Name(CHOOSE, ast.Load()), [node.test, *sides], []), node)

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
