"""Exported questions put to Z3 with several seeds and to cvc5: whoever decides one must decide it as the file says.

The solvers read the files, as anyone would; nothing that wrote them has a part in it.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from importlib.metadata import version
from pathlib import Path

import z3

from properties.export import File, digest
from properties.workers import results

EFFORT = {"z3": 20_000_000, "cvc5": 1_000_000}
"""For one question, as each counts its own work, so that the same is decided on a busy machine: some seconds of an idle
one, and five times what the hardest question takes that is decided at all."""

SECONDS = 60.0
"""For one question: they end what the effort does not see, and are a hundred times what any takes that is decided."""

TOGETHER = 40
"""So many files are asked about in one process."""


class Said(StrEnum):
    """What a solver answered."""

    SAT = "sat"
    UNSAT = "unsat"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Opinion:
    """What one solver says of one file; `altered` says that it is not as it was exported."""

    solver: str
    file: File
    said: Said
    seconds: float
    altered: bool = False

    @property
    def agrees(self) -> bool:
        """It decided, and as it must be."""
        return self.said == self.file.status

    @property
    def disagrees(self) -> bool:
        """It decided, and otherwise."""
        return self.said != Said.UNKNOWN and not self.agrees


@dataclass(frozen=True)
class Ask:
    """Ask one solver about some files."""

    solver: str
    directory: str
    files: tuple[File, ...]
    seconds: float


def by_z3(seed: int, path: Path, seconds: float) -> Said:
    """What Z3 says of a file."""
    solver = z3.Solver()
    solver.set("random_seed", seed)
    solver.set("rlimit", EFFORT["z3"])
    solver.set("timeout", int(seconds * 1000))
    solver.from_file(str(path))
    return Said(str(solver.check()))


def by_cvc5(path: Path, seconds: float) -> Said:
    """What cvc5 says of a file."""
    # Only this needs it, and it is installed for development alone.
    import cvc5

    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("rlimit-per", str(EFFORT["cvc5"]))
    solver.setOption("tlimit-per", str(int(seconds * 1000)))
    # Once its usual ways are exhausted it tries all terms there are, where it would say that it does not know.
    solver.setOption("full-saturate-quant", "true")
    parser = cvc5.InputParser(solver)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, str(path))
    symbols = parser.getSymbolManager()
    said = Said.UNKNOWN
    while not (command := parser.nextCommand()).isNull():
        answer = command.invoke(solver, symbols).strip()
        # It reads the file's `:status`, too, and complains of its own answer if that is another.
        decided = re.fullmatch(r'(?:\(error "Expected result \w+ but got )?(sat|unsat)(?:"\))?', answer)
        if decided:
            said = Said(decided.group(1))
        elif answer and not answer.startswith("unknown"):
            raise ValueError(f"cvc5 cannot read {path}: {answer}")
    return said


SOLVERS: Mapping[str, Callable[[Path, float], Said]] = {
    **{f"Z3, seed {seed}": partial(by_z3, seed) for seed in (0, 1, 2)},
    "cvc5": by_cvc5,
}
"""All who are asked, by name."""


def versions() -> Mapping[str, str]:
    """The versions of the solvers."""
    return {"z3": version("z3-solver"), "cvc5": version("cvc5")}


def opinions(directory: Path, files: Sequence[File], jobs: int, seconds: float = SECONDS) -> Iterator[Opinion]:
    """What every solver says of every file."""
    together = [tuple(files[i : i + TOGETHER]) for i in range(0, len(files), TOGETHER)]
    tasks = [Ask(solver, str(directory), some, seconds) for solver in SOLVERS for some in together]
    yield from results(ask, tasks, jobs)


def ask(task: Ask) -> Iterator[Opinion]:
    """What one solver says of some files."""
    for file in task.files:
        path = Path(task.directory) / file.path
        began = time.perf_counter()
        said = SOLVERS[task.solver](path, task.seconds)
        altered = digest(path.read_text()) != file.sha256
        yield Opinion(task.solver, file, said, time.perf_counter() - began, altered)
