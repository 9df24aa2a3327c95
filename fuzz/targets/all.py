"""Every target there is."""

from typing import Final

from fuzz.targets.own import OWN
from fuzz.targets.protocol import Target
from fuzz.targets.simulated import SIMULATED

TARGETS: Final[dict[str, Target]] = {OWN.name: OWN, SIMULATED.name: SIMULATED}
"""By name."""
