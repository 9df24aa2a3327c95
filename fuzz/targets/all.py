"""Every target there is."""

from typing import Final

from fuzz.targets.own import OWN
from fuzz.targets.protocol import Target

TARGETS: Final[dict[str, Target]] = {OWN.name: OWN}
"""By name."""
