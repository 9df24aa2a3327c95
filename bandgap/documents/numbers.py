"""How much there is of everything, counted where it is registered."""

from bandgap.documents.admitted import PROSE, by_property
from bandgap.documents.catalogue import all_faults, catalogue
from bandgap.documents.markdown import table
from properties.admission.asking import SEEDED
from properties.known import is_fault
from properties.selection import everything


def numbers() -> str:
    """A table."""
    whole = catalogue()
    actions = [entry for entry in whole.actions.values() if not entry.is_base]
    sentences = sum(len(entry.sentences) for entry in actions)
    faults = all_faults()
    of_specification = sum(fault.where == "specification" for fault in faults)
    left_out = [name for name in everything().trials if not is_fault(name)]
    rows = [
        ("actions", f"{len(actions)}, with {sentences} sentences in their guards"),
        ("properties", f"{len(whole.properties)}, and {len(PROSE)} of admission"),
        ("obligations", f"{len(everything().obligations):,}, each for arenas of any size"),
        ("theorems about admission, ranks and counts", f"{sum(map(len, by_property().values()))}"),
        ("guard sentences and assumptions left out", f"{len(left_out)}, each of which breaks a property"),
        (
            "seeded faults",
            f"{of_specification} in the specification, {len(SEEDED)} in admission, ranks and counts, "
            f"{len(faults) - of_specification} in the code",
        ),
    ]
    return table(("what", "how many"), rows)
