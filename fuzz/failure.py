"""A failure: what broke, and the shortest calls that break it."""

from dataclasses import dataclass

from events.records import AnyRecord
from fuzz import script
from fuzz.playing import play
from fuzz.setups import Setup
from fuzz.staging import stage_for
from fuzz.targets.protocol import Target
from fuzz.violation import Violation
from fuzz.watch import CLOSELY, Watch
from spec.judge.verdict import Finding


@dataclass(frozen=True)
class Failure:
    """A property that does not hold, and a script that shows it.

    Attributes:
        target: the allocator, by name.
        setup: the layout and the arena.
        property: its name in the specification; or `agreement`, `all-or-nothing`, `crash`.
        problem: what was seen, a clause.
        finding: the judge's, where it was the judge who saw it.
        script: the calls.
        records: the trace of these calls, up to the record at which the property broke.
        watch: how closely they were watched.
        fault: the seeded fault under which this was found, if it was one.
        repeats: whether the calls showed the failure again when they were made a second time.
        reduced: whether leaving out any part of them makes it vanish; False where time ran out before that was known.
        absent: kinds of operations that were switched off in the life or example that broke.
    """

    target: str
    setup: Setup
    property: str
    problem: str
    finding: Finding | None
    script: script.Script
    records: tuple[AnyRecord, ...]
    watch: Watch = CLOSELY
    fault: str | None = None
    repeats: bool = True
    reduced: bool = True
    absent: tuple[str, ...] = ()


@dataclass(frozen=True)
class Played:
    """What came of making the calls of a script: the violation if there was one, the calls begun, and the trace."""

    violation: Violation | None
    calls: int
    records: tuple[AnyRecord, ...]


def played(target: Target, setup: Setup, calls: script.Script, watch: Watch) -> Played:
    """Make the calls of a script on a new allocator."""
    stage = stage_for(target, setup, watch, keep_records=True)
    begun = [0]
    violation = None
    try:
        play(calls, stage, lambda number: begun.__setitem__(0, number))
    except Violation as error:
        violation = error
    return Played(violation, begun[0], tuple(stage.records or ()))
