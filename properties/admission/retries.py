"""Retrying: a refusal that is done justice to leaves less to give up, so that there is an end to it."""

from collections.abc import Iterator

from properties.admission.chains import Numbers
from properties.admission.evictions import any_eviction, small_eviction
from properties.admission.grid import laws
from properties.admission.packing import Packing, admits
from properties.admission.questions import Question, by_induction
from properties.admission.subject import Subject
from properties.admission.theorem import Theorem
from spec.admission.layouts import is_legal
from spec.logic import And, Implies, Not


def names_a_page(subject: Subject) -> Iterator[Question]:
    """If there is a legal layout once no page was given up, the demand was not refused: packing succeeds.

    That giving up what a refusal names is enough, is a theorem of its own, and is taken as given here.
    """
    eviction, rooms = any_eviction(subject)
    s, band = eviction.s, rooms.band
    least, suffices = eviction.least(band, rooms.free(band), rooms.limit(band))
    packing = Packing(eviction.code, s)
    enough = Implies(suffices, is_legal(eviction.fewer(s, band, least)))
    yield from by_induction(
        [
            *laws(eviction.code),
            *eviction.given,
            *rooms.begin,
            enough,
            suffices,
            least <= 0,
            least >= 0,
            packing.begins(),
        ],
        [packing.stays_behind(s)],
        {"conclusion": packing.admits()},
    )


def small_names_a_page(subject: Subject, numbers: Numbers) -> Question:
    """The same of a small chain: whoever is refused and told what to give up is told at least one page."""
    eviction, rooms = small_eviction(subject, numbers)

    def is_some(band: int) -> object:
        least, suffices = eviction.least(band, rooms.free[band], rooms.limit[band])
        return Implies(suffices, least >= 1)

    refused = Not(admits(eviction.code, eviction.s))
    return Question("", (*eviction.given, refused), And(*map(is_some, range(len(rooms.chain)))))


THEOREMS = {
    "refusals-name-a-page": Theorem(
        "retry-terminates",
        "A refusal that names pages to give up names at least one: each time it is heeded fewer pages live.",
        names_a_page,
        small_names_a_page,
        leans_on=("eviction-is-enough",),
    ),
}
