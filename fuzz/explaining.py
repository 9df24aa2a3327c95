"""From a run that broke to a failure that a person can read: made again, and as short as it can be."""

from collections.abc import Sequence

from fuzz import script
from fuzz.failure import Failure, played
from fuzz.naming import script_of
from fuzz.reduction import reduced
from fuzz.setups import Setup
from fuzz.stage import Logged
from fuzz.targets.protocol import Target
from fuzz.violation import Violation
from fuzz.watch import CLOSELY, FROM_OUTSIDE

SYMPTOMS = frozenset({"agreement", "crash"})
"""What breaks for any reason; a failure of a property proper is not traded for one of these."""


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
    for watch in (FROM_OUTSIDE, CLOSELY):
        again = played(target, setup, calls, watch)
        if again.violation is not None:
            break
    else:
        seen = violation.property, violation.problem, violation.finding
        return Failure(target.name, setup, *seen, calls, again.records, watch, fault, repeats=False, reduced=False)
    first = again.violation.property

    def fails(shorter: script.Script) -> bool:
        seen = played(target, setup, shorter, watch).violation
        return seen is not None and (seen.property == first or not {seen.property, first} & SYMPTOMS)

    result = reduced(calls, fails, seconds)
    last = played(target, setup, result.script, watch)
    broken = last.violation
    if broken is None:
        raise RuntimeError(f"the reduced script does not break {first} any more: runs are not repeatable")
    seen = broken.property, broken.problem, broken.finding
    return Failure(target.name, setup, *seen, result.script, last.records, watch, fault, reduced=not result.cut_short)
