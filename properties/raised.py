"""Terms for everything: members and entries are raised to them, so that no condition is ever plainly true or false."""

from typing import Any

from properties.bits import Bits, Pool
from spec.logic import Connectives, Term


class BitTerms:
    """The terms of the small reading."""

    def __init__(self, pool: Pool) -> None:
        self.always: Term = pool.true
        self.connectives: Connectives = pool
        self.pool = pool

    def raised(self, value: Term) -> Term:
        """A constant."""
        return self.pool.term(value)

    def lowered(self, term: Term) -> Term:
        """A constant as the value it is; a term stays what it is."""
        return term if not isinstance(term, Bits) or term.value is None else term.value


class Truth:
    """A plain truth, raised."""

    def __init__(self, value: bool) -> None:
        self.value = value


class Figure:
    """A plain number, raised: comparing it gives a raised truth."""

    __slots__ = ("value",)

    def __init__(self, value: int) -> None:
        self.value = value

    def __eq__(self, other: object) -> Truth:  # type: ignore[override]  # as a solver's term does
        return Truth(self.value == number(other))

    def __ne__(self, other: object) -> Truth:  # type: ignore[override]  # as a solver's term does
        return Truth(self.value != number(other))

    __hash__ = None  # type: ignore[assignment]  # it is never a key

    def __lt__(self, other: Any) -> Truth:
        return Truth(self.value < number(other))

    def __le__(self, other: Any) -> Truth:
        return Truth(self.value <= number(other))

    def __gt__(self, other: Any) -> Truth:
        return Truth(self.value > number(other))

    def __ge__(self, other: Any) -> Truth:
        return Truth(self.value >= number(other))

    def __add__(self, other: Any) -> "Figure":
        return Figure(self.value + number(other))

    def __sub__(self, other: Any) -> "Figure":
        return Figure(self.value - number(other))


def number(x: Any) -> int:
    """The number that is raised or plain."""
    return x.value if isinstance(x, Figure) else int(x)


class _TruthConnectives:
    def conjunction(self, parts: list[Term]) -> Term:
        return Truth(all(part.value for part in parts))

    def disjunction(self, parts: list[Term]) -> Term:
        return Truth(any(part.value for part in parts))

    def negation(self, part: Term) -> Term:
        return Truth(not part.value)

    def implication(self, condition: Term, conclusion: Term) -> Term:
        return Truth(not condition.value or conclusion.value)

    def choice(self, condition: Term, yes: Term, no: Term) -> Term:
        return yes if condition.value else no


class PlainTerms:
    """Python values, raised."""

    def __init__(self) -> None:
        self.always: Term = Truth(True)
        self.connectives = _TruthConnectives()

    def raised(self, value: Term) -> Term:
        """A truth or a figure."""
        if isinstance(value, Truth | Figure):
            return value
        return Truth(value) if isinstance(value, bool) else Figure(value)

    def lowered(self, term: Term) -> Term:
        """The value that was raised."""
        return term.value if isinstance(term, Figure | Truth) else term
