"""The outcome of a run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from properties.admission.small import Small
from properties.answers import Answer, Verdict
from properties.examples import Example
from properties.selection import Selection
from properties.specification import SPECIFICATIONS
from properties.trials import Trial
from properties.witnesses import Sighting
from spec.admission.properties import PROPERTIES as ADMISSION


@dataclass(frozen=True)
class Witness:
    """Something that must be able to happen, where it was seen, and the first example of it."""

    name: str
    seen_at: tuple[str, ...]
    example: Example | Small | None
    reason: str
    """Why nothing is known of it; empty if it was seen, or cannot happen."""


@dataclass(frozen=True)
class Report:
    """What was shown; what was stopped early shows nothing of the rest."""

    selection: Selection
    weakening: str | None
    answers: tuple[Answer, ...]
    witnesses: tuple[Witness, ...]
    trials: tuple[Trial, ...]
    seconds: float
    interrupted: bool

    def count(self, verdict: Verdict) -> int:
        """How many obligations have this verdict."""
        return sum(answer.verdict == verdict for answer in self.answers)

    @property
    def unseen(self) -> tuple[Witness, ...]:
        """What cannot happen although it must."""
        return tuple(witness for witness in self.witnesses if witness.example is None)

    @property
    def failed_trials(self) -> tuple[Trial, ...]:
        """The trials that did not end as they must."""
        return tuple(trial for trial in self.trials if trial.wrong)

    @property
    def idle(self) -> tuple[str, ...]:
        """The properties that no weakening breaks, if all were tried: nobody knows that they can fail."""
        if not self.selection.is_whole or self.interrupted:
            return ()
        properties = [*[name for whole in SPECIFICATIONS for name in whole.claims], *ADMISSION]
        refuted = {name for trial in self.trials for name in trial.refuted}
        return tuple(name for name in properties if name not in refuted)

    @property
    def verdict(self) -> Verdict:
        """Violated if anything is known to be wrong, unknown if anything is not known, else proved."""
        if self._wrong():
            return Verdict.VIOLATED
        return Verdict.UNKNOWN if self._open() else Verdict.PROVED

    def _wrong(self) -> bool:
        return bool(
            self.count(Verdict.VIOLATED)
            or any(not witness.reason for witness in self.unseen)
            or any(not trial.undecided for trial in self.failed_trials)
            or self.idle
        )

    def _open(self) -> bool:
        return bool(self.interrupted or self.count(Verdict.UNKNOWN) or self.unseen or self.failed_trials)


def witnesses(sightings: Iterable[Sighting]) -> tuple[Witness, ...]:
    """What was seen, each thing once: it is enough to have seen it at one stage."""
    by_name: dict[str, list[Sighting]] = {}
    for sighting in sightings:
        by_name.setdefault(sighting.name, []).append(sighting)
    return tuple(_together(name, of_name) for name, of_name in by_name.items())


def _together(name: str, sightings: Sequence[Sighting]) -> Witness:
    seen = [sighting for sighting in sightings if sighting.example is not None]
    if seen:
        return Witness(name, tuple(sighting.stage for sighting in seen), seen[0].example, "")
    return Witness(name, (), None, "; ".join(sighting.reason for sighting in sightings if sighting.reason))
