"""What several solvers say of exported questions, and what proofs lean on: tables and documents."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
from rich.console import RenderableType
from rich.table import Table

from bandgap.exits import Exit
from properties.admission.asking import is_asked
from properties.cores import Core, idle, is_whole, leaned_on
from properties.export import WITNESS, File
from properties.second import SOLVERS, Opinion, Said, opinions, versions
from properties.selection import everything

LISTED = 20
"""How many undecided files of a solver are told."""

SPARED = {"unsat": 0.01, "sat": 0.6}
"""The part of the files with an answer that a solver may leave undecided; of few files it is one.

That something has no model is what a proof says, and a solver that seldom says it is as good as not asked. To find one
where something is said of all numbers is what cvc5 is not made for: it leaves half of them open.
"""


@dataclass(frozen=True)
class Share:
    """How much a solver decided of the files with an answer, and what it must."""

    solver: str
    status: str
    files: int
    undecided: tuple[str, ...]

    @property
    def decided(self) -> int:
        """How many files it decided."""
        return self.files - len(self.undecided)

    @property
    def floor(self) -> int:
        """How many it must decide."""
        return max(1, self.files - max(1, int(SPARED[self.status] * self.files)))


@dataclass(frozen=True)
class Agreement:
    """What was said of all files, by every solver."""

    files: tuple[File, ...]
    said: tuple[Opinion, ...]

    @property
    def disagreeing(self) -> list[Opinion]:
        """The opinions that decided otherwise than the file says."""
        return [each for each in self.said if each.disagrees]

    @property
    def altered(self) -> list[str]:
        """The files that are not as they were exported."""
        return sorted({each.file.name for each in self.said if each.altered})

    @property
    def undecided(self) -> list[str]:
        """The files that nobody decided."""
        decided = Counter(each.file.name for each in self.said if each.agrees)
        return [file.name for file in self.files if not decided[file.name]]

    @property
    def shares(self) -> list[Share]:
        """What each solver decided, of the files with each answer that there are."""
        answers = dict.fromkeys(file.status for file in self.files)
        return [self._share(solver, status) for solver in SOLVERS for status in answers]

    def _share(self, solver: str, status: str) -> Share:
        of = [each for each in self.said if each.solver == solver and each.file.status == status]
        undecided = tuple(each.file.name for each in of if each.said is Said.UNKNOWN)
        return Share(solver, status, len(of), undecided)

    @property
    def lazy(self) -> list[Share]:
        """The shares of which too little was decided for a solver's silence to mean anything."""
        return [share for share in self.shares if share.decided < share.floor]

    @property
    def is_whole(self) -> bool:
        """Every obligation is among these, and all that every action is given."""
        named = {file.name for file in self.files}
        alone = {file.stage for file in self.files if file.kind == WITNESS}
        asked = {stage for stage in everything().looks if not is_asked(stage)}
        return alone >= asked and named >= {obligation.name for obligation in everything().obligations}

    @property
    def exit(self) -> Exit:
        """Violated if anybody disagrees; inconclusive if something is decided by nobody, or too little by somebody."""
        if self.disagreeing or self.altered:
            return Exit.VIOLATED
        asked = len(self.said) == len(self.files) * len(SOLVERS) > 0
        return Exit.INCONCLUSIVE if self.undecided or self.lazy or not asked else Exit.HOLDS

    def document(self) -> dict[str, Any]:
        """All of it, as it is printed and written."""
        return {
            "verdict": {Exit.HOLDS: "agreed", Exit.VIOLATED: "disagreed"}.get(self.exit, "inconclusive"),
            "versions": versions(),
            "files": len(self.files),
            "is_whole": self.is_whole,
            "shares": [
                {
                    "solver": share.solver,
                    "status": share.status,
                    "files": share.files,
                    "decided": share.decided,
                    "floor": share.floor,
                    "undecided": share.undecided,
                }
                for share in self.shares
            ],
            "disagreeing": [f"{each.solver} says {each.said} of {each.file.name}" for each in self.disagreeing],
            "altered": self.altered,
            "undecided": self.undecided,
            "opinions": [
                {
                    "name": each.file.name,
                    "kind": each.file.kind,
                    "status": each.file.status,
                    "solver": each.solver,
                    "said": each.said,
                    "seconds": round(each.seconds, 4),
                }
                for each in self.said
            ],
        }


def agreement(directory: Path, files: Sequence[File], jobs: int) -> Agreement:
    """What every solver says of the files of a directory; it is written there, too, as `agreement.json`."""
    found = Agreement(tuple(files), tuple(opinions(directory, files, jobs)))
    encoded = msgspec.json.format(msgspec.json.encode(found.document()), indent=1)
    (directory / "agreement.json").write_bytes(encoded + b"\n")
    return found


def agreement_text(found: Agreement) -> Iterator[RenderableType]:
    """One table: of each kind, how many each solver decided as it must, and how many it did not decide."""
    table = Table("kind", "files", *SOLVERS, title="decided (unknown, disagreed)", title_justify="left")
    kinds = dict.fromkeys(file.kind for file in found.files)
    for kind in (*kinds, "together"):
        of_kind = [each for each in found.said if kind in (each.file.kind, "together")]
        count = sum(kind in (file.kind, "together") for file in found.files)
        table.add_row(kind, str(count), *[_cell([o for o in of_kind if o.solver == name]) for name in SOLVERS])
    yield table
    seconds = {name: sum(each.seconds for each in found.said if each.solver == name) for name in SOLVERS}
    yield ", ".join(f"{name} {spent:.0f} s" for name, spent in seconds.items())
    yield ", ".join(f"{name} {version}" for name, version in versions().items())
    yield from (f"disagreed: {o.solver} says {o.said} of {o.file.name}" for o in found.disagreeing)
    yield from (f"altered since it was exported: {name}" for name in found.altered)
    yield from (f"decided by nobody: {name}" for name in found.undecided)
    for share in found.shares:
        if share.undecided:
            more = " ..." if len(share.undecided) > LISTED else ""
            listed = f"{'; '.join(share.undecided[:LISTED])}{more}"
            silent = f"{len(share.undecided)} of {share.files} that are {share.status}"
            yield f"{share.solver} did not decide {silent}: {listed}"
    for share in found.lazy:
        yield f"{share.solver} decided {share.decided} of what is {share.status}, and must decide {share.floor}"
    yield f"{len(found.files)} files: {'every' if found.is_whole else 'not every'} obligation and action is among them"
    yield {Exit.HOLDS: "all who decided agree", Exit.VIOLATED: "not all agree"}.get(found.exit, "inconclusive")


def _cell(said: Sequence[Opinion]) -> str:
    disagreed = sum(each.disagrees for each in said)
    agreed = sum(each.agrees for each in said)
    unknown = len(said) - agreed - disagreed
    return f"{agreed}" + (f" ({unknown}, {disagreed})" if unknown or disagreed else "")


def cores_document(found: Sequence[Core]) -> dict[str, Any]:
    """What each proof leans on, and the invariants that none does."""
    return {
        "cores": [{"name": each.obligation.name, "leans_on": each.leans_on} for each in found],
        "unknown": [each.obligation.name for each in found if each.leans_on is None],
        "idle": idle(found) if is_whole(found) else None,
    }


def cores_text(found: Sequence[Core]) -> Iterator[RenderableType]:
    """The invariants that the proofs of each property lean on, and how many do."""
    table = Table("property", "its proofs lean on (how many of them)")
    for name, counts in leaned_on(found).items():
        table.add_row(name, ", ".join(f"{on} ({count})" for on, count in counts.most_common()))
    yield table
    yield f"{sum(each.leans_on is not None for each in found)} of {len(found)} proofs have a core"
    if is_whole(found):
        yield f"invariants on which no proof leans but that they are kept: {', '.join(idle(found)) or 'none'}"
    yield "Another seed may find other proofs, and other cores."
