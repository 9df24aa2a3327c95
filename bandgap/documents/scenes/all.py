"""The worked example of each action and of each property, played when it is asked for."""

from dataclasses import dataclass
from functools import cache

from bandgap.documents.scenes import arena, device
from bandgap.documents.scenes.judged import finding_of
from bandgap.documents.scenes.stage import Broken, NotAsPlanned, Offence, Scene, Shown, offended, played
from properties.known import weakenings
from properties.ladder import refutation
from properties.limits import USUAL
from properties.obligations import Obligation, obligations
from properties.search import Search, shapes
from properties.specification import SPECIFICATIONS, Specification, written
from properties.weakenings import Weakening, touched

SCENES: dict[str, Scene] = {**arena.ACTIONS, **device.ACTIONS}
OFFENCES: dict[str, Offence] = {**arena.PROPERTIES, **device.PROPERTIES}
"""What is written down. Of what is not, an example is looked for as the proofs look for theirs."""


@dataclass(frozen=True)
class Offended:
    """An offence and what is said of it."""

    broken: Broken
    finding: str
    """What the judge says of it; empty where it has no part."""


@cache
def example_of(action: str) -> Shown:
    """An action, played."""
    specification = written(action)
    if action in SCENES:
        return played(specification, SCENES[action])
    found = Search(specification, action, shapes(specification, action)[0], USUAL).find(True, plainest=True)
    if found is None:
        raise NotAsPlanned(f"{action} cannot happen in a small arena: write a scene of it")
    return Shown(found, ())


@cache
def offence_of(claim: str) -> Offended:
    """An offence against a property, played."""
    specification = next(whole for whole in SPECIFICATIONS if claim in whole.claims)
    offence = OFFENCES.get(claim)
    if offence is None:
        return Offended(_found(specification, claim), "")
    broken = offended(specification, claim, offence)
    if offence.fault or specification.base is not None:
        return Offended(broken, "")
    finding = finding_of(offence.start, offence.names, offence.before, offence.wrong[0])
    return Offended(broken, str(finding) if finding else "")


def _found(specification: Specification, claim: str) -> Broken:
    """The counterexample of a weakening that must break the property."""
    for weakening in weakenings().values():
        if weakening.property != claim or not weakening.name.startswith(specification.prefix):
            continue
        weakened = weakening.change(specification)
        for obligation in _asked(specification, weakened, claim):
            search = Search(weakened, obligation.stage, shapes(weakened, obligation.stage)[0], USUAL)
            counterexample = refutation(search, obligation, plainest=True)
            if counterexample is not None:
                example, culprits = counterexample.example, counterexample.culprits
                refused = ((weakening.says.partition(": ")[2], claim),) if _is_sentence(weakening) else ()
                return Broken((example,), refused, "" if refused else weakening.name, culprits, ())
    raise NotAsPlanned(f"no weakening breaks {claim} in a small arena: write an offence against it")


def _asked(specification: Specification, weakened: Specification, claim: str) -> list[Obligation]:
    asked = touched(specification, weakened) or obligations(weakened)
    return [obligation for obligation in asked if obligation.property == claim]


def _is_sentence(weakening: Weakening) -> bool:
    return not weakening.precedent and " without: " in weakening.says
