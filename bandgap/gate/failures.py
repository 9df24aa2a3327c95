"""From a failure that fuzzing found to a violation that is saved, drawn and explained."""

import shlex

from bandgap.explaining import explain
from bandgap.gate.settings import Settings
from bandgap.gate.violation import Violation
from fuzz.failure import Failure
from fuzz.reproduction import saved
from fuzz.targets.protocol import Target


def violation_of(failure: Failure, target: Target, where: str, settings: Settings) -> Violation:
    """The failure as the reports show it; its file is written."""
    path = str(saved(failure, settings.out / "failures"))
    return explain(failure, target, where, path, f"bandgap reproduce {shlex.quote(path)}")
