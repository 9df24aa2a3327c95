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
from properties.cores import Core, idle, is_whole, leaned_on
from properties.export import File
from properties.second import SOLVERS, Opinion, opinions, versions

LISTED = 20
"""How many undecided files of a solver are told."""


@dataclass(frozen=True)
class Agreement:
    """What was said of all files, by every solver."""

    files: tuple[File, ...]
    said: tuple[Opinion, ...]

    @property
    def disagreeing(self) -> list[Opinion]:
        """Those who decided otherwise than the file says."""
        return [each for each in self.said if each.disagrees]

    @property
    def altered(self) -> list[str]:
        """The files that are not as they were exported."""
        return sorted({each.file.name for each in self.said if each.altered})

    @property
    def undecided(self) -> list[str]:
        """What nobody decided."""
        decided = Counter(each.file.name for each in self.said if each.agrees)
        return [file.name for file in self.files if not decided[file.name]]

    @property
    def exit(self) -> Exit:
        """Violated if anybody disagrees, inconclusive if nobody decides something, or not everybody was asked."""
        if self.disagreeing or self.altered:
            return Exit.VIOLATED
        whole = len(self.said) == len(self.files) * len(SOLVERS) > 0
        idle = [solver for solver in SOLVERS if not any(each.agrees for each in self.said if each.solver == solver)]
        return Exit.INCONCLUSIVE if self.undecided or idle or not whole else Exit.HOLDS

    def document(self) -> dict[str, Any]:
        """All of it."""
        return {
            "verdict": {Exit.HOLDS: "agreed", Exit.VIOLATED: "disagreed"}.get(self.exit, "inconclusive"),
            "versions": versions(),
            "files": len(self.files),
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
    for name in SOLVERS:
        of_solver = [each for each in found.said if each.solver == name]
        unknown = [each.file.name for each in of_solver if not (each.agrees or each.disagrees)]
        if unknown:
            more = " ..." if len(unknown) > LISTED else ""
            yield f"{name} did not decide {len(unknown)}: {'; '.join(unknown[:LISTED])}{more}"
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
    """For each property the invariants that its proofs lean on, and how many do."""
    table = Table("property", "its proofs lean on (how many of them)")
    for name, counts in leaned_on(found).items():
        table.add_row(name, ", ".join(f"{on} ({count})" for on, count in counts.most_common()))
    yield table
    yield f"{sum(each.leans_on is not None for each in found)} of {len(found)} proofs have a core"
    if is_whole(found):
        yield f"invariants on which no proof leans but that they are kept: {', '.join(idle(found)) or 'none'}"
    yield "Another seed may find other proofs, and other cores."
