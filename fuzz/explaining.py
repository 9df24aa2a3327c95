"""From a run that broke to a failure that a person can read: made again, and as short as it can be."""

from collections.abc import Sequence

from fuzz import script
from fuzz.failure import Failure, played
from fuzz.naming import script_of
from fuzz.reduction import reduced
from fuzz.setups import Setup
from fuzz.stage import Logged
from fuzz.targets.protocol import Target
from fuzz.violation import SYMPTOMS, Violation
from fuzz.watch import AT_THE_END, CLOSELY, FROM_OUTSIDE, JUDGED_ONLY, Watch


def explained(
    target: Target,
    setup: Setup,
    violation: Violation,
    log: Sequence[Logged],
    fault: str | None = None,
    seconds: float = 20.0,
    tries: int | None = None,
) -> Failure:
    """The failure of a run whose last call broke a property, with the shortest script that could be found.

    What a caller can see comes before what only the allocator's tables show. A fault may break several properties: the
    one that the shortest script breaks gives the failure its name.

    Args:
        target: what was driven.
        setup: what it was built from.
        violation: what broke.
        log: the calls that were made.
        fault: the seeded fault that is in force.
        seconds: for making the script shorter.
        tries: scripts that are tried to that end; none for as many as there is time for.
    """
    watch, calls, again = _watched(target, setup, script_of(log))
    if again is None:
        seen = violation.property, violation.problem, violation.finding
        records = played(target, setup, calls, watch).records
        return Failure(target.name, setup, *seen, calls, records, watch, fault, repeats=False, reduced=False)
    name = again.property

    def fails(shorter: script.Script) -> bool:
        nonlocal name
        seen = played(target, setup, shorter, watch).violation
        if seen is None or seen.property not in target.promises:
            return False
        if seen.property in SYMPTOMS and seen.property != name:
            return False
        name = seen.property
        return True

    result = reduced(calls, fails, seconds, tries)
    last = played(target, setup, result.script, watch)
    broken = last.violation
    if broken is None:
        raise RuntimeError(f"the reduced script does not break {name} any more: runs are not repeatable")
    seen = broken.property, broken.problem, broken.finding
    return Failure(target.name, setup, *seen, result.script, last.records, watch, fault, reduced=not result.cut_short)


def _watched(target: Target, setup: Setup, calls: script.Script) -> tuple[Watch, script.Script, Violation | None]:
    """How little must be looked at to see a script fail, the script up to there, and how it fails.

    What breaks at the last call can as well be looked for at the end, which is much faster.
    """
    for closely, at_the_end in _watches(target):
        again = played(target, setup, calls, closely)
        if again.violation is None or again.violation.property not in target.promises:
            continue
        calls = calls[: again.calls]
        sooner = played(target, setup, calls, at_the_end).violation
        if sooner is not None and sooner.property == again.violation.property:
            return at_the_end, calls, sooner
        return closely, calls, again.violation
    return CLOSELY, calls, None


def _watches(target: Target) -> Sequence[tuple[Watch, Watch]]:
    """How closely a script is watched call by call, and how closely it must be to see the same at its end."""
    if "content" not in target.promises:
        # what is read back would only come before what counts
        return ((JUDGED_ONLY, JUDGED_ONLY),)
    return ((FROM_OUTSIDE, JUDGED_ONLY), (CLOSELY, AT_THE_END))
