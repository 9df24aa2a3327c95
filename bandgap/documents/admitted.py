"""What is proved of admission, gathered from its registries."""

from collections.abc import Iterator, Mapping, Sequence

from bandgap.documents.catalogue import FaultEntry, all_faults
from bandgap.documents.entries import Style, of_faults, of_obligations
from bandgap.documents.markdown import bullets, code, fenced, listed, sentence
from bandgap.documents.stories.admission import CROWDED, EXAMPLES, Decision, decided, objection, retried
from properties.admission.asking import SEEDED
from properties.admission.theorem import Theorem
from properties.admission.theorems import THEOREMS
from properties.obligations import Kind, Obligation
from properties.selection import everything

PROSE: Mapping[str, str] = {
    "admission-sound": "What is admitted can be done: legal steps lead there, and the allocation succeeds.",
    "admission-complete": "What is refused cannot be done: no legal layout has room for it.",
    "lowest-step": "A demand is met by the lowest step that can meet it, and settles no more than that needs.",
    "fewest-bytes": "Of all layouts that its step allows, a plan leads to one for which the fewest bytes move.",
    "reachable": "The layout that a step promises is reached by legal actions, one after the other.",
    "honest-refusal": "A refusal says the first reason that is true, and what it names suffices.",
    "retry-terminates": "Doing what a refusal says, and asking again, comes to an end.",
    "rank-agreement": "The same calls and the same completions lead to the same decisions on every rank.",
}
"""What each property of admission says."""


OF_ACTIONS: Mapping[str, str] = {
    "ranks-agree": "Ranks that agree still do after the same action, or, of what a device does by itself, when one of "
    "them alone has had it:",
    "counts-are-kept": "The counters of live pages, withheld ones and holes count them still after",
}
"""What theorems say of every action, by what their names begin with."""


def by_property() -> dict[str, list[tuple[str, Theorem]]]:
    """The theorems about admission, by the property that they belong to."""
    found: dict[str, list[tuple[str, Theorem]]] = {name: [] for name in PROSE}
    for name, theorem in THEOREMS.items():
        found.setdefault(theorem.property, []).append((name, theorem))
    return found


def shown(theorems: Sequence[tuple[str, Theorem]]) -> Iterator[str]:
    """What theorems say, a line for each; those that say the same of every action in one line."""
    of_actions: dict[str, list[str]] = {prefix: [] for prefix in OF_ACTIONS}
    for name, theorem in theorems:
        prefix, _, action = name.partition(".")
        if prefix in of_actions:
            of_actions[prefix].append(action)
        else:
            yield f"{code(name)}: {theorem.prose}"
    for prefix, actions in of_actions.items():
        if actions:
            yield f"{code(prefix)}: {OF_ACTIONS[prefix]} {listed([code(action) for action in actions])}."


def faults_of(claim: str) -> Sequence[FaultEntry]:
    """The seeded faults that must break a property of admission, in the arithmetic and in the code."""
    of_proofs = [
        FaultEntry(fault.name, fault.says, "arithmetic", claim, fault.precedent)
        for fault in SEEDED.values()
        if fault.property == claim
    ]
    return [*of_proofs, *(fault for fault in all_faults() if fault.property == claim)]


def obligations_of(claim: str) -> tuple[Obligation, ...]:
    """What is shown of a property of admission."""
    return tuple(one for one in everything().obligations if one.kind is Kind.ADMISSION and one.property == claim)


def admission_parts(claim: str, style: Style) -> Iterator[str]:
    """What is said of a property of admission, below its heading."""
    yield PROSE[claim]
    yield style.heading("Example")
    case, fault = EXAMPLES[claim]
    decisions = retried(CROWDED) if claim == "retry-terminates" else (decided(case),)
    for decision in decisions:
        yield from decision_blocks(decision, style)
    if fault:
        yield f"With the seeded fault {code(fault)} the fuzzer's oracle objects:"
        yield fenced([objection(case, fault)])
    yield style.heading("Proved")
    yield "For any number of bands, pages and tickets:"
    yield bullets(shown(by_property()[claim]))
    yield from of_obligations(obligations_of(claim), claim, style)
    yield style.heading("Seeded faults that must break it")
    yield of_faults(faults_of(claim), style)


def decision_blocks(decision: Decision, style: Style) -> Iterator[str]:
    """A decision, drawn, with what was asked and done."""
    asked = f"Pages asked for, by band: {', '.join(map(str, decision.demand))}. {decision.said}"
    yield style.draw([("before", decision.before.arena), ("after", decision.after.arena)], asked)
    yield style.fold("What was asked and done", bullets(sentence(line) for line in decision.after.said))
