"""From a run that broke to a failure that a person can read: made again, and as short as it can be."""

from collections.abc import Sequence

from fuzz import script
from fuzz.failure import Failure, Played, played
from fuzz.naming import script_of
from fuzz.reduction import reduced
from fuzz.setups import Setup
from fuzz.stage import Logged
from fuzz.targets.protocol import Target
from fuzz.violation import Violation
from fuzz.watch import CLOSELY, FROM_OUTSIDE, JUDGED_ONLY, Watch

SYMPTOMS = frozenset({"agreement", "crash"})
"""What breaks for any reason: traded for a property proper where that can be had, and never the other way."""


def explained(
    target: Target,
    setup: Setup,
    violation: Violation,
    log: Sequence[Logged],
    fault: str | None = None,
    seconds: float = 20.0,
) -> Failure:
    """The failure of a run whose last call broke a property, with the shortest script that could be found.

    What a caller can see comes before what only the allocator's tables show.  A fault may break several properties: the
    one that the shortest script breaks gives the failure its name.

    Args:
        target: what was driven.
        setup: what it was built from.
        violation: what broke.
        log: the calls that were made.
        fault: the seeded fault that is in force.
        seconds: for making the script shorter.
    """
    calls = script_of(log)
    watch, again = _watched(target, setup, calls)
    if again.violation is None:
        seen = violation.property, violation.problem, violation.finding
        return Failure(target.name, setup, *seen, calls, again.records, watch, fault, repeats=False, reduced=False)
    name = again.violation.property

    def fails(shorter: script.Script) -> bool:
        nonlocal name
        seen = played(target, setup, shorter, watch).violation
        if seen is None or (seen.property in SYMPTOMS and seen.property != name):
            return False
        name = seen.property
        return True

    result = reduced(calls, fails, seconds)
    last = played(target, setup, result.script, watch)
    broken = last.violation
    if broken is None:
        raise RuntimeError(f"the reduced script does not break {name} any more: runs are not repeatable")
    seen = broken.property, broken.problem, broken.finding
    return Failure(target.name, setup, *seen, result.script, last.records, watch, fault, reduced=not result.cut_short)


def _watched(target: Target, setup: Setup, calls: script.Script) -> tuple[Watch, Played]:
    """The least that must be looked at to see a script fail, which is the fastest; and how it fails then."""
    again = played(target, setup, calls, FROM_OUTSIDE)
    if again.violation is None:
        return CLOSELY, played(target, setup, calls, CLOSELY)
    if again.violation.finding is None:
        return FROM_OUTSIDE, again
    return JUDGED_ONLY, played(target, setup, calls, JUDGED_ONLY)
