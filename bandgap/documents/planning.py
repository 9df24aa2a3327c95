"""What answers for each function of the allocator by which it decides and plans: theorems, contracts, or tests alone.

The functions are found in the source: those that can be reached by name from where planning begins. The theorems are
found by running them: which of the functions' own lines are read with a solver's terms.
"""

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import impl
from bandgap.documents.admitted import OF_ACTIONS
from bandgap.documents.markdown import code, table
from bandgap.phrases import listed
from properties.admission.readings import ANYTHING
from properties.admission.subject import AS_IT_IS
from properties.admission.theorems import THEOREMS
from properties.contracts.contract import CONTRACTS
from properties.readings import reading

ROOT = Path(impl.__file__).parent

ROOTS = ("admission.Admission.plan", "compaction.compacting_moves", "relayout.in_legal_order")
"""Where planning begins: a demand, an idle moment, and the order in which a plan is carried out."""

MODULES = (
    "admission",
    "spans",
    "columns",
    "relayout",
    "compaction",
    "pages",
    "ledger",
    "holders",
    *(f"arithmetic.{path.stem}" for path in sorted((ROOT / "arithmetic").glob("*.py")) if path.stem != "__init__"),
)
"""The modules of `impl` in which functions are looked for."""


@dataclass(frozen=True)
class Evidence:
    """A test that answers for functions that no proof reads."""

    test: str
    """Its file and its name."""
    cases: int
    says: str


EVIDENCE: Mapping[str, Evidence] = {
    "every layout": Evidence(
        "tests/impl/test_admission.py::test_plans_are_exact_and_can_be_carried_out",
        2_250,
        "demands on allocators of 2, 3 and 4 bands in random states: step, tickets, bytes and reason are those of a "
        "search through every layout there is, and what is admitted is carried out, judged action by action",
    ),
    "every pattern": Evidence(
        "tests/impl/test_admission.py::test_every_pattern_of_pins_and_every_demand",
        3_552,
        "demands on two small bands of which each page is a hole, live, held or withheld: likewise",
    ),
    "every sequence": Evidence(
        "tests/impl/test_admission.py::test_no_sequence_of_page_actions_moves_fewer_bytes",
        150,
        "demands: no sequence of legal actions gets by with fewer bytes than the plan",
    ),
    "the definition": Evidence(
        "tests/properties/admission/test_plans.py::test_every_plan_leads_to_a_legal_layout",
        2_000,
        "demands on random allocators: the spans of a plan are a legal layout in the specification's own words",
    ),
    "every order": Evidence(
        "tests/properties/admission/test_relayout.py::test_between_any_two_layouts_of_a_small_chain_every_step_is_legal",
        5_000,
        "pairs of layouts and more, all there are of a small chain: in this order every span on the way is legal",
    ),
    "idle moments": Evidence(
        "tests/impl/test_compaction.py::test_idle_compaction_ends_with_the_smallest_spans_that_pins_allow",
        120,
        "allocators in random states, compacted until nothing moves: every call leaves smaller spans, the last one the "
        "smallest that the pins allow, judged action by action",
    ),
    "few pages": Evidence(
        "tests/impl/test_compaction.py::test_the_outermost_pages_in_a_state",
        100,
        "rows of pages and bounds that Hypothesis makes up",
    ),
}
"""The tests that are told of, by a short name."""

_PLANS = ("every layout", "every pattern", "the definition")
_MOVES = ("every layout", "every pattern", "every sequence", "the definition")

TESTED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(
        (
            "admission.Admission.plan",
            "admission.Admission._ends_grown",
            "admission.Admission._refusal",
            "admission.Admission._evictions",
            "admission._Inquiry.__init__",
            "admission._Inquiry.fits",
            "admission._Inquiry.fits_empty",
            "admission._Inquiry.needs",
            "admission._Inquiry._needed",
            "admission._Inquiry._stocks_of",
            "admission._Inquiry._stock",
            "admission._Inquiry.freed",
            "admission._Inquiry._withheld_for",
            "admission._hull",
            "admission._shortest",
            "admission._enough",
            "spans.spans_in_place",
            "spans._wished",
            "ledger.Ledger.by_prospect",
            "ledger.Ledger.pins",
            "ledger.Ledger.pins_without",
            "ledger.Ledger.pages_held",
            "ledger.Ledger.freed_by",
            "holders.Holders.freed_by",
            "holders.Holding.all_pages",
            "holders._joined",
            "pages.Pages.withheld_among",
        ),
        _PLANS,
    ),
    **dict.fromkeys(
        (
            "admission.Admission._planned",
            "admission._live_outside",
            "admission._holes_for",
            "spans.cheapest_spans",
            "spans._ends",
            "pages.Pages.pages_that_are",
        ),
        _MOVES,
    ),
    **dict.fromkeys(("relayout.in_legal_order", "relayout._turn"), ("every order", "every sequence")),
    **dict.fromkeys(
        (
            "compaction.compacting_moves",
            "compaction._smallest_span",
            "compaction._best_window",
            "pages.Pages.in_use",
            "pages.Pages.holes",
        ),
        ("idle moments",),
    ),
    "pages.Pages.outermost": ("few pages", "idle moments"),
}
"""The tests that answer for a function, by their short names."""


# ---------------------------------------------------------------------------------------------- what there is to say


@dataclass(frozen=True)
class Answered:
    """A function of the planning path, and what answers for it."""

    name: str
    theorems: tuple[str, ...]
    """The theorems that run its own lines on a solver's terms."""
    contracts: tuple[str, ...]
    evidence: tuple[str, ...]

    @property
    def is_answered(self) -> bool:
        """Whether anything answers for it."""
        return bool(self.theorems or self.contracts or self.evidence)


def planning_path() -> tuple[Answered, ...]:
    """Every function by which the allocator decides and plans, in the order of the modules."""
    run = lines_of_theorems()
    contracts: dict[str, list[str]] = {}
    for each in CONTRACTS.values():
        contracts.setdefault(each.of, []).append(each.name)
    return tuple(
        Answered(
            name,
            tuple(theorem for theorem, names in run.items() if name in names),
            tuple(contracts.get(_last(name), ()) if name.startswith("arithmetic.") else ()),
            TESTED.get(name, ()),
        )
        for name in reachable(functions())
    )


@cache
def functions() -> Mapping[str, ast.FunctionDef]:
    """The functions of the modules, by module, class and name."""
    found: dict[str, ast.FunctionDef] = {}
    for module in MODULES:
        tree = ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text())
        found |= dict(_functions(module, tree.body))
    return found


def _functions(prefix: str, body: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.FunctionDef]]:
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield f"{prefix}.{node.name}", node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(f"{prefix}.{node.name}", node.body)


def reachable(known: Mapping[str, ast.FunctionDef]) -> list[str]:
    """The functions that can be reached from the roots, rather one too many than one too few.

    A name that is read reaches every function of that name, and every class; an attribute every method of that name.
    """
    reached: set[str] = set()
    waiting = list(ROOTS)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += _named(known[name].body, known)
    return [name for name in known if name in reached]


def _named(body: Iterable[ast.stmt], known: Mapping[str, ast.FunctionDef]) -> Iterator[str]:
    read = [node for statement in body for node in ast.walk(statement)]
    words = {node.id for node in read if isinstance(node, ast.Name)}
    attributes = {node.attr for node in read if isinstance(node, ast.Attribute)}
    for name in known:
        *_, owner, last = name.split(".")
        if owner[:1].isupper() or owner.startswith("_"):
            if last in attributes or (last == "__init__" and owner in words):
                yield name
        elif last in words:
            yield name


def _last(name: str) -> str:
    return name.rpartition(".")[2]


# ------------------------------------------------------------------------------------- which lines theorems run


@cache
def lines_of_theorems() -> Mapping[str, frozenset[str]]:
    """The functions whose own lines are run while the questions of a theorem are made, for each theorem.

    The theorems that say the same of every action are of the specification alone, and not asked.
    """
    asked = [name for name in THEOREMS if name.partition(".")[0] not in OF_ACTIONS]
    return {name: names for name in asked if (names := frozenset(_run_by(name)))}


def _run_by(theorem: str) -> Iterator[str]:
    seen: set[tuple[str, str]] = set()

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            seen.add(_place(frame.f_code))

    with reading(ANYTHING):
        sys.setprofile(watch)
        try:
            # asked for one after the other, and never put to the solver
            for _ in THEOREMS[theorem].questions(AS_IT_IS):
                pass
        finally:
            sys.setprofile(None)
    for name in functions():
        module, _, last = name.rpartition(".")
        file = str(ROOT / f"{module.replace('.', '/')}.py")
        # a loop that was taken apart is compiled under the name of its function
        if (file, last) in seen or (last, "<module>") in seen:
            yield name


def _place(code: CodeType) -> tuple[str, str]:
    return code.co_filename, code.co_name


# ------------------------------------------------------------------------------------------------------------ telling


def planning_blocks() -> Iterator[str]:
    """The ledger of the planning path."""
    path = planning_path()
    proved = [one for one in path if one.theorems]
    by_contract = [one for one in path if one.contracts and not one.theorems]
    tested = [one for one in path if not one.theorems and not one.contracts]
    yield (
        f"What the allocator decides and plans by are {len(path)} functions: all that can be reached by name from "
        f"{listed([code(root) for root in ROOTS])} of `impl`. A test fails when one of them is in none of these lists. "
        f"A theorem reads a function when the function's own lines are run on the solver's terms; what it then says of "
        f"them is [above](#admission)."
    )
    yield f"Read by theorems, {len(proved)}:"
    yield table(
        ("function", "theorems that run its own lines", "contracts"),
        [(code(one.name), _codes(one.theorems), _codes(one.contracts)) for one in proved],
    )
    yield f"Confirmed by contracts, which CrossHair runs on all paths, {len(by_contract)}:"
    yield table(("function", "contracts"), [(code(one.name), _codes(one.contracts)) for one in by_contract])
    yield f"**Tested only**, {len(tested)}:"
    yield table(("function", "answered for by"), [(code(one.name), listed([*one.evidence])) for one in tested])
    yield "What these tests try:"
    yield table(
        ("tests", "cases", "of what", "where"),
        [(name, f"{each.cases:,}", each.says, code(each.test)) for name, each in EVIDENCE.items()],
    )
    yield (
        "Besides, every call of every campaign is asked about by an oracle of its own (`fuzz/oracle`), which shares no "
        "line with the allocator, and every action of every plan that is carried out is judged."
    )


def _codes(names: tuple[str, ...]) -> str:
    return listed([code(name) for name in names])
