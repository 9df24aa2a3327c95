"""Questions as text in SMT-LIB 2, which any solver reads: what is given, by name, and the goal denied."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import z3

GOAL = "the goal is false"
"""The name of the assertion that denies the goal."""

Named = tuple[str, Any]
"""A formula and its name."""


class Writer:
    """A writer of questions as texts; what several of them are given is looked at once."""

    def __init__(self) -> None:
        self._known: dict[int, _Formula] = {}

    def text(self, parts: Sequence[Named], status: str, about: str, logic: str = "ALL") -> str:
        """A file's text: `status` is what the answer must be, `sat` or `unsat`; `about` is told in its header.

        It is the same whenever it is written: bound variables are numbered as they come.
        """
        names = unique(name for name, _ in parts)
        formulas = [self._looked_at(formula) for _, formula in parts]
        lines = [
            *[f"; {line}" for line in about.splitlines()],
            "(set-info :smt-lib-version 2.6)",
            f"(set-info :status {status})",
            "(set-option :produce-unsat-cores true)",
            f"(set-logic {logic})",
            *_declarations(formulas),
            *[
                f"(assert (! {formula.said} :named {_quoted(name)}))"
                for name, formula in zip(names, formulas, strict=True)
            ],
            "(check-sat)",
        ]
        return _renumbered("\n".join(lines) + "\n")

    def _looked_at(self, formula: Any) -> "_Formula":
        # the number of a formula is its own as long as somebody has it
        number = formula.get_id()
        if number not in self._known:
            self._known[number] = _Formula.of(formula)
        return self._known[number]


@dataclass(frozen=True)
class _Formula:
    formula: Any
    said: str
    functions: tuple[z3.FuncDeclRef, ...]
    sorts: frozenset[str]
    """The sorts of which nothing is known, also where there is no function of them and yet something is said of all."""

    @staticmethod
    def of(formula: Any) -> "_Formula":
        every = list(_within([formula]))
        found = _functions(every)
        bound = [q.var_sort(i) for q in every if z3.is_quantifier(q) for i in range(q.num_vars())]
        sorts = [sort for sort in (*bound, *_sorts(found)) if sort.kind() == z3.Z3_UNINTERPRETED_SORT]
        return _Formula(formula, formula.sexpr(), tuple(found), frozenset(sort.name() for sort in sorts))


def unique(names: Iterable[str]) -> list[str]:
    """The names, with a number behind those that were there before."""
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _quoted(name: str) -> str:
    """As a symbol, which may have anything in it but these two."""
    return "|" + re.sub(r"[|\\]", "/", name) + "|"


def _renumbered(written: str) -> str:
    """The solver numbers what it makes from the beginning of its process; here, from the beginning of the text."""
    numbers: dict[str, dict[str, int]] = {}

    def again(found: re.Match[str]) -> str:
        word, number = found.groups()
        of_word = numbers.setdefault(word, {})
        return f"{word}!{of_word.setdefault(number, len(of_word) + 1)}"

    return re.sub(r"\b(\w+)!(\d+)\b", again, written)


def _declarations(formulas: Iterable[_Formula]) -> Iterator[str]:
    every = list(formulas)
    found = {f.name(): f for formula in every for f in formula.functions}
    for name in sorted(set().union(*[formula.sorts for formula in every])):
        yield f"(declare-sort {z3.DeclareSort(name).sexpr()} 0)"
    yield from (f.sexpr() for f in sorted(found.values(), key=_place))


def _place(function: z3.FuncDeclRef) -> list[tuple[str, int]]:
    """Numbers in a name are in their order, however many digits they have."""
    parts = re.split(r"(\d+)", str(function.name()))
    return [("", int(part)) if part.isdigit() else (part, 0) for part in parts]


def _sorts(of: Iterable[z3.FuncDeclRef]) -> Iterator[z3.SortRef]:
    for function in of:
        yield function.range()
        yield from (function.domain(i) for i in range(function.arity()))


def functions(formulas: Iterable[Any]) -> list[z3.FuncDeclRef]:
    """Every function and constant of which nothing is known but what is said here."""
    return _functions(_within(formulas))


def _functions(terms: Iterable[Any]) -> list[z3.FuncDeclRef]:
    apart = (term.decl() for term in terms if z3.is_app(term))
    return list({f.name(): f for f in apart if f.kind() == z3.Z3_OP_UNINTERPRETED}.values())


def _within(formulas: Iterable[Any]) -> Iterator[Any]:
    """The formulas and all that they are made of, each once."""
    seen: set[int] = set()
    waiting = list(formulas)
    while waiting:
        term = waiting.pop()
        if term.get_id() in seen:
            continue
        seen.add(term.get_id())
        yield term
        if z3.is_quantifier(term):
            waiting.append(term.body())
            waiting += [term.pattern(i) for i in range(term.num_patterns())]
        elif z3.is_app(term):
            waiting += term.children()
