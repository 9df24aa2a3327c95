"""Units about another's allocator: a little of its driver, which knows its own setups and faults."""

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path

from fuzz.campaign.plan import Plan
from fuzz.campaign.record import Finding, Met, Record, in_order, listed
from fuzz.campaign.work import PATIENCE, REDUCTION_TRIES, Unit, seed_of
from fuzz.looks import Look
from fuzz.peers.environments import found
from fuzz.peers.hunting import Finding as PeerFinding
from fuzz.peers.hunting import Hunt, hunt
from fuzz.peers.process import PeerFailed, PeerProcess
from fuzz.peers.reproduction import encoded


class Others:
    """See `Work`."""

    setups: Sequence[str] = ()
    kinds: Sequence[str] = ("peer",)
    faults: Collection[str] = ()

    def under(self, fault: str) -> AbstractContextManager[object]:
        """See `Work.under`: its driver is told, and puts it into force itself."""
        return nullcontext()

    def do(self, plan: Plan, unit: Unit, setup: str, kind: str) -> Record:
        """See `Work.do`.

        Raises:
            PeerFailed: its driver failed.
        """
        process = _peer(plan.target, plan.checkout, plan.python)
        try:
            done = hunt(
                process,
                process.description.setups,
                seed_of(plan, unit),
                seconds=float("inf"),
                calls=plan.unit_calls,
                fault=plan.fault,
                shrink_seconds=PATIENCE,
                shrink_tries=REDUCTION_TRIES,
                known=unit.known,
            )
        except PeerFailed:
            # the next unit has a new one
            process.close()
            _peer.cache_clear()
            raise
        return _recorded(plan, unit, done, process)


@cache
def _peer(name: str, checkout: str | None, python: str | None) -> PeerProcess:
    """A driver's process for all units that are done here; it ends with this one."""
    there, own = (None if value is None else Path(value) for value in (checkout, python))
    return PeerProcess(found(name, checkout=there, python=own))


def _recorded(plan: Plan, unit: Unit, done: Hunt, process: PeerProcess) -> Record:
    met = [Met(look, times) for look, times in sorted(done.again.items())]
    named: set[Look] = set()
    for raw, look in done.first_looks.items():
        finding = done.findings[look]
        is_first = look not in named
        named.add(look)
        shown = _finding(finding, plan.target, process.description.version) if is_first else None
        met.append(Met(raw, finding.times if is_first else 0, look, shown))
    return Record(
        unit.lane,
        unit.index,
        "peer",
        "",
        done.lives,
        0,
        done.calls,
        actions=in_order(done.actions),
        outcomes=listed(done.outcomes),
        met=tuple(met),
    )


def _finding(finding: PeerFinding, target: str, version: str) -> Finding:
    name = target.partition("==")[0].rpartition("/")[2].removesuffix(".py")
    shown = "\n".join(repr(call) for call in finding.script)
    file = encoded(finding, name, version).decode()
    return Finding(finding.looks(), finding.setup, finding.problem, len(finding.script), file, shown)
