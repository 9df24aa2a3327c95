"""What the proofs take as given without showing it, each with what answers for it.

Axioms are not among them: each is shown of computed addresses, as a lemma. Invariants are not either: that they hold
at the start and outlive every action is what is proved. What remains is listed here by the name under which a scene
gives it, and `unlisted` says what is not.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from properties.obligations import Kind
from properties.readings import reading
from properties.scenes import Scene, scene
from properties.specification import Specification
from properties.unbounded import Unbounded


@dataclass(frozen=True)
class Assumption:
    """Something that is taken as given."""

    prose: str
    answered: str
    """What makes it true of a real allocator, or who is trusted for it."""


ASSUMPTIONS: Mapping[str, Assumption] = {
    "range": Assumption(
        "A band is one of the chain's, 0 to bands - 1; a mode is none, read or write. Where addresses are computed, no "
        "page has fewer than no bytes.",
        "the judge: a record of another band, or with another mode, is none of a trace, and a header whose pages have "
        "no byte is refused",
    ),
    "initial": Assumption(
        "At the start the spans are a legal layout, every page is free, and nothing is referenced, held, in flight, "
        "queued or published.",
        "the judge: it evaluates every invariant on the snapshot with which a trace begins, whatever state that is",
    ),
}
"""All assumptions, by the name that a scene gives them."""

ENCODINGS: Mapping[str, Assumption] = {
    "opaque sorts": Assumption(
        "Ids, tickets, publishers, values and accesses can be told apart and nothing else.",
        "nothing: the specification's functions only ever compare them",
    ),
    "fields are functions": Assumption(
        "A field has a value for every key, whatever it is; numbers are whole and have no end.",
        "the judge's tables give every key that was never set a default; a record's numbers are below 2 to the 62",
    ),
    "addresses": Assumption(
        "Nothing is known of addresses but the axioms. No proof multiplies a page's number by its bytes.",
        "the lemmas, which show the axioms of origin + page x page bytes",
    ),
    "counterexamples": Assumption(
        "A counterexample is believed only when it was judged again in plain values; a proof is the solver's word.",
        "the seeded faults: a solver that proves too much proves one of them",
    ),
}
"""How the specification is put to the solver; nothing here is a formula that could be left out."""


def given_at(specification: Specification, stage: str) -> Scene:
    """What the obligations of a stage may lean on, for any arena."""
    unbounded = Unbounded(specification.signature)
    with reading(unbounded):
        return scene(unbounded, specification, stage)


def stages(specification: Specification) -> tuple[str, ...]:
    """Every stage at which something is shown."""
    return (*[specification.stage(kind) for kind in (Kind.LEMMA, Kind.INITIAL, Kind.THEOREM)], *specification.actions)


def unlisted(specification: Specification, at: Scene, stage: str) -> tuple[str, ...]:
    """What a scene gives that is neither shown elsewhere, nor a sentence of the action's guard, nor listed here."""
    known = {*specification.axioms, *specification.invariants, *ASSUMPTIONS}
    if stage in specification.actions:
        known |= _sentences(specification, stage)
    return tuple(dict.fromkeys(name for name, _ in at.given if name not in known))


def _sentences(specification: Specification, stage: str) -> set[str]:
    unbounded = Unbounded(specification.signature)
    action = specification.actions[stage]
    with reading(unbounded):
        s, _ = unbounded.any_state()
        arguments, _ = unbounded.any_arguments(action)
        return {text for text, _, _ in action.guard(s, *arguments)}
