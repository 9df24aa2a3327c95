"""What a failure's calls and set-up are like, so that failures can be compared: what they share, and what differs."""

from collections.abc import Iterator

from bandgap.gate.violation import Traits
from fuzz import script
from fuzz.failure import Failure


def traits_of(failure: Failure) -> Traits:
    """What is so of a failure, by trait, sorted."""
    kinds = failure.setup.layout.kinds
    named = {band for call in failure.script for band in _bands(call)}
    return (
        ("layout", (failure.setup.name,)),
        ("target", (failure.target,)),
        ("band", tuple(sorted({kinds[band].name for band in named if band < len(kinds)}))),
        ("user", tuple(sorted({call.user for call in failure.script if isinstance(call, script.Open)}))),
        ("call", tuple(sorted({said for call in failure.script for said in _said(call)}))),
    )


def _bands(call: script.AnyCall) -> Iterator[int]:
    if isinstance(call, script.Allocate | script.Plan):
        yield from (band for band, count in enumerate(call.demand) if count)
    elif hasattr(call, "band"):
        yield call.band


def _said(call: script.AnyCall) -> Iterator[str]:
    name = str(call.__struct_config__.tag)
    match call:
        case script.Open():
            yield "open with waits" if call.waits else "open"
        case script.Hold():
            yield f"hold to {call.mode}"
        case script.Allocate():
            yield "allocate copies" if any(call.originals) else "allocate wiped" if call.wipe else "allocate"
        case _:
            yield name
