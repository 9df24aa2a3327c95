"""What a check says, by its name."""

from spec.judge.checks import prose_of_check

_OTHER = {
    "crash": "A call does what is asked, or rejects it as a misuse.",
    "address-rises": "The address of a page never falls as pages rise.",
}


def prose_of(name: str) -> str:
    """The sentence of a property or of another check."""
    return _OTHER[name] if name in _OTHER else prose_of_check(name)
