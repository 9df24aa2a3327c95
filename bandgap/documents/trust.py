"""`docs/trust.md`: what is taken on trust, and what answers for everything else."""

from collections import Counter
from collections.abc import Iterator

from bandgap.documents.admitted import PROSE as PROSE_OF_ADMISSION
from bandgap.documents.admitted import by_property, repeated, shown
from bandgap.documents.catalogue import all_faults, catalogue
from bandgap.documents.markdown import bullets, code, joined, sentence, table
from bandgap.documents.necessity import left_out
from bandgap.documents.planning import planning_blocks
from bandgap.documents.precedents import MEANS as MEANS_OF_PRECEDENTS
from bandgap.documents.semantics import NOTE
from bandgap.phrases import listed
from properties.admission.asking import SEEDED
from properties.assumptions import ASSUMPTIONS, ENCODINGS, given_at, stages
from properties.contracts.contract import CONTRACTS
from properties.contracts.known import breaking
from properties.obligations import Kind, obligations
from properties.selection import everything
from properties.specification import SPECIFICATIONS, written
from properties.trials import REDUNDANT
from spec.judge.checks import CHECKS

CLAIM = """\
Three statements, each by its own means:

1. **The specification keeps its promises.** Proved, for any arena, any bands, any page sizes, any number of pages,
   tickets and ids. Trusted: the solver, Python, and what is listed here.
2. **The code obeys the specification.** Tested: every call and step of an allocator that is driven is judged, and every
   byte that was written is read back. Trusted: the driver, and that it asks for what an engine would.
3. **The checkers can fail.** Shown: each guard sentence is left out and each seeded fault is planted, and the property
   that is named must break."""

MEANS = (
    "Of every obligation the solver says that its negation cannot be: no arena of any size, with any number of bands, "
    "pages, tickets and ids and pages of any size, is a counterexample.",
    "What each of them is given can be: so nothing is proved of nothing.",
    "Every sentence of a guard is needed, and for each theorem of states an invariant ([which are left out]"
    "(#that-the-checkers-can-fail)), and every seeded fault in the specification and in the arithmetic is refuted by "
    "the property that it names: so the obligations can fail.",
    "Everything had an answer. What the solver does not decide is red.",
)
"""What follows from a green proof."""

MEANS_NOT = (
    (
        "That the allocator does what the specification says.",
        "Proofs are about the specification, and about those lines of the allocator that theorems run "
        "([which](#planning-function-by-function)). Everything else of it is judged while it runs: a call that nobody "
        "made has not been judged.",
    ),
    (
        "That a property of admission holds of `Admission.plan` as a whole.",
        "Its theorems are links: each is the solver's, but that they join into the property is read by people, and "
        "tested against searches through everything there is. Where a theorem takes another as given it says so "
        "(`leans_on`), and both are asked.",
    ),
    (
        "That it ends, or how soon.",
        "Nothing is said of time. That planning and retrying come to an end is shown by counts that fall; the turns of "
        "a Python loop are taken on trust.",
    ),
    (
        "That the device does its part.",
        "Streams, events and landing writes are modelled as below; kernels are compared with their twins, which is "
        "testing.",
    ),
    ("That there is no other way to lose data.", "What is not modelled is listed, too."),
)
"""What does not."""

MODELLED = (
    ("spans, holes, gaps and their order in the arena", "as maps from pages and bands, with addresses in bytes"),
    ("virtual ids, references, sharing and copies", "as maps; ids are opaque"),
    ("tickets: forward passes, host copies, transfers", "by what they hold, and by which of them runs before which"),
    ("writes", "are issued to an address and land later, on whatever is there then; what overlaps becomes garbage"),
    ("the allocator's own stream", "by what it may still do with a page, until it is seen to have caught up"),
    ("the gate", "as the set of those who have published addresses"),
    ("accesses of the device, its page table included", "one by one, in any order that streams and events allow"),
)

NOT_MODELLED = (
    (
        "what the bytes mean",
        "a page holds one value, or garbage; rows, dtypes and strides are the layout's, which is tested",
    ),
    ("time", "nothing is fast or slow; what is outstanding may stay so for ever"),
    ("threads", "one thread owns an allocator; calls from several at once are misuse"),
    ("the host's memory", "numpy's arrays are taken to hold what was written to them"),
    ("caches and memory ordering within a kernel", "an access happens at one moment, or is torn"),
    (
        "several ranks at once",
        "each has an arena of its own; that every action keeps two in agreement is proved, that the allocator does is "
        "tested",
    ),
    ("hardware that fails", "a GPU, a network or a host that loses or changes bytes"),
)

TOOLS = (
    ("Z3", "answers `unsat` only where it is; `unknown` is never a pass; by night cvc5 must not say otherwise"),
    ("CrossHair", "says that all paths are confirmed only where they are; anything less is never a pass"),
    ("Python and numpy", "run the specification and the allocator as they are written"),
    ("the driver and a target's adapter", "write down the calls that were really made"),
    ("Hypothesis, pytest and the gate's processes", "run what they say they ran; counts and canaries are asserted"),
    (
        "the compiler and the device",
        "do what the kernels say; see [device facts](device-facts.md) for what is known of that",
    ),
)


SECOND = """\
Nobody has to believe one solver: `bandgap prove --export DIR` writes each obligation as an SMT-LIB 2 file, with its
hypotheses by name, and the hypotheses of each stage alone, which must be satisfiable. `make nightly` puts all of them
to Z3 with three seeds and to cvc5: whoever decides one must decide it as the file says, and what nobody decides is red,
as is a solver that leaves more than one in a hundred obligations undecided. Each may spend so much effort, not time.
It also tells on which invariants each proof leans; cores differ from one release of a solver to the next, so they are
not written here."""


def trust() -> str:
    """The text of the document."""
    return joined(_blocks())


def _blocks() -> Iterator[str]:
    yield "# What is trusted, and what is shown"
    yield NOTE
    yield CLAIM
    yield "What each property says is in [the semantics](semantics.md)."
    yield "## What a green proof means"
    yield "`bandgap prove` ends with 0 only if all of this is so:"
    yield bullets(MEANS)
    yield "It does not mean:"
    yield bullets(f"**{what}** {why}" for what, why in MEANS_NOT)
    yield "## What is proved"
    yield _counts()
    yield (
        "An obligation is shown for any arena by the solver. One that cannot be shown is looked for a counterexample "
        "of in small arenas, which is judged again without the solver; what then has no answer is red. `bandgap prove` "
        "shows all."
    )
    yield _contracts()
    yield SECOND
    yield "## What the proofs lean on"
    yield "### Axioms and the lemmas that show them"
    yield _axioms()
    yield "### Assumptions"
    yield "Nobody shows these; the last column says what answers for them. A proof that is given more fails a test."
    yield _assumptions()
    yield "### How the specification is put to the solver"
    yield _encodings()
    yield "### Induction"
    yield from _induction()
    yield "## Admission"
    yield from _admission()
    yield "## That the checkers can fail"
    yield from _weakenings()
    yield "## What is modelled"
    yield table(("what", "how"), MODELLED)
    yield "## What is not modelled"
    yield table(("what", "instead"), NOT_MODELLED)
    yield "## What the judge adds"
    yield (
        "The judge reads the same guards and effects on plain values. Besides the properties it checks what no proof "
        "speaks of, that a trace agrees with itself and with the allocator's tables:"
    )
    yield table(("check", "says"), [(code(name), prose) for name, prose in CHECKS.items()])
    yield (
        "To be quick it keeps indexes, and runs guards and effects as code that they themselves write down; that each "
        "index lists exactly what its word in the specification says, and that the code does what is written, is "
        "tested on random states. Why something is not legal is told by the guard itself. Contents of pages are "
        "checked by reading back every page that was written."
    )
    yield "## What only tests cover"
    yield from _only_tested()
    yield "## Tools that are trusted"
    yield table(("tool", "is trusted to"), TOOLS)
    yield "## Planning, function by function"
    yield from planning_blocks()


def _counts() -> str:
    every = everything().obligations
    kinds = [kind for kind in Kind if any(one.kind is kind for one in every)]
    parts: dict[str, Counter[Kind]] = {}
    for one in every:
        of = "admission, ranks and counts" if one.kind is Kind.ADMISSION else _called(written(one.stage).prefix)
        parts.setdefault(of, Counter())[one.kind] += 1
    parts["together"] = Counter(one.kind for one in every)
    rows = [[of, *(str(count[kind]) for kind in kinds), f"**{count.total()}**"] for of, count in parts.items()]
    return table(("of", *map(str, kinds), "obligations"), rows)


def _contracts() -> str:
    functions = len({each.of for each in CONTRACTS.values()})
    return (
        f"{len(CONTRACTS)} contracts of the {functions} functions of `impl/arithmetic` are confirmed by CrossHair, "
        f"which runs the lines themselves on all paths; each of {len(breaking())} changes to those lines is refuted by "
        "the contract that it must break. Contracts that speak of a chain are of two to four bands, with pages of "
        "given sizes where they say so. `bandgap prove contracts` shows them; `make nightly` does, too."
    )


def _called(prefix: str) -> str:
    return f"the {prefix.rstrip('/') or 'arena'}"


def _axioms() -> str:
    rows = []
    for whole in SPECIFICATIONS:
        for name, axiom in whole.axioms.items():
            lemma = next(one for one in obligations(whole) if one.kind is Kind.LEMMA and one.property == name)
            rows.append(
                (code(name), axiom.prose, f"{code(lemma.name)}, of addresses that are origin + page · page bytes")
            )
    return table(("axiom", "says", "shown by"), rows)


def _assumptions() -> str:
    used: dict[str, list[str]] = {name: [] for name in ASSUMPTIONS}
    for whole in SPECIFICATIONS:
        for stage in stages(whole):
            for name in {name for name, _ in given_at(whole, stage).given} & used.keys():
                used[name].append(stage)
    rows = [
        (code(name), each.prose, f"{len(used[name])} stages", sentence(each.answered))
        for name, each in ASSUMPTIONS.items()
    ]
    return table(("assumption", "says", "given at", "answered by"), rows)


def _encodings() -> str:
    rows = [(name, each.prose, sentence(each.answered)) for name, each in ENCODINGS.items()]
    return table(("in the proofs", "says", "answered by"), rows)


def _induction() -> Iterator[str]:
    for whole in SPECIFICATIONS:
        yield (
            f"Of {_called(whole.prefix)}: {len(whole.invariants)} invariants hold at the start and outlive each of "
            f"{len(whole.actions)} actions, together. {_counted(len(whole.theorems), 'theorem')} from them, and "
            f"{len(whole.steps)} properties of a step are shown of each action from a state in which they hold."
        )
        if whole.base is not None:
            inherited = len(whole.invariants) - len(whole.own("invariants"))
            yield (f"It keeps the {inherited} invariants of {_called(whole.base.prefix)}, shown of its own actions.")


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing} follows" if count == 1 else f"{count} {thing}s follow"


def _admission() -> Iterator[str]:
    found = by_property()
    yield (
        f"{sum(len(found[name]) for name in PROSE_OF_ADMISSION)} theorems, most of them about the very lines of "
        "`impl/arithmetic` and `impl/columns` that the allocator decides and plans by, for any number of bands, pages "
        "and tickets. Taken on trust: that a loop does its turns one after the other; that whole numbers of which "
        "something is false have a least one, from which induction is shown; that arrays do what "
        "`properties/admission/rows` says of numpy's, which is tested; that no layout moves 2 to the 62 bytes. What is "
        "tested, among other things against exhaustive searches: that the loop of `cheapest_spans` goes over the bands "
        "that need pages, from the low end and back; that the allocator hands the right counts to the arithmetic; that "
        "no sequence of legal actions gets by with fewer bytes than a layout says. [At the end](#planning-function-by-"
        "function) it is told of every function."
    )
    yield (
        f"What says the same of every action is one line here and one theorem for each: {code('ranks-agree')} is "
        f"{repeated('rank-agreement')} of them. With those of counts, of which {code('counts-are-kept')} is "
        f"{repeated('conservation')}, there are {sum(map(len, found.values()))}."
    )
    for name, prose in PROSE_OF_ADMISSION.items():
        yield f"### {code(name)}\n\n{prose}\n\n{bullets(shown(found[name]))}"
    yield "## Conservation, counted"
    yield (
        f"Besides being an invariant of each page, {code('conservation')} is shown of counts: counters that every "
        "action keeps say how many pages there are of each sort, and add up to the span."
    )
    yield bullets(shown(found["conservation"]))


def _weakenings() -> Iterator[str]:
    levels = Counter(fault.where for fault in all_faults())
    of_code = sum(levels.values()) - levels["specification"]
    each = listed([f"{count} in the {level}" for level, count in levels.items() if level != "specification"])
    yield (
        f"{sentence(left_out())} Each time the property that is named must be "
        f"refuted. {levels['specification']} seeded faults of the specification and {len(SEEDED)} of "
        "admission, ranks and counts must each be refuted by the property that it names, and "
        f"{of_code} in the code must be caught by theirs: {each}."
    )
    yield MEANS_OF_PRECEDENTS
    if REDUNDANT:
        yield "Sentences whose absence refutes nothing:"
        yield bullets(f"{code(name)}: {reason}" for name, reason in REDUNDANT.items())
    else:
        yield "No guard sentence is idle."
    yield (
        "Every action is seen to be possible in a legal state, and every case of every property to occur, so that "
        "nothing is proved of nothing."
    )


def _only_tested() -> Iterator[str]:
    proved = {*catalogue().properties, *(name for name, theorems in by_property().items() if theorems)}
    tested: dict[str, list[str]] = {}
    for fault in all_faults():
        if fault.property not in proved:
            tested.setdefault(fault.property, []).append(fault.name)
    yield "Properties that seeded faults name and no proof speaks of:"
    yield table(
        ("property", "seeded faults that must break it"),
        [(code(name), listed([code(fault) for fault in faults])) for name, faults in sorted(tested.items())],
    )
    yield "And by their nature:"
    yield bullets(
        (
            "that the allocator's code does what the specification says: judged, in every call that a driver makes;",
            "layouts of models, views, strides and alignment;",
            "kernels: against their twins, in an interpreter, and in machine code that was compiled and not run;",
            "that memory stays bounded, that an allocator can be cleared and resumed;",
            "the recorder: what it omits or alters is caught only where it contradicts something.",
        )
    )
