"""What is proved of admission, gathered from its registries."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap

from bandgap.documents.catalogue import FaultEntry, all_faults
from bandgap.documents.entries import Style, of_faults, of_obligations, word_lines
from bandgap.documents.formulas import promised
from bandgap.documents.formulas.layout import WIDTH
from bandgap.documents.formulas.reading import Definition
from bandgap.documents.markdown import bullets, code, fenced, sentence, table
from bandgap.documents.stories.admission import (
    CROWDED,
    EXAMPLES,
    WRONG,
    Case,
    Decision,
    decided,
    misled,
    objection,
    retried,
)
from bandgap.documents.stories.moved import with_moves
from bandgap.documents.stories.promised import asked, asked_of_a_retry, asked_of_ranks, bytes_moved
from bandgap.documents.stories.violated import names_in, smallest
from bandgap.phrases import listed
from properties.admission.asking import SEEDED
from properties.admission.faults import FAULTS
from properties.admission.theorem import Theorem
from properties.admission.theorems import THEOREMS
from properties.obligations import Kind, Obligation
from properties.selection import everything
from spec.admission.promises import PROMISES
from spec.counts import RETIRING

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
            leans = f" Given {listed([code(other) for other in theorem.leans_on])}." if theorem.leans_on else ""
            yield f"{code(name)}: {theorem.prose}{leans}"
    for prefix, actions in of_actions.items():
        if actions:
            yield f"{code(prefix)}: {OF_ACTIONS[prefix]} {listed([code(action) for action in actions])}."


def repeated(claim: str) -> int:
    """How many of a property's theorems say the same of one action each."""
    return sum(name.partition(".")[0] in OF_ACTIONS for name, _ in by_property()[claim])


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
    yield from promise_blocks(claim, style)
    yield style.heading("Example")
    for said, decision in _decisions(claim):
        yield said
        yield from decision_blocks(decision, style)
    yield _kept(claim, EXAMPLES[claim])
    if claim == "fewest-bytes":
        yield _dearer(EXAMPLES[claim])
    if claim in WRONG:
        yield from _decided_wrongly(claim, style)
    else:
        yield "No seeded fault of the code is named by it; below is one of the arithmetic that breaks it."
    yield style.heading("Proved")
    yield f"For any number of bands, pages and tickets. {LINKS} {style.proof}"
    yield bullets(shown(by_property()[claim]))
    yield from of_obligations(obligations_of(claim), claim, style)
    yield style.heading("What violates it")
    yield from violation_blocks(claim)
    yield "Seeded faults that must break it:"
    yield of_faults(faults_of(claim), style)


LINKS = "These are links: each is the solver's; that they join into the formula is read by people, and tested."
"""What the theorems of a property of admission are."""


def _decisions(claim: str) -> Sequence[tuple[str, Decision]]:
    """What the example of a property shows, each with what is said before."""
    case = EXAMPLES[claim]
    match claim:
        case "retry-terminates":
            return list(zip(("A demand is refused:", "What it asks for is given up:"), retried(case), strict=True))
        case "rank-agreement":
            told = "Two ranks were told the same, and are asked the same. "
            return [(f"{told}The first:", decided(case)), ("The second:", decided(case))]
    return [("", decided(case))]


def _decided_wrongly(claim: str, style: Style) -> Iterator[str]:
    """What an allocator with a seeded fault says of a case, and what is said of that."""
    case, fault = WRONG[claim]
    assert not asked(claim, case, fault).kept, fault
    wrong, right = misled(case, fault), decided(case)
    yield f"An allocator with the seeded fault {code(fault)} is asked for {_wanted(wrong)} in this arena:"
    yield style.draw([("nothing is done yet", wrong.before.arena)], "")
    yield (
        f"It decides wrongly: *{wrong.said}* Without the fault: *{right.said}* The formula is false of the wrong "
        "decision, and the fuzzer's oracle objects:"
    )
    yield fenced([objection(case, fault)])


def _dearer(case: Case) -> str:
    """How many layouts there were to choose from, and what they would have cost."""
    moved = bytes_moved(case)
    assert moved[0] < moved[-1]
    return (
        f"{len(moved):,} layouts solve it in this step. They move from {moved[0]:,} to {moved[-1]:,} bytes; the plan's "
        f"moves {moved[0]:,}."
    )


def promise_blocks(claim: str, style: Style) -> Iterator[str]:
    """The formula of a property, and what its names and words say."""
    yield f"{promised.prose(claim)} {promised.about(claim)}\n\n{fenced(promised.formula(claim))}"
    names = promised.named_in(claim)
    yield style.how_to_read
    if names:
        yield table(("here", "is"), [(code(name), prose) for name, prose in names])
    yield style.fold("The words of this formula", fenced(named_word_lines(promised.words(claim))))


def named_word_lines(words: Sequence[tuple[Definition, tuple[str, ...]]]) -> list[str]:
    """Words in lines, each as it is written where states go by names; see `word_lines`."""
    return [line for word, said in words for line in word_lines(promised.named_call(word), word.prose, said)]


def all_words() -> list[tuple[Definition, tuple[str, ...]]]:
    """The words of all promises, each once."""
    found = {word.name: (word, said) for claim in PROMISES for word, said in promised.words(claim)}
    return [found[name] for name in sorted(found)]


def _kept(claim: str, case: Case) -> str:
    if claim == "retry-terminates":
        kept = asked_of_a_retry(CROWDED)
    elif claim == "rank-agreement":
        kept = asked_of_ranks(case)
    else:
        kept = asked(claim, case)
    assert kept.kept, claim
    among = f", going through all {kept.layouts:,} layouts of this arena" if claim in OF_LAYOUTS else ""
    return f"When this page was made, the formula was asked of this{among}, and was true."


OF_LAYOUTS = frozenset({"admission-complete", "lowest-step", "fewest-bytes", "honest-refusal"})
"""The properties whose formulas say something of every layout."""


def violation_blocks(claim: str) -> Iterator[str]:
    """A seeded fault, and the smallest case in which it shows."""
    fault, theorem, case = smallest(claim)
    yield (
        f"With the seeded fault {code(f'admission/{fault}')} ({FAULTS[fault].says}) the theorem {code(theorem)} is "
        f"false of this small case, found by the prover and judged again in plain values when this page was made:"
    )
    yield fenced(wrap(case, WIDTH))
    yield "Its numbers are named by what they are and of what:"
    yield table(("here", "is"), [(code(name), says) for name, says in names_in(case)])


def counted_blocks(style: Style) -> Iterator[str]:
    """What is said of conservation as counts."""
    yield style.heading("Counted")
    yield (
        "The same is shown of counts. Nobody counts pages where a decision has to be quick: there are counters, which "
        "every action keeps. What each does to them, of one band:"
    )
    yield table(
        ("action", "live", "withheld", "holes"),
        [(style.link(name), *[each and code(each) for each in change]) for name, change in promised.changes()],
    )
    others = listed([style.link(name) for name in sorted(RETIRING)])
    yield f"With {others}, withheld pages become holes, as many as no other ticket holds. No other action changes any."
    yield from promise_blocks("conservation", style)
    yield bullets(shown(by_property()["conservation"]))
    yield from violation_blocks("conservation")


def _wanted(decision: Decision) -> str:
    """How many pages of which bands are asked for."""
    bands = decision.before.arena.bands
    return listed([f"{count} of {band.name}" for count, band in zip(decision.demand, bands, strict=True) if count])


def decision_blocks(decision: Decision, style: Style) -> Iterator[str]:
    """A decision, drawn, with what was asked and done."""
    before, after = with_moves(decision.before.arena, decision.after.arena)
    asked = f"Pages asked for: {_wanted(decision)}. {decision.said}"
    if before == after:
        yield style.draw([("before and after", before)], asked)
        yield asked
    else:
        yield style.draw([("before", before), ("after", after)], asked)
    yield style.fold("What was asked and done", bullets(sentence(line) for line in decision.after.said))
