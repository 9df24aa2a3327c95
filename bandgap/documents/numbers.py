"""How much there is of everything, counted where it is registered."""

from bandgap.documents.admitted import PROSE, by_property, repeated
from bandgap.documents.catalogue import all_faults, catalogue
from bandgap.documents.markdown import table
from bandgap.documents.necessity import left_out, sentences
from properties.admission.asking import SEEDED
from properties.selection import everything


def numbers() -> str:
    """A table of how much there is of each."""
    whole = catalogue()
    actions = [entry for entry in whole.actions.values() if not entry.is_base]
    faults = all_faults()
    of_specification = sum(fault.where == "specification" for fault in faults)
    theorems, of_actions = sum(map(len, by_property().values())), sum(map(repeated, by_property()))
    rows = [
        ("actions", f"{len(actions)}, with {sentences()} sentences in their guards"),
        ("properties", f"{len(whole.properties)}, and {len(PROSE)} of admission"),
        ("obligations", f"{len(everything().obligations):,}, each for arenas of any size"),
        (
            "theorems about admission, ranks and counts",
            f"{theorems}, of which {of_actions} say the same of one action each",
        ),
        ("left out, to see that it is needed", f"{left_out()}; each time the property that is named breaks"),
        (
            "seeded faults",
            f"{of_specification} in the specification, {len(SEEDED)} in admission, ranks and counts, "
            f"{len(faults) - of_specification} in the code",
        ),
    ]
    return table(("what", "how many"), rows)
