"""A ledger that forgets what is on a stream once a ticket waits for another, and failures that this leads to."""

import pytest

from bandgap.explaining import explain
from bandgap.gate.violation import Violation
from fuzz import script
from fuzz.failure import Failure, played
from fuzz.setups import setup_of
from fuzz.targets.own import OWN
from fuzz.watch import AT_THE_END, JUDGED_ONLY, Watch
from impl.ledger import Ledger, Ticket

REJECTED = (
    script.Allocate(0, [1, 0]),
    script.Open(1, "forward", "compute"),
    script.Hold(1, 0, [(0, 0)], "write"),
    script.Open(2, "copy", "host"),
    script.Open(3, "forward", "compute", [2]),
    script.Hold(3, 0, [(0, 0)], "write"),
)
"""The last call is legal and rejected: its ticket runs after the first on their stream."""

DIFFERENT = (
    script.Open(0, "copy", "host"),
    script.Open(1, "forward", "compute"),
    script.Open(2, "forward", "compute", [0]),
)
"""After these the tables differ."""


def forgetting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Break the ledger."""
    right = Ledger.open

    def wrong(self: Ledger, user: str, stream: str | None, waits: list[int], now: int) -> Ticket:
        waits = list(waits)
        if waits and stream is not None:
            self._tails.pop(stream, None)
        return right(self, user, stream, waits, now)  # type: ignore[arg-type]  # users are checked there

    monkeypatch.setattr(Ledger, "open", wrong)


def failure_of(calls: script.Script, setup: str = "toy-window-full") -> Failure:
    """What breaks under it."""
    watch: Watch = JUDGED_ONLY if calls is REJECTED else AT_THE_END
    run = played(OWN, setup_of(setup), calls, watch)
    assert run.violation is not None
    seen = run.violation.property, run.violation.problem, run.violation.finding
    return Failure(OWN.name, setup_of(setup), *seen, calls, run.records, watch, absent=("clear", "fork"))


def explained(monkeypatch: pytest.MonkeyPatch, calls: script.Script, setup: str = "toy-window-full") -> Violation:
    """The same as reports show it."""
    with monkeypatch.context() as patched:
        forgetting(patched)
        return explain(failure_of(calls, setup), OWN, f"{setup}, seed 7", f"{setup}.json", f"bandgap again {setup}")
