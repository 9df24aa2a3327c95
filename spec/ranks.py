"""Ranks: the processes of one tensor-parallel group, each with an arena and a device of its own.

They make the same calls and are told the same completions, in the same order; so they must come to the same decisions.
When a write lands, and what bytes say, each sees for itself.
"""

from collections.abc import Mapping

from spec.logic import And, Implies, Term
from spec.ranges import Forall
from spec.state import FIELDS, State

PROPERTIES: Mapping[str, str] = {
    "rank-agreement": "The same calls and the same completions give the same ids, the same ledger and the same layout "
    "on every rank, whatever its bytes are and whenever its writes land.",
}
"""It is spoken of two arenas at once, not of one."""

PRIVATE = frozenset({"bytes", "written", "flying", "flyer", "arriving"})
"""The fields in which ranks may differ, besides all that a device adds: contents, and writes on their way."""

OBSERVED = tuple(name for name in FIELDS if name not in PRIVATE)
"""Those on which all agree."""

ALONE = frozenset({"land", "tear"})
"""What happens on one rank while nothing happens on the others."""

AWAITED = frozenset({"all its writes have landed"})
"""What a rank asks of its own device. An action whose guard asks is called when every rank has seen it to be so."""


def agree(s: State, other: State) -> Term:
    """The two ranks observe the same."""
    return And(*[same(s, other, name) for name in OBSERVED])


def ranks_agree(one: State, other: State, one_then: State, other_then: State) -> Term:
    """Two ranks that agree still do after the same action."""
    return Implies(agree(one, other), agree(one_then, other_then))


def same(s: State, other: State, name: str) -> Term:
    """A field of the two is the same."""
    ours, theirs = getattr(s, name), getattr(other, name)
    return Forall(FIELDS[name].keys, lambda *key: ours[_key(key)] == theirs[_key(key)])


def _key(key: tuple[Term, ...]) -> Term:
    return key if len(key) > 1 else key[0]
