"""Every question in a file of its own, for any solver to check.

The answer about an obligation is `unsat`. The hypotheses of each stage are there alone, too: the answer is `sat`, or
something would be proved of nothing. `manifest.json` says what each file is about, what must be answered, its digest,
and from what it was made.
"""

import hashlib
import json
import platform
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from itertools import groupby
from pathlib import Path

from properties import hypotheses, smtlib, witnesses
from properties.admission import asking
from properties.asked import Asked, asked
from properties.limits import USUAL
from properties.obligations import Kind, Obligation
from properties.selection import Selection
from properties.specification import written
from properties.workers import results

MANIFEST, README = "manifest.json", "README.md"
WITNESS = "witness"
"""The kind of a file about hypotheses alone."""

TOOLS = ("bandgap", "z3-solver")

HOW = """\
# Proof obligations in SMT-LIB 2

Each file under `obligations/` is one proof obligation: a hypothesis is an assertion with its name, the last assertion
denies the goal, and the answer must be `unsat`. Each file under `witnesses/` has the hypotheses alone, of a small arena
or of a plain state of things, and the answer must be `sat`. The answer is in the file, as `:status`; `manifest.json`
has it too, with the digest of each file and the versions of what wrote them.

    z3 -T:30 FILE
    cvc5 --tlimit=30000 --full-saturate-quant FILE

Add `(get-unsat-core)` at the end of an obligation to see which hypotheses a proof leans on. A solver may answer
`unknown`, which says nothing; the opposite answer is a fault in a solver or in the file. `bandgap prove --check DIR`
asks Z3, with several seeds, and cvc5 about all of them.
"""


@dataclass(frozen=True)
class File:
    """One question: where it is below the directory, what it is about, and the answer that it must have."""

    path: str
    name: str
    kind: str
    stage: str
    status: str
    sha256: str


@dataclass(frozen=True)
class Write:
    """Write the questions of one stage: of obligations, or, if there are none, whether it can happen."""

    directory: str
    stage: str
    obligations: tuple[Obligation, ...]
    weakening: str | None


def export(directory: Path, selection: Selection, weakening: str | None, jobs: int) -> tuple[File, ...]:
    """Write all questions of a selection and the manifest; what else is in the directory stays there."""
    directory.mkdir(parents=True, exist_ok=True)
    tasks = [
        Write(str(directory), stage, tuple(of_stage), weakening)
        for stage, of_stage in groupby(_for_solvers(selection), key=lambda o: asking.theorem_of(o.stage))
    ]
    tasks += [Write(str(directory), stage, (), None) for stage in selection.looks]
    files = tuple(results(write, tasks, jobs))
    versions = {name: version(name) for name in TOOLS} | {"python": platform.python_version()}
    manifest = {"versions": versions, "weakening": weakening, "files": [asdict(file) for file in files]}
    (directory / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
    (directory / README).write_text(HOW)
    return files


def _for_solvers(selection: Selection) -> list[Obligation]:
    return [obligation for obligation in selection.obligations if obligation.kind is not Kind.CONTRACT]


def exported(directory: Path) -> tuple[File, ...]:
    """The files that a manifest lists.

    Raises:
        ValueError: there is no manifest, or it lists nothing, or cannot be read.
    """
    try:
        files = tuple(File(**each) for each in json.loads((directory / MANIFEST).read_text())["files"])
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{directory / MANIFEST} is no manifest of `bandgap prove --export`: {error}") from error
    if not files:
        raise ValueError(f"{directory / MANIFEST} lists no files")
    return files


def write(task: Write) -> Iterator[File]:
    """The files of one stage, each told once it is written."""
    made = partial(_written, smtlib.Writer(), Path(task.directory))
    if task.obligations:
        for question in asked(task.obligations, task.weakening):
            yield made(
                "obligations",
                question.obligation.name,
                question.obligation.kind,
                question.obligation.stage,
                *_denied(question),
            )
        return
    if asking.is_asked(task.stage):
        for each in hypotheses.hypotheses(task.stage, USUAL):
            yield made("witnesses", each.name, WITNESS, task.stage, each.parts, "sat")
        return
    name, parts = witnesses.question(written(task.stage), task.stage, USUAL)
    yield made("witnesses", name, WITNESS, task.stage, parts, "sat", "QF_BV")


def _denied(question: Asked) -> tuple[Sequence[smtlib.Named], str]:
    return [*question.given, (smtlib.GOAL, question.denied)], "unsat"


def _written(
    writer: smtlib.Writer,
    directory: Path,
    under: str,
    name: str,
    kind: str,
    stage: str,
    parts: Sequence[smtlib.Named],
    status: str,
    logic: str = "ALL",
) -> File:
    path = f"{under}/{name.replace(', ', '.').replace(' ', '-')}.smt2"
    text = writer.text(parts, status, f"{kind}: {name}", logic)
    target = directory / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    return File(path, name, kind, stage, status, digest(text))


def digest(text: str) -> str:
    """The digest of a file's text."""
    return hashlib.sha256(text.encode()).hexdigest()
