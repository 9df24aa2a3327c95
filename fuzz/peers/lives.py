"""One life of another's allocator, judged here while it is lived there."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from events.records import AnyRecord
from fuzz.peers.process import Ended, Life, PeerFailed, PeerProcess, Said
from spec.judge.judge import Judge
from spec.judge.verdict import Finding


@dataclass(frozen=True)
class Broke:
    """A property that does not hold: its name, what was seen, and the number of the call, from 1, that showed it."""

    property: str
    problem: str
    calls: int
    last_call: str


@dataclass
class Lived:
    """What a life came to.

    Attributes:
        script: the calls, as far as they were made.
        told: how building and each of them ended, and how many records there were then.
        records: the trace, up to the record that broke something.
        outcomes: how often each call ended in each way.
        actions: page actions that were judged, by name.
        broke: the first thing that broke.
        finding: the judge's, where it was the judge who saw it.
    """

    script: list[list[Any]] = field(default_factory=list)
    told: list[tuple[str, int]] = field(default_factory=list)
    records: list[AnyRecord] = field(default_factory=list)
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    broke: Broke | None = None
    finding: Finding | None = None


def lived(process: PeerProcess, life: Life) -> Lived:
    """Have a life lived, and judge it; nothing that comes after what broke is looked at.

    Raises:
        PeerFailed: the process ended, or the driver misused the allocator.
    """
    return judged(process.live(life))


def judged(told: Iterable[Said | Ended]) -> Lived:
    """Judge a life that is told call by call; see `lived`."""
    life, judge = Lived(), Judge()
    found: Finding | None = None
    for said in told:
        if life.broke is not None:
            continue
        if isinstance(said, Ended):
            life.broke = _broke(life, found, said.broken)
            continue
        if found is not None:
            # the call that broke is over, and the driver saw nothing of its own
            life.broke = _broke(life, found, None)
            continue
        if said.call is not None:
            life.script.append(said.call)
            life.outcomes[said.call[0], said.outcome] += 1
        for record in said.records:
            life.records.append(record)
            found = judge.take(record)
            if found is not None:
                break
        life.told.append((said.outcome, len(life.records)))
    life.actions = judge.actions
    return life


def _broke(life: Lived, found: Finding | None, broken: tuple[str, str] | None) -> Broke | None:
    if found is not None and (found.blame == "allocator" or broken is None):
        if found.blame != "allocator":
            raise PeerFailed(f"the driver misused the allocator: {found} in call {life.script[-1:]}")
        broken, life.finding = (found.check, found.problem), found
    if broken is None:
        return None
    return Broke(*broken, calls=len(life.script), last_call=str(life.script[-1][0]) if life.script else "build")
