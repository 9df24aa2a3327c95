"""The cases of a property: every way in which it says something, so that none of them can be empty.

"If a ticket holds the page, nobody moves it" is true of an arena in which no ticket ever holds anything. Such a
property is worth its name only if its condition is met by some legal state or step. So the formula of a property is
read once more, in a reading whose terms remember their *cases*:

- "if A then B" has the cases of B, each with A true;
- "A or B" has the cases of A with B false, and the cases of B with A false;
- "A and B" has the cases of A and the cases of B;
- "all X are ..." has the cases of what it says of X, each for some X;
- anything else has one case: always.

The reading needs a term for everything, also for what is plainly true, or the cases of different members would not
match. So members and entries are *raised* to terms: to the solver's, in order to search for an example of each case,
and to plain ones, in order to judge that example again without the solver.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from properties.readings import key_of
from spec.concrete import Domains
from spec.logic import Connectives, Term
from spec.ranges import Body
from spec.state import ARENA, Signature, State


class Claim:
    """What is said, and the conditions of its cases."""

    def __init__(self, said: Term, cases: tuple[Term, ...]) -> None:
        self.said, self.cases = said, cases


def said(term: Term) -> Term:
    """What a claim says; any other term says itself."""
    return term.said if isinstance(term, Claim) else term


class Terms(Protocol):
    """The terms to which plain values are raised, and their connectives."""

    @property
    def always(self) -> Term:
        """The term that is always true."""

    @property
    def connectives(self) -> Connectives:
        """The connectives of these terms."""

    def raised(self, value: Term) -> Term:
        """The term for a plain value."""

    def lowered(self, term: Term) -> Term:
        """The value that a term was raised from, if it was, for use in a key."""


class CaseConnectives:
    """Connectives that keep the cases of what they connect."""

    def __init__(self, terms: Terms) -> None:
        self.terms, self.plainly = terms, terms.connectives

    def cases(self, term: Term) -> tuple[Term, ...]:
        """The cases of a claim; any other term has one, always."""
        return term.cases if isinstance(term, Claim) else (self.terms.always,)

    def conjunction(self, parts: list[Term]) -> Term:
        """The cases of each part."""
        return Claim(self.all_of(parts), tuple(case for part in parts for case in self.cases(part)))

    def disjunction(self, parts: list[Term]) -> Term:
        """The cases of each part, where no other part is true."""
        cases = []
        for i, part in enumerate(parts):
            others = [self.plainly.negation(said(other)) for j, other in enumerate(parts) if j != i]
            cases += [self.all_of([*others, case]) for case in self.cases(part)]
        return Claim(self.plainly.disjunction([said(part) for part in parts]), tuple(cases))

    def negation(self, part: Term) -> Term:
        """One case."""
        return self.plainly.negation(said(part))

    def implication(self, condition: Term, conclusion: Term) -> Term:
        """The cases of the conclusion, where the condition is true."""
        cases = tuple(self.all_of([said(condition), case]) for case in self.cases(conclusion))
        return Claim(self.plainly.implication(said(condition), said(conclusion)), cases)

    def choice(self, condition: Term, yes: Term, no: Term) -> Term:
        """One case."""
        return self.plainly.choice(said(condition), said(yes), said(no))

    def all_of(self, parts: Sequence[Term]) -> Term:
        """What all of these say, without their cases."""
        return self.plainly.conjunction([said(part) for part in parts])


class CaseUniverse:
    """Enumeration that keeps the cases of what is said of all."""

    def __init__(self, terms: Terms, domains: Domains) -> None:
        self.terms, self.domains = terms, domains
        self.connectives = CaseConnectives(terms)

    def forall(self, sorts: list[str], body: Body) -> Term:
        """The cases of the body, each for some members."""
        claims = self._bodies(sorts, body)
        each = [self.connectives.cases(claim) for claim in claims]
        cases = tuple(self.terms.connectives.disjunction(list(same)) for same in zip(*each, strict=True))
        return Claim(self.connectives.all_of(claims), cases)

    def exists(self, sorts: list[str], body: Body) -> Term:
        """One case."""
        return self.terms.connectives.disjunction([said(claim) for claim in self._bodies(sorts, body)])

    def _bodies(self, sorts: list[str], body: Body) -> list[Term]:
        return [body(*[self.terms.raised(x) for x in xs]) for xs in self.domains.tuples(sorts)]


class CaseReading:
    """The reading in which terms remember their cases."""

    def __init__(self, terms: Terms, domains: Domains, signature: Signature = ARENA) -> None:
        self.terms, self.signature = terms, signature
        self.connectives = CaseConnectives(terms)
        self.universe = CaseUniverse(terms, domains)

    def cases(self, holds: Callable[..., Term], *states: State) -> tuple[Term, ...]:
        """The cases of a property of these states; to be called inside `reading(self)`."""
        return self.connectives.cases(holds(*[self._raised(s) for s in states]))

    def _raised(self, s: State) -> State:
        made_of = {**self.signature.fields, **self.signature.constants}
        tables = {name for name, field in made_of.items() if field.keys}
        values = {name: getattr(s, name) for name in made_of}
        return State(
            **{
                name: RaisedMap(value, self.terms) if name in tables else self.terms.raised(value)
                for name, value in values.items()
            }
        )


class RaisedMap:
    """A map whose entries are read as terms."""

    def __init__(self, entries: Any, terms: Terms) -> None:
        self.entries, self.terms = entries, terms

    def __getitem__(self, key: Term) -> Term:
        lowered = tuple(self.terms.lowered(part) for part in key_of(key))
        return self.terms.raised(self.entries[lowered if len(lowered) > 1 else lowered[0]])
