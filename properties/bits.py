"""Terms over a few bits: each is made once, however often it is asked for, and folded where it is plain.

A formula written out over a small domain says most things many times. Here saying one again costs a look into a
table, and the solver is given each only once, when it is first asked about something that has it in it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import z3

from spec.logic import Term

BITS = 8
"""A number has so many, one of them for its sign."""

CONSTANT, NUMBER, TRUTH, ALL, ANY, NOT, IF, SAME, BELOW, UP_TO, SUM, DIFFERENCE, PRODUCT = range(13)
"""How a term is made of its parts."""

TRUTHS = frozenset({TRUTH, ALL, ANY, NOT, SAME, BELOW, UP_TO})
"""What makes a truth, whatever its parts are."""

_MADE_OF_TWO = {
    SAME: z3.Z3_mk_eq,
    BELOW: z3.Z3_mk_bvslt,
    UP_TO: z3.Z3_mk_bvsle,
    SUM: z3.Z3_mk_bvadd,
    DIFFERENCE: z3.Z3_mk_bvsub,
    PRODUCT: z3.Z3_mk_bvmul,
}


class Bits:
    """A number or a truth of which too little is known to be a plain one; comparing it makes another."""

    __slots__ = ("is_truth", "kind", "parts", "place", "pool", "value")

    def __init__(self, pool: "Pool", kind: int, parts: tuple[Any, ...], is_truth: bool) -> None:
        self.pool, self.kind, self.parts, self.is_truth = pool, kind, parts, is_truth
        self.place = len(pool.terms)
        self.value: int | bool | None = parts[0] if kind == CONSTANT else None

    __hash__ = None  # type: ignore[assignment]  # it is never a key

    def __eq__(self, other: object) -> "Bits":  # type: ignore[override]  # it makes a term
        return self.pool.same(self, other)

    def __ne__(self, other: object) -> "Bits":  # type: ignore[override]  # it makes a term
        return self.pool.negation(self.pool.same(self, other))

    def __lt__(self, other: Term) -> "Bits":
        return self.pool.compared(BELOW, self, other)

    def __le__(self, other: Term) -> "Bits":
        return self.pool.compared(UP_TO, self, other)

    def __gt__(self, other: Term) -> "Bits":
        return self.pool.compared(BELOW, other, self)

    def __ge__(self, other: Term) -> "Bits":
        return self.pool.compared(UP_TO, other, self)

    def __add__(self, other: Term) -> "Bits":
        return self.pool.computed(SUM, self, other)

    def __radd__(self, other: Term) -> "Bits":
        return self.pool.computed(SUM, other, self)

    def __sub__(self, other: Term) -> "Bits":
        return self.pool.computed(DIFFERENCE, self, other)

    def __rsub__(self, other: Term) -> "Bits":
        return self.pool.computed(DIFFERENCE, other, self)

    def __mul__(self, other: Term) -> "Bits":
        return self.pool.computed(PRODUCT, self, other)

    def __rmul__(self, other: Term) -> "Bits":
        return self.pool.computed(PRODUCT, other, self)


class Pool:
    """A place where terms are made, and found again if they were made before. It has the connectives of its terms."""

    def __init__(self) -> None:
        self.terms: list[Bits] = []
        self._known: dict[tuple[Any, ...], Bits] = {}
        self._asts: list[Any] = []
        self.context = z3.Context()
        self._kept = z3.AstVector(ctx=self.context)
        self.true, self.false = self.constant(True), self.constant(False)

    def __reduce__(self) -> Any:
        raise TypeError("a pool stays in its process")

    def constant(self, value: int | bool) -> Bits:
        """A plain value as a term."""
        known = self._known.get((CONSTANT, type(value), value))
        return known or self._new((CONSTANT, type(value), value), CONSTANT, (value,), value is True or value is False)

    def truth(self, label: str) -> Bits:
        """What bears a name, and of which nobody knows whether it is true."""
        return self._known.get((TRUTH, label)) or self._new((TRUTH, label), TRUTH, (label,), True)

    def number(self, label: str, among: range) -> Bits:
        """What bears a name, and is a number like these: the solver gets no more bits than they have.

        It may still be one that is just out of their range.
        """
        key = (NUMBER, label, among.start < 0, _width(among))
        return self._known.get(key) or self._new(key, NUMBER, key[1:], False)

    def term(self, x: Term) -> Bits:
        """A plain value as a term; a term stays what it is."""
        return x if type(x) is Bits else self.constant(x)

    def _new(self, key: tuple[Any, ...], kind: int, parts: tuple[Any, ...], is_truth: bool) -> Bits:
        made = self._known[key] = Bits(self, kind, parts, is_truth)
        self.terms.append(made)
        return made

    def _made(self, kind: int, *parts: Bits) -> Bits:
        key = (kind, *[part.place for part in parts])
        return self._known.get(key) or self._new(key, kind, parts, kind in TRUTHS)

    def same(self, x: Term, y: Term) -> Bits:
        """The two are equal."""
        one, other = self.term(x), self.term(y)
        if one is other:
            return self.true
        if one.value is not None and other.value is not None:
            return self.constant(one.value == other.value)
        return self._made(SAME, one, other) if one.place < other.place else self._made(SAME, other, one)

    def compared(self, how: int, x: Term, y: Term) -> Bits:
        """The first is below the second, or up to it."""
        one, other = self.term(x), self.term(y)
        if one is other:
            return self.constant(how == UP_TO)
        if one.value is not None and other.value is not None:
            return self.constant(one.value < other.value or (how == UP_TO and one.value == other.value))
        return self._made(how, one, other)

    def computed(self, how: int, x: Term, y: Term) -> Bits:
        """Their sum, difference or product."""
        one, other = self.term(x), self.term(y)
        if one.value is not None and other.value is not None:
            return self.constant(_computed(how, one.value, other.value))
        if other.value == (1 if how == PRODUCT else 0):
            return one
        return self._made(how, one, other)

    def conjunction(self, parts: Sequence[Term]) -> Bits:
        """All of them."""
        return self._connected(ALL, parts, self.true, self.false)

    def disjunction(self, parts: Sequence[Term]) -> Bits:
        """One of them."""
        return self._connected(ANY, parts, self.false, self.true)

    def _connected(self, how: int, parts: Sequence[Term], idle: Bits, decisive: Bits) -> Bits:
        different: dict[int, Bits] = {}
        for x in parts:
            part = self.term(x)
            if part is decisive:
                return decisive
            if part is not idle:
                different[part.place] = part
        if len(different) < 2:
            return next(iter(different.values()), idle)
        return self._made(how, *different.values())

    def negation(self, part: Term) -> Bits:
        """Not this one."""
        term = self.term(part)
        if term.value is not None:
            return self.constant(not term.value)
        return term.parts[0] if term.kind == NOT else self._made(NOT, term)

    def implication(self, condition: Term, conclusion: Term) -> Bits:
        """The second, if the first."""
        return self.disjunction([self.negation(condition), conclusion])

    def choice(self, condition: Term, yes: Term, no: Term) -> Bits:
        """One value or the other."""
        when, one, other = self.term(condition), self.term(yes), self.term(no)
        if when.value is not None:
            return one if when.value else other
        if one is other:
            return one
        key = (IF, when.place, one.place, other.place)
        return self._known.get(key) or self._new(key, IF, (when, one, other), one.is_truth)

    def asked(self, term: Term) -> z3.ExprRef:
        """A term as the solver's."""
        made = self.term(term)
        return (z3.BoolRef if made.is_truth else z3.BitVecRef)(self._ast(made), self.context)

    def _ast(self, term: Bits) -> Any:
        if len(self._asts) < len(self.terms):
            self._asts += [None] * (len(self.terms) - len(self._asts))
        known = self._asts[term.place]
        if known is None:
            known = self._asts[term.place] = self._written(term)
            # the solver forgets what nobody keeps
            z3.Z3_ast_vector_push(self.context.ref(), self._kept.vector, known)
        return known

    def _written(self, term: Bits) -> Any:
        kind, context = term.kind, self.context.ref()
        if kind == CONSTANT:
            return (
                z3.BoolVal(term.value, self.context) if term.is_truth else z3.BitVecVal(term.value, BITS, self.context)
            ).as_ast()
        if kind == TRUTH:
            return z3.Bool(term.parts[0], self.context).as_ast()
        if kind == NUMBER:
            label, is_signed, width = term.parts
            return (z3.SignExt if is_signed else z3.ZeroExt)(
                BITS - width, z3.BitVec(label, width, self.context)
            ).as_ast()
        parts = [self._ast(part) for part in term.parts]
        if kind in _MADE_OF_TWO:
            return _MADE_OF_TWO[kind](context, *parts)
        if kind == NOT:
            return z3.Z3_mk_not(context, *parts)
        if kind == IF:
            return z3.Z3_mk_ite(context, *parts)
        every = (z3.Ast * len(parts))(*parts)
        return (z3.Z3_mk_and if kind == ALL else z3.Z3_mk_or)(context, len(parts), every)


class Values:
    """What terms are in a model of the solver's."""

    def __init__(self, model: z3.ModelRef) -> None:
        self.named: Mapping[str, int | bool] = dict(_named(model))
        self._known: dict[int, int | bool] = {}

    def of(self, term: Term) -> int | bool:
        """The value of a term; what the model says nothing of is zero or false."""
        if type(term) is not Bits:
            return term  # type: ignore[no-any-return]  # it is plain
        if term.value is not None:
            return term.value
        known = self._known.get(term.place)
        if known is None:
            known = self._known[term.place] = self._found(term)
        return known

    def _found(self, term: Bits) -> int | bool:
        kind, parts = term.kind, term.parts
        if kind == TRUTH:
            return self.named.get(parts[0], False)
        if kind == NUMBER:
            label, is_signed, width = parts
            found = self.named.get(label, 0)
            return _wrapped(found, width) if is_signed else found
        if kind == ALL:
            return all(self.of(part) for part in parts)
        if kind == ANY:
            return any(self.of(part) for part in parts)
        if kind == NOT:
            return not self.of(parts[0])
        if kind == IF:
            return self.of(parts[1] if self.of(parts[0]) else parts[2])
        one, other = self.of(parts[0]), self.of(parts[1])
        if kind == SAME:
            return one == other
        if kind in (BELOW, UP_TO):
            return one < other or (kind == UP_TO and one == other)
        return _computed(kind, one, other)


def _named(model: z3.ModelRef) -> Iterator[tuple[str, int | bool]]:
    # a model has hundreds of them: this says what `model[declared]` does, without an object for each
    context, known = model.ctx.ref(), model.model
    for i in range(z3.Z3_model_get_num_consts(context, known)):
        declared = z3.Z3_model_get_const_decl(context, known, i)
        label = z3.Z3_get_symbol_string(context, z3.Z3_get_decl_name(context, declared))
        value = z3.Z3_model_get_const_interp(context, known, declared)
        truth = z3.Z3_get_bool_value(context, value)
        yield label, truth > 0 if truth else int(z3.Z3_get_numeral_string(context, value))


def _width(among: range) -> int:
    if among.start < 0:
        return 1 + max((-among.start - 1).bit_length(), (among.stop - 1).bit_length())
    return max(1, (among.stop - 1).bit_length())


def _wrapped(exact: int, width: int) -> int:
    half = 1 << (width - 1)
    return (exact + half) % (2 * half) - half


def _computed(how: int, one: int, other: int) -> int:
    return _wrapped(one + other if how == SUM else one - other if how == DIFFERENCE else one * other, BITS)
