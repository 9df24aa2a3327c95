"""How often the fuzzer exercised each action, from what a campaign left on record."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from bandgap.documents.catalogue import SentenceEntry, all_faults
from bandgap.documents.markdown import bullets, code, listed, sentence

RECORD: Final = Path(__file__).parents[2] / "docs" / "exercised.json"
"""Written by hand: the sums over the journals of a campaign of `bandgap fuzz`, and the day."""


class Exercised(msgspec.Struct, frozen=True):
    """What a campaign exercised.

    Attributes:
        date: on which it ended.
        target: that was driven.
        seed: of all choices.
        units: of work.
        calls: that were judged.
        actions: page actions by name.
        rejections: calls that were no legal ones, by `action: sentence`.
    """

    date: str
    target: str
    seed: int
    units: int
    calls: int
    actions: dict[str, int]
    rejections: dict[str, int]


@cache
def exercised() -> Exercised:
    """The campaign on record."""
    return msgspec.json.decode(RECORD.read_bytes(), type=Exercised)


def exercised_parts(name: str, sentences: Sequence[SentenceEntry]) -> Iterator[str]:
    """How often an action was exercised, how often each sentence of its guard made a call a misuse."""
    seen = exercised()
    campaign = f"a campaign of {seen.calls:,} judged calls ({seen.target}, seed {seen.seed}, {seen.date})"
    yield f"In {campaign} this happened {_times(seen.actions.get(name, 0))}."
    offended = [(one.text, seen.rejections.get(f"{name}: {one.text}", 0)) for one in sentences]
    if any(times for _, times in offended):
        yield "It was asked for where it was not legal, on purpose, and each time rejected:"
        yield bullets(f"{sentence(text).rstrip('.')}: {_times(times)}" for text, times in offended if times)


def killed_parts(sentences: Sequence[SentenceEntry]) -> Iterator[str]:
    """The seeded faults of the code that break what the sentences of a guard protect."""
    protected = {one.protects for one in sentences}
    killed = [fault.name for fault in all_faults() if fault.where != "specification" and fault.property in protected]
    if killed:
        yield f"Faults of the code that break what these sentences protect: {listed([code(name) for name in killed])}."


def _times(number: int) -> str:
    return {0: "never", 1: "once"}.get(number, f"{number:,} times")
