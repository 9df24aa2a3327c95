"""What `bandgap prove` prints with `--json` of files for other solvers, and of cores."""

from typing import Literal

import msgspec


class ExportedFile(msgspec.Struct):
    """One question: where it is, what it is about, and the answer that it must have."""

    path: str
    name: str
    kind: str
    stage: str
    status: Literal["sat", "unsat"]
    sha256: str


class ProveExport(msgspec.Struct):
    """`bandgap prove --export`."""

    directory: str
    files: list[ExportedFile]


class Share(msgspec.Struct):
    """How many of the files with an answer a solver decided, how many it must, and those that it did not."""

    solver: str
    status: Literal["sat", "unsat"]
    files: int
    decided: int
    floor: int
    undecided: list[str]


class Opinion(msgspec.Struct):
    """What a solver says of a file, and what it must say."""

    name: str
    kind: str
    status: Literal["sat", "unsat"]
    solver: str
    said: Literal["sat", "unsat", "unknown"]
    seconds: float


class ProveCheck(msgspec.Struct):
    """`bandgap prove --check`; undecided is what no solver decided."""

    verdict: Literal["agreed", "disagreed", "inconclusive"]
    versions: dict[str, str]
    files: int
    is_whole: bool
    shares: list[Share]
    disagreeing: list[str]
    altered: list[str]
    undecided: list[str]
    opinions: list[Opinion]


class Core(msgspec.Struct):
    """The hypotheses on which a proof leans; null if they are not known."""

    name: str
    leans_on: list[str] | None


class ProveCores(msgspec.Struct):
    """`bandgap prove --cores`; idle are the invariants on which no proof leans, null if only some proofs were asked."""

    cores: list[Core]
    unknown: list[str]
    idle: list[str] | None
