"""Faults of the adapters, in which others' allocators are driven: tried only where those are installed."""

import ast
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Final

from bandgap.matrix.row import Baseline, Row, Seeded, Settings, Source, Verdict
from bench.peers.environments import ROOT
from fuzz.peers.environments import NoEnvironment, found, known_peers
from fuzz.peers.hunting import Finding, hunt
from fuzz.peers.process import PeerFailed, PeerProcess, running

SECONDS: Final = 60.0
"""Seconds that one hunt may take."""

HUNTS: Final = 5
"""See `fuzz.faults.trial.HUNTS`."""

MISSES: Final = 3
"""Hunts that find nothing, after which a fault has survived."""

BASELINE_CALLS: Final = 300


@cache
def _faults_of(peer: str) -> tuple[Seeded, ...]:
    """Read from the source, since it can be imported only where the peer is installed."""
    tree = ast.parse((ROOT / "fuzz" / "targets" / peer / "faults.py").read_text())
    found = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            for call in node.decorator_list:
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "fault":
                    caught_by, precedent = (ast.literal_eval(argument) for argument in call.args[:2])
                    says = " ".join((ast.get_docstring(node) or "").split())
                    name = f"{peer}/{node.name.replace('_', '-')}"
                    found.append(Seeded(name, f"adapter {peer}", precedent, caught_by, says))
    return tuple(found)


def _tried(peer: str, names: Sequence[str], settings: Settings) -> Iterator[Baseline | Row]:
    faults = [fault for fault in _faults_of(peer) if fault.name in names]
    try:
        with running(found(peer)) as process:
            yield _baseline(process, peer, settings.seed)
            for fault in faults:
                yield _hunted(process, fault, settings.seed)
    except (NoEnvironment, PeerFailed) as error:
        why = f"{error}; {error.remedy}" if isinstance(error, NoEnvironment) else str(error)
        yield from (Row(fault, "not run", problem=why) for fault in faults)


def _baseline(process: PeerProcess, peer: str, seed: int) -> Baseline:
    """What breaks in the release itself is no catch of a fault: `hunt` leaves it out where a fault is in force."""
    plain = hunt(process, process.description.setups, seed, seconds=SECONDS, calls=BASELINE_CALLS)
    findings = sorted({finding.property for finding in plain.findings.values()})
    known = f", in which it breaks {', '.join(findings)} by itself" if findings else ""
    return Baseline(f"{peer} {process.description.version}", f"{plain.calls:,} judged calls{known}", plain.calls)


def _hunted(process: PeerProcess, fault: Seeded, seed: int) -> Row:
    _, name = fault.name.split("/")
    setups = process.description.faults[name].setups or process.description.setups
    calls, seconds, missed = 0, 0.0, 0
    first: Finding | None = None
    for number in range(HUNTS):
        run = hunt(process, setups, seed + number, seconds=SECONDS, fault=name, most_findings=1)
        caught: Finding | None = next(iter(run.findings.values()), None)
        if first is None:
            calls, seconds = calls + run.calls, seconds + run.seconds
        if caught is not None and (first is None or caught.property == fault.property):
            first = caught
        missed += caught is None
        if missed == MISSES or (first is not None and first.property == fault.property):
            break
    if first is None:
        return Row(fault, "survived", None, calls, round(seconds, 3))
    verdict: Verdict = "caught" if first.property == fault.property else "caught by another property"
    return Row(fault, verdict, first.property, calls, round(seconds, 3), len(first.script))


def sources() -> Iterator[Source]:
    """One for each peer that can be driven."""
    for peer in known_peers():
        if Path(ROOT / "fuzz" / "targets" / peer / "faults.py").is_file():
            yield Source(partial(_faults_of, peer), partial(_tried, peer))
