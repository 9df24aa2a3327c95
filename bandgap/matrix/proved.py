"""Faults of the specification and of what is proved of it: sentences left out, guards and effects that are wrong."""

from collections.abc import Iterator, Sequence

from bandgap.matrix.row import Baseline, Row, Seeded, Settings, Source, Verdict
from properties import Answer, Selection, Trial, run
from properties import Verdict as Proof
from properties.admission.asking import SEEDED
from properties.admission.asking import touched as touched_by_admission
from properties.faults import FAULTS
from properties.known import weakenings
from properties.obligations import Obligation
from properties.selection import everything
from properties.specification import written
from properties.weakenings import touched


def _faults() -> Sequence[Seeded]:
    known = weakenings()
    return [_seeded(name, known[name] if name in known else SEEDED[name]) for name in everything().trials]


def _seeded(name: str, fault: object) -> Seeded:
    level = "specification" if name not in SEEDED else "proof"
    precedent, says, caught_by = (getattr(fault, field) for field in ("precedent", "says", "property"))
    left_out = "" if name in FAULTS or name in SEEDED else "class: a sentence left out"
    return Seeded(name, level, precedent or left_out, caught_by, says)


def _tried(names: Sequence[str], _settings: Settings) -> Iterator[Baseline | Row]:
    """What each fault names is proved first where there is no fault; a counterexample is one action from one state."""
    asked = tuple(dict.fromkeys(obligation for name in names for obligation in _in_question(name)))
    proofs = run(Selection(asked, {}, ()))
    broken = [answer for answer in proofs.answers if answer.verdict is not Proof.PROVED]
    yield _baseline(proofs.answers, broken)
    if not broken:
        by_name = {seeded.name: seeded for seeded in _faults()}
        for trial in run(Selection((), {}, tuple(names))).trials:
            yield _row(by_name[trial.name], trial)


def _in_question(name: str) -> Iterator[Obligation]:
    """The obligations that a fault questions, of the property that must catch it."""
    if name in SEEDED:
        yield from touched_by_admission(name)
        return
    weakening = weakenings()[name]
    for obligation in touched(written(name), weakening.change(written(name))):
        if obligation.property == weakening.property:
            yield obligation


def _baseline(answers: Sequence[Answer], broken: Sequence[Answer]) -> Baseline:
    passed = f"{len(answers) - len(broken):,} of {len(answers):,} proofs"
    if not broken:
        return Baseline("the specification", passed)
    first = broken[0]
    return Baseline(
        "the specification", passed, 0, first.obligation.property, f"{first.obligation.name}: {first.verdict}"
    )


def _row(fault: Seeded, trial: Trial) -> Row:
    caught = fault.property in trial.refuted
    by = fault.property if caught else next(iter(trial.refuted), None)
    verdict: Verdict = "caught"
    if trial.undecided:
        verdict = "invalid"
    elif trial.wrong:
        verdict = "invalid" if caught else "caught by another property" if by else "survived"
    return Row(fault, verdict, by, None, round(trial.seconds, 3), 1 if by else None, trial.wrong or None)


PROVED = Source(_faults, _tried)
