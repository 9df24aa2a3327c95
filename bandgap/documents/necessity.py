"""What is left out one at a time, to see that it is needed, in the words that every document uses of it."""

from bandgap.documents.catalogue import catalogue
from properties.known import is_fault
from properties.selection import everything


def sentences() -> int:
    """How many sentences the guards of all actions have that have a page."""
    return sum(len(entry.sentences) for entry in catalogue().actions.values() if not entry.is_base)


def repeated() -> int:
    """How many of them an action of the device has from the arena's, of which they are tried."""
    actions = (entry for entry in catalogue().actions.values() if not entry.is_base)
    return sum(not one.weakening for entry in actions for one in entry.sentences)


def left_out() -> str:
    """What is left out: of how many sentences which, and which invariants."""
    tried = sum(not is_fault(name) for name in everything().trials)
    once = sentences() - repeated()
    return (
        f"{once} of the {sentences()} sentences of guards, and for each of the {tried - once} theorems of states an "
        f"invariant, are left out one at a time; the other {repeated()} sentences are those that actions of the device "
        "have from the arena's, and are left out there"
    )
