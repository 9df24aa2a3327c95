"""What a check says, by its name."""

from spec.judge.checks import prose_of_check

_OTHER = {
    "crash": "A call does what is asked, or rejects it as a misuse.",
    "address-rises": "The address of a page never falls as pages rise.",
    "race-free": "Any two accesses to the same bytes, of which one writes, are ordered by streams, events or landing; "
    "so it is with the entries of the page table.",
    "no-foreign-bytes": "A page handed out shows nothing of its earlier owner to whoever reads only what was written.",
    "no-host-sync": "No call of the allocator waits for the device.",
}


def prose_of(name: str) -> str:
    """The sentence of a property or of another check."""
    return _OTHER[name] if name in _OTHER else prose_of_check(name)
