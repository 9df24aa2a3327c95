"""A function with one loop over the bands of a chain, taken apart: what is before it, one turn of it, what is after.

Nothing is said again: each part is compiled from the function's own lines.  That a loop does its turns one after the
other, over what its header lists, is taken from Python; that the header lists every band once, in which order, is
looked at for short chains.
"""

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from properties.admission.code import Code

LENGTHS = range(2, 8)
"""Of the chains for which the order of bands is looked at."""

Carried = dict[str, Any]
"""What a turn leaves to the next."""


@dataclass(frozen=True)
class Loop:
    """The parts; each is given the function's arguments by name."""

    before: Callable[[Carried], Carried]
    """What the first turn finds."""

    turn: Callable[[Carried, Carried, Any], Carried]
    """Given the arguments, what the turn before left, and what the loop's header lists."""

    after: Callable[[Carried, Carried], Any]
    """What the function returns, given the arguments and what the last turn left."""

    from_the_top: bool
    """Whether the bands come from the last to the second; from the first to the one before the last, if not."""


def loop_of(code: Code, name: str) -> Loop:
    """The loop of a function over `chain`.

    Raises:
        ValueError: the function is not a loop over the bands of `chain` with something before it and after it.
    """
    body = code.trees[name].body
    at = [i for i, statement in enumerate(body) if isinstance(statement, ast.For)]
    if len(at) != 1 or not isinstance(body[-1], ast.Return):
        raise ValueError(f"{name} is not one loop with an outcome")
    loop = body[at[0]]
    assert isinstance(loop, ast.For)  # it was chosen so
    before, after = body[: at[0]], body[at[0] + 1 :]
    carried = [target for statement in before for target in _assigned(statement)]
    outcome = ast.Assign([ast.Name("outcome", ast.Store())], ast.Name("nothing", ast.Load()))
    listed = ast.Assign([loop.target], ast.Name("listed", ast.Load()))
    assert isinstance(after[-1], ast.Return)  # it was looked at
    outcome.value = after[-1].value or outcome.value

    def run(statements: Sequence[ast.stmt], scope: Carried) -> Carried:
        tree = ast.fix_missing_locations(ast.Module(list(statements), []))
        space = {**code.names, **scope}
        exec(compile(tree, name, "exec"), space)
        return space

    def only_carried(space: Carried) -> Carried:
        return {name: space[name] for name in carried}

    return Loop(
        lambda arguments: only_carried(run(before, arguments)),
        lambda arguments, left, band: only_carried(run([listed, *loop.body], {**arguments, **left, "listed": band})),
        lambda arguments, left: run([*after[:-1], outcome], {**arguments, **left})["outcome"],
        _is_from_the_top(name, loop.iter),
    )


def _assigned(statement: ast.stmt) -> list[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _is_from_the_top(name: str, header: ast.expr) -> bool:
    expression = compile(ast.fix_missing_locations(ast.Expression(header)), name, "eval")
    orders = {length: list(eval(expression, {"chain": list(range(length))})) for length in LENGTHS}
    if all(order == list(range(length - 1)) for length, order in orders.items()):
        return False
    if all(order == list(range(length - 1, 0, -1)) for length, order in orders.items()):
        return True
    raise ValueError(f"{name} does not take the bands in order, one end aside: {orders}")
