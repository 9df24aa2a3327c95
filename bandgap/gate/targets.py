"""An allocator by the name that a person gives."""

from bandgap.errors import UsageError
from fuzz.targets.all import TARGETS
from fuzz.targets.protocol import Target


def target_named(name: str) -> Target:
    """The target of that name.

    Raises:
        UsageError: there is none.
    """
    if name not in TARGETS:
        others = "`bandgap gate` also takes sglang, vllm, either with ==RELEASE, and DRIVER.py"
        raise UsageError("--target", name, "is not a target", f"choose one of {', '.join(sorted(TARGETS))}; {others}")
    return TARGETS[name]
