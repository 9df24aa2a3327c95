"""Lets SGLang be imported without torchvision, whose releases bring CUDA and of which its allocator uses nothing.

Some of its modules name torchvision at import time. They get empty modules, in which every name is an empty class.
transformers, which asks whether torchvision is installed, is asked first and remembers the truth.
"""

import sys
from types import ModuleType
from typing import Any, Final

from transformers.utils import is_torchvision_available

NAMES: Final = ("torchvision", "torchvision.io", "torchvision.transforms", "torchvision.transforms.functional")


class Absent(ModuleType):
    """A module without contents that has whatever is asked of it."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.__path__ = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def install() -> None:
    """Put the empty modules where imports find them, unless the real ones are there."""
    if is_torchvision_available():
        return
    for name in NAMES:
        module = sys.modules[name] = Absent(name)
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)
