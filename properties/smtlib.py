"""Questions as text in SMT-LIB 2, which any solver reads: what is given, by name, and the goal denied."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import z3

GOAL = "the goal is false"
"""The name of the assertion that denies the goal."""

Named = tuple[str, Any]
"""A formula and its name."""


def text(parts: Sequence[Named], status: str, about: str, logic: str = "ALL") -> str:
    """A file's text: `status` is what the answer must be, `sat` or `unsat`; `about` is told in its header.

    It is the same whenever it is written: bound variables are numbered as they come.
    """
    lines = [
        *[f"; {line}" for line in about.splitlines()],
        "(set-info :smt-lib-version 2.6)",
        f"(set-info :status {status})",
        "(set-option :produce-unsat-cores true)",
        f"(set-logic {logic})",
        *_declarations(formula for _, formula in parts),
        *_assertions(parts),
        "(check-sat)",
    ]
    return _renumbered("\n".join(lines) + "\n")


def unique(names: Iterable[str]) -> list[str]:
    """The names, with a number behind those that were there before."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _renumbered(written: str) -> str:
    """The solver numbers what it makes from the beginning of its process; here, from the beginning of the text."""
    numbers: dict[str, dict[str, int]] = {}

    def again(found: re.Match[str]) -> str:
        word, number = found.groups()
        of_word = numbers.setdefault(word, {})
        return f"{word}!{of_word.setdefault(number, len(of_word) + 1)}"

    return re.sub(r"\b(\w+)!(\d+)\b", again, written)


def _assertions(parts: Sequence[Named]) -> Iterator[str]:
    names = unique(name for name, _ in parts)
    for name, (_, formula) in zip(names, parts, strict=True):
        # A quoted symbol may have anything in it but these two.
        symbol = re.sub(r"[|\\]", "/", name)
        yield f"(assert (! {formula.sexpr()} :named |{symbol}|))"


def _declarations(formulas: Iterable[Any]) -> Iterator[str]:
    found = functions(formulas)
    sorts = {sort.name() for f in found for sort in _sorts(f) if sort.kind() == z3.Z3_UNINTERPRETED_SORT}
    yield from (f"(declare-sort {z3.DeclareSort(name).sexpr()} 0)" for name in sorted(sorts))
    yield from (f.sexpr() for f in sorted(found, key=_place))


def _place(function: z3.FuncDeclRef) -> list[tuple[str, int]]:
    """Numbers in a name are in their order, however many digits they have."""
    parts = re.split(r"(\d+)", str(function.name()))
    return [("", int(part)) if part.isdigit() else (part, 0) for part in parts]


def _sorts(function: z3.FuncDeclRef) -> list[z3.SortRef]:
    return [function.range(), *[function.domain(i) for i in range(function.arity())]]


def functions(formulas: Iterable[Any]) -> list[z3.FuncDeclRef]:
    """Every function and constant of which nothing is known but what is said here."""
    found: dict[str, z3.FuncDeclRef] = {}
    seen: set[int] = set()
    waiting = list(formulas)
    while waiting:
        term = waiting.pop()
        if term.get_id() in seen:
            continue
        seen.add(term.get_id())
        if z3.is_quantifier(term):
            waiting.append(term.body())
            waiting += [term.pattern(i) for i in range(term.num_patterns())]
        elif z3.is_app(term):
            if term.decl().kind() == z3.Z3_OP_UNINTERPRETED:
                found[term.decl().name()] = term.decl()
            waiting += term.children()
    return list(found.values())
