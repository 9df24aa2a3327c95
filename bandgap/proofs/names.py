"""What `bandgap prove --list` prints: everything that has a name."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.text import Text

from properties import everything
from properties.admission.asking import SEEDED, Seeded
from properties.contracts.contract import CONTRACTS
from properties.faults import FAULTS
from properties.weakenings import Weakening, assumptions, sentences


def names_text() -> Iterator[Text]:
    """Every name, and of a weakening what it says and which property must catch it."""
    yield Text("Obligations", style="bold")
    yield from (Text(obligation.name) for obligation in everything().obligations)
    yield Text("\nContracts", style="bold")
    for each in CONTRACTS.values():
        yield Text.assemble(f"{each.name}\n", (f"    {each.says}", "dim"))
    for title, group in _weakenings().items():
        yield Text(f"\n{title}", style="bold")
        for weakening in group.values():
            precedent = f", as in {weakening.precedent}" if weakening.precedent else ""
            yield Text.assemble(f"{weakening.name}\n", (f"    {weakening.says}", "dim"))
            yield Text(f"    caught by {weakening.property}{precedent}", style="dim")


def names_document() -> dict[str, Any]:
    """The same as a document."""
    return {
        "obligations": [
            {"name": o.name, "kind": o.kind, "action": o.action, "property": o.property}
            for o in everything().obligations
        ],
        "contracts": [{"name": each.name, "says": each.says, "broken": [*each.broken]} for each in CONTRACTS.values()],
        **{
            title.lower().replace(" ", "_"): [
                {"name": w.name, "says": w.says, "property": w.property, "precedent": w.precedent}
                for w in group.values()
            ]
            for title, group in _weakenings().items()
        },
    }


def _weakenings() -> Mapping[str, Mapping[str, Weakening | Seeded]]:
    return {
        "Guard sentences": dict(sentences()),
        "Assumptions of theorems": dict(assumptions()),
        "Seeded faults": {**FAULTS, **SEEDED},
    }
