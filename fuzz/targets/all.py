"""Every target there is."""

from typing import Final

from fuzz.targets.own import OWN
from fuzz.targets.protocol import Target
from fuzz.targets.simulated import ORDER, SIMULATED

TARGETS: Final[dict[str, Target]] = {target.name: target for target in (OWN, SIMULATED, ORDER)}
"""By name."""
