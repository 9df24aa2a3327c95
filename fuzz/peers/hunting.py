"""Looks for failures of another's allocator: life after life from a seed, each distinct failure made short."""

import time
from collections import Counter
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from fuzz.looks import Look, look_of
from fuzz.peers.lives import Broke, lived
from fuzz.peers.process import Life, PeerProcess
from fuzz.peers.shrinking import Script, shrunk
from fuzz.violation import SYMPTOMS

LIVES: Final = (30, 90, 250)
"""Calls in the life of one allocator: short ones reach much, long ones reach deep."""

MOST_FINDINGS: Final = 10
"""Distinct failures after which a hunt is over: something is broken through and through."""

QUICK: Final = 2.0
"""Seconds after which a call is taken to hang while a script that hangs is made short; its end is held against more."""


@dataclass(frozen=True)
class Finding:
    """A property that does not hold, and the shortest script that was found to show it.

    Attributes:
        setup: on which it shows.
        property: its name.
        problem: what is seen.
        script: the calls.
        fault: the deliberate fault that is in force.
        repeats: whether the calls showed it again when they were made a second time.
        reduced: whether nothing can be left out of them.
        times: lives that ended in it, or in what looked like it.
    """

    setup: str
    property: str
    problem: str
    script: Script
    fault: str | None = None
    repeats: bool = True
    reduced: bool = True
    times: int = 1

    def last_call(self) -> str:
        """By name."""
        return str(self.script[-1][0]) if self.script else "build"

    def looks(self) -> Look:
        """The same for failures that are taken for one."""
        return look_of(self.property, self.last_call(), self.problem)


@dataclass
class Hunt:
    """What a hunt came to.

    Attributes:
        lives: that were lived.
        calls: of the allocator, each judged; those that were skipped are not counted.
        seconds: that were spent on lives, the time for making failures short left out.
        outcomes: how often each call ended in each way.
        actions: page actions that were judged.
        findings: distinct failures, by how they look.
        first_looks: of each way in which lives ended, the failure that it is once made short.
        again: lives that ended in what was known before, by how they ended.
    """

    lives: int = 0
    calls: int = 0
    seconds: float = 0.0
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    actions: Counter[str] = field(default_factory=Counter)
    findings: dict[Look, Finding] = field(default_factory=dict)
    first_looks: dict[Look, Look] = field(default_factory=dict)
    again: Counter[Look] = field(default_factory=Counter)

    @property
    def rate(self) -> float:
        """Judged calls per second."""
        return self.calls / self.seconds if self.seconds else 0.0


def hunt(
    process: PeerProcess,
    setups: Sequence[str],
    seed: int | str,
    *,
    seconds: float,
    calls: int | None = None,
    fault: str | None = None,
    most_findings: int = MOST_FINDINGS,
    shrink_seconds: float = 20.0,
    shrink_tries: int | None = None,
    known: Container[Look] = (),
    told: Callable[[Hunt], None] = lambda _: None,
) -> Hunt:
    """Live lives until the time is over, the calls are made or enough was found.

    Args:
        process: of the driver.
        setups: taken in turn.
        seed: of all choices; a budget decides only after how many lives it ends.
        seconds: of lives after which none is begun; making failures short comes on top.
        calls: likewise.
        fault: which is in force.
        most_findings: distinct failures after which it is over.
        shrink_seconds: for making one failure short.
        shrink_tries: scripts that are tried to that end; none for as many as there is time for.
        known: how lives end in what is known; it is counted and not looked into.
        told: after each life, what there is so far.
    """
    result = Hunt()
    seen = result.first_looks
    while result.seconds < seconds and (calls is None or result.calls < calls):
        if len(result.findings) >= most_findings:
            break
        setup = setups[result.lives % len(setups)]
        number = result.lives
        life = Life(setup, seed=f"{seed}/{number}", calls=Random(f"{seed}/{number}").choice(LIVES), fault=fault)
        before = time.monotonic()
        ended = lived(process, life)
        result.seconds += time.monotonic() - before
        result.lives += 1
        result.calls += sum(times for (_, outcome), times in ended.outcomes.items() if outcome != "skipped")
        result.outcomes += ended.outcomes
        result.actions += ended.actions
        if ended.broke is not None and not _is_there_anyway(process, life.setup, ended.script, ended.broke, fault):
            raw = look_of(ended.broke.property, ended.broke.last_call, ended.broke.problem)
            if raw in known:
                result.again[raw] += 1
            elif raw not in seen:
                finding = _made_short(process, setup, ended.script, ended.broke, fault, shrink_seconds, shrink_tries)
                seen[raw] = finding.looks()
                result.findings.setdefault(finding.looks(), finding)
            else:
                met = result.findings[seen[raw]]
                result.findings[seen[raw]] = Finding(**{**vars(met), "times": met.times + 1})
        told(result)
    return result


def catch(process: PeerProcess, fault: str, seed: int, *, seconds: float, hunts: int = 5) -> Finding | None:
    """What catches a deliberate fault; None if nothing does.

    A fault may break several properties, and which of them is seen first depends on the calls: it is hunted with other
    seeds until it is the one that the fault names, or so often.
    """
    description = process.description
    named = description.faults[fault]
    first = None
    for number in range(hunts):
        setups = named.setups or description.setups
        run = hunt(process, setups, seed + number, seconds=seconds, fault=fault, most_findings=1)
        caught = next(iter(run.findings.values()), None)
        first = first or caught
        if caught is None or caught.property == named.property:
            return caught or first
    return first


def _made_short(
    process: PeerProcess,
    setup: str,
    script: Sequence[list[Any]],
    broke: Broke,
    fault: str | None,
    seconds: float,
    tries: int | None,
) -> Finding:
    """The failure with fewest calls.

    A fault may break several properties, and the one that the shortest script breaks gives it its name; what breaks for
    any reason is traded for a property proper, and never the other way.
    """
    calls = tuple(script)

    def played(shorter: Script, patience: float | None = None) -> Broke | None:
        return lived(process, Life(setup, script=shorter, fault=fault, patience=patience)).broke

    last = first = played(calls)
    if first is None or last is None:
        return Finding(setup, broke.property, broke.problem, calls, fault, repeats=False, reduced=False)

    def fails(shorter: Script) -> bool:
        nonlocal last
        assert last is not None
        seen = played(shorter, QUICK if last.property == "hang" else None)
        if seen is None or (seen.property in SYMPTOMS and seen.property != last.property):
            return False
        if _is_there_anyway(process, setup, shorter, seen, fault):
            return False
        last = seen
        return True

    calls, done = shrunk(calls[: last.calls], fails, seconds, tries)
    last = played(calls)
    if last is None and first.property == "hang":
        # what was slow for a moment was taken for what hangs
        return Finding(setup, first.property, first.problem, tuple(script)[: first.calls], fault, reduced=False)
    assert last is not None, "a script that failed fails again"
    return Finding(setup, last.property, last.problem, calls[: last.calls], fault, reduced=done)


def _is_there_anyway(
    process: PeerProcess, setup: str, script: Sequence[list[Any]], broke: Broke, fault: str | None
) -> bool:
    """The same breaks without the deliberate fault, which then has no part in it."""
    if fault is None:
        return False
    plain = lived(process, Life(setup, script=tuple(script))).broke
    return plain is not None and plain.property == broke.property
