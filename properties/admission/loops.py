"""A function with one loop over the bands of a chain, taken apart: what is before it, one turn of it, what is after.

Nothing is said again: each part is compiled from the function's own lines. That a loop does its turns one after the
other, over what its header lists, is taken from Python; that the header lists every band once, in which order, is
looked at for short chains.
"""

import ast
import builtins
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from properties.admission.code import Code

LENGTHS = range(2, 8)
"""The lengths of the chains for which the order of bands is looked at."""


class Order(Enum):
    """The order in which a loop takes the bands."""

    UP = "from the first to the one before the last"
    DOWN = "from the last to the second"
    BETWEEN = "from the second to the one before the last"

    def of(self, length: int) -> list[int]:
        """The bands of a chain of so many."""
        orders = {
            Order.UP: range(length - 1),
            Order.DOWN: range(length - 1, 0, -1),
            Order.BETWEEN: range(1, length - 1),
        }
        return list(orders[self])


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


def loop_of(code: Code, name: str, over: Order) -> Loop:
    """The loop of a function over `chain`.

    Raises:
        ValueError: the function is not a loop over these bands of `chain` with something before it and after it.
    """
    body = code.trees[name].body
    at = [i for i, statement in enumerate(body) if isinstance(statement, ast.For)]
    if len(at) != 1 or not isinstance(body[-1], ast.Return):
        raise ValueError(f"{name} is not one loop with an outcome")
    loop = body[at[0]]
    assert isinstance(loop, ast.For)  # it was chosen so
    _check_order(name, loop.iter, over)
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
    )


def _assigned(statement: ast.stmt) -> list[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _check_order(name: str, header: ast.expr, over: Order) -> None:
    """See that a header lists the chain, or the chain and other lists with an entry for each band, in step."""
    expression = compile(ast.fix_missing_locations(ast.Expression(header)), name, "eval")
    lists = {node.id for node in ast.walk(header) if isinstance(node, ast.Name)} - vars(builtins).keys()
    for length in LENGTHS:
        found = [_number(name, each) for each in eval(expression, {one: list(range(length)) for one in lists})]
        if found != over.of(length) or "chain" not in lists:
            raise ValueError(f"{name} does not take the bands {over.value}: of {length} it takes {found}")


def _number(name: str, listed: Any) -> int:
    """The band of which something is listed."""
    numbers = set(listed) if isinstance(listed, tuple) else {listed}
    if len(numbers) != 1:
        raise ValueError(f"{name} takes what is of several bands at once: {listed}")
    (number,) = numbers
    return int(number)
