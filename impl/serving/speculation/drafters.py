"""The drafters by name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from impl.serving.speculation.block import DFlash, DSpark
from impl.serving.speculation.drafter import Drafter
from impl.serving.speculation.eagle import Eagle, Eagle3

DRAFTERS: Final[Mapping[str, type[Drafter]]] = MappingProxyType(
    {"eagle": Eagle, "eagle3": Eagle3, "dflash": DFlash, "dspark": DSpark}
)
