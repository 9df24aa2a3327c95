"""What is to be shown, chosen by name."""

import difflib
import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from properties.admission import asking
from properties.assumptions import stages
from properties.contracts import known as contracts
from properties.faults import FAULTS
from properties.known import weakenings
from properties.obligations import Kind, Obligation, obligations
from properties.specification import SPECIFICATIONS, changed_actions, written
from properties.weakenings import touched
from properties.witnesses import possibility, properties_at

VACUITY, NECESSITY, FAULTS_GROUP = "vacuity", "necessity", "faults"
"""Names for all examples, all guard sentences with what the theorems rest on, and all seeded faults."""

STAGES = tuple(stage for whole in SPECIFICATIONS for stage in stages(whole))
"""Every stage must be possible, or what is shown there is shown of nothing."""

NEAR = 3
"""How many near names are told."""


class UnknownName(Exception):
    """A name that chooses nothing; `near` are names like it."""

    def __init__(self, name: str, problem: str, near: Sequence[str]) -> None:
        self.name, self.problem, self.near = name, problem, tuple(near)
        super().__init__(f"{name}: {problem}")


@dataclass(frozen=True)
class Selection:
    """Obligations to be proved, weakenings to be tried, and what is to be seen."""

    obligations: tuple[Obligation, ...]
    looks: Mapping[str, tuple[str, ...]]
    """What is looked for at each stage: that it can happen, and the cases of properties."""

    trials: tuple[str, ...]

    @property
    def is_whole(self) -> bool:
        """Nothing was left out."""
        return self == everything()


@functools.cache
def everything() -> Selection:
    """All that can be chosen."""
    looks = {stage: (possibility(stage), *_with_cases(stage)) for stage in STAGES}
    asked = tuple(obligation for whole in SPECIFICATIONS for obligation in obligations(whole))
    return Selection(
        (*asked, *asking.obligations()),
        {**looks, **{stage: (stage,) for stage in asking.STAGES}},
        (*weakenings(), *asking.SEEDED),
    )


def selected(names: Iterable[str]) -> Selection:
    """What bears one of these names, or is about what bears it; everything, if there are no names.

    Raises:
        UnknownName: nothing does.
    """
    wanted, whole = set(names), everything()
    if not wanted:
        return whole
    for name in sorted(wanted - known_names()):
        raise UnknownName(name, "nothing has this name", near(name, known_names()))
    looks = {stage: tuple(_looked_for(stage, named, wanted)) for stage, named in whole.looks.items()}
    # Contracts take a minute of their own: they are shown when they are asked for.
    return Selection(
        tuple(o for o in (*whole.obligations, *contracts.obligations()) if wanted & _names_of_obligation(o)),
        {stage: found for stage, found in looks.items() if found},
        tuple(name for name in (*whole.trials, *contracts.breaking()) if wanted & _names_of_trial(name)),
    )


def broken(weakening: str, names: Iterable[str]) -> Selection:
    """The obligations that a weakening puts in question, or those of them that bear one of the names.

    Raises:
        UnknownName: there is no such weakening, or none of its obligations bears one of the names.
    """
    known = (*weakenings(), *asking.SEEDED, *contracts.breaking())
    if weakening not in known:
        raise UnknownName(weakening, "no guard sentence and no seeded fault has this name", near(weakening, known))
    if contracts.is_contract(weakening):
        asked = contracts.touched(weakening)
    elif asking.is_asked(weakening):
        asked = asking.touched(weakening)
    else:
        asked = touched(written(weakening), weakenings()[weakening].change(written(weakening)))
    wanted = set(names)
    chosen = tuple(o for o in asked if not wanted or wanted & _names_of_obligation(o))
    if not chosen:
        raise UnknownName(", ".join(sorted(wanted)), "the weakening does not touch it", [o.name for o in asked][:1])
    return Selection(chosen, {}, ())


def known_names() -> set[str]:
    """Every name by which something can be chosen."""
    whole = everything()
    every = (*whole.obligations, *contracts.obligations())
    of_obligations = {name for o in every for name in _names_of_obligation(o)}
    return of_obligations | {*whole.trials, *contracts.breaking()} | {VACUITY, NECESSITY, FAULTS_GROUP}


def near(name: str, known: Iterable[str]) -> list[str]:
    """Names like this one: those that contain it, those that contain its words, then those that are spelled like it."""
    ordered = sorted(known)
    words = re.findall(r"\w+", name.lower())
    within = [other for other in ordered if name and name.lower() in other]
    worded = [other for other in ordered if words and all(word in other for word in words)]
    alike = difflib.get_close_matches(name, ordered, n=NEAR, cutoff=0.6)
    return list(dict.fromkeys([*within, *worded, *alike]))[:NEAR]


def _with_cases(stage: str) -> Iterator[str]:
    """The properties whose cases are looked for at a stage; where an action is the base's, so are they."""
    whole = written(stage)
    if stage not in whole.actions or stage in changed_actions(whole):
        yield from properties_at(whole, stage)


def _looked_for(stage: str, names: tuple[str, ...], wanted: set[str]) -> Iterator[str]:
    for name in names:
        if wanted & {name, VACUITY, *_names_of_whole(stage)} or (name == possibility(stage) and stage in wanted):
            yield name


def _names_of_obligation(o: Obligation) -> set[str]:
    if o.kind is Kind.CONTRACT:
        return {o.name, *contracts.names_of(o.property)}
    return {o.name, o.stage, asking.theorem_of(o.stage), o.property, str(o.kind), *_names_of_whole(o.stage)}


def _names_of_whole(name: str) -> set[str]:
    """What chooses everything of a specification that has a name, to which a stage or a weakening belongs."""
    prefix = asking.PREFIX if asking.is_asked(name) else written(name).prefix
    return {prefix.rstrip("/")} - {""}


def _names_of_trial(name: str) -> set[str]:
    if contracts.is_contract(name):
        return {name, *contracts.names_of(contracts.breaking()[name])}
    if asking.is_asked(name):
        return {name, asking.SEEDED[name].property, FAULTS_GROUP, *_names_of_whole(name)}
    group = FAULTS_GROUP if name in FAULTS else NECESSITY
    return {name, name.split(".")[0], weakenings()[name].property, group, *_names_of_whole(name)}
