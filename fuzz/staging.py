"""The stage that a target needs."""

from fuzz.setups import Setup
from fuzz.simulated.stage import SimulatedStage
from fuzz.stage import Stage
from fuzz.targets.protocol import Target
from fuzz.targets.simulated import SimulatedTarget
from fuzz.watch import Watch


def stage_for(target: Target, setup: Setup, watch: Watch, keep_records: bool = False) -> Stage:
    """A new allocator of a target on the stage where its work can be watched."""
    if isinstance(target, SimulatedTarget):
        return SimulatedStage(target, setup, watch, keep_records)
    return Stage(target, setup, watch, keep_records)
