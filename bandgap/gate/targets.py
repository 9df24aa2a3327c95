"""An allocator by the name that a person gives."""

import re
from difflib import get_close_matches

from bandgap.errors import UsageError
from fuzz.peers.environments import known_peers
from fuzz.targets.all import TARGETS
from fuzz.targets.protocol import Target


def target_named(name: str) -> Target:
    """The target of that name.

    Raises:
        UsageError: there is none; the remedy names what comes near.
    """
    if name not in TARGETS:
        # a release may be written in another way than ours
        plain = re.split(r"[^A-Za-z-]", name)[0].lower()
        near = get_close_matches(plain, [*TARGETS, *known_peers()], n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        others = "`bandgap gate` also takes sglang, vllm, either with ==RELEASE, and DRIVER.py; `bandgap fuzz` serving"
        remedy = f"{meant}choose one of {', '.join(sorted(TARGETS))}; {others}"
        raise UsageError("--target", name, "is not a target", remedy)
    return TARGETS[name]
