"""How often the fuzzer exercised each action, from what a campaign left on record."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from bandgap.documents.catalogue import SentenceEntry, all_faults
from bandgap.documents.markdown import bullets, code, sentence
from bandgap.errors import UsageError
from bandgap.phrases import listed
from fuzz.campaign.campaign import Unfit, head_of, opened
from fuzz.campaign.corpus import NoCorpus
from fuzz.campaign.record import in_order
from fuzz.peers.environments import is_peer

RECORD: Final = Path(__file__).parents[2] / "docs" / "exercised.json"
"""Written by `bandgap docs --exercised`."""


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


def exercised_in(folder: Path) -> Exercised:
    """What the campaign of a folder exercised.

    Raises:
        UsageError: there is none, or it is not about our allocator as it is.
    """
    try:
        head = head_of(folder)
        if head is None:
            raise UsageError("--exercised", str(folder), "has no campaign", "name the --out of one")
        if head.plan.fault is not None or is_peer(head.plan.target):
            problem = f"is about {head.plan.target} with {head.plan.fault or 'promises of its own'}"
            raise UsageError("--exercised", str(folder), problem, "name a campaign about bandgap as it is")
        with opened(folder, head) as campaign:
            summary = campaign.summary
    except (Unfit, NoCorpus) as error:
        raise UsageError("--exercised", str(folder), str(error), error.remedy) from error
    ended = max(path.stat().st_mtime for path in (folder / "journal").iterdir())
    return Exercised(
        str(datetime.fromtimestamp(ended, UTC).date()),
        head.plan.target,
        head.plan.seed,
        sum(summary.units.values()),
        summary.calls,
        in_order(summary.coverage.actions),
        in_order({f"{name}: {why}": times for (name, why), times in summary.coverage.rejections.items()}),
    )


def write_exercised(folder: Path, record: Path = RECORD) -> Exercised:
    """Put on record what the campaign of a folder exercised; see `exercised_in`."""
    seen = exercised_in(folder)
    record.write_bytes(msgspec.json.format(msgspec.json.encode(seen), indent=2) + b"\n")
    exercised.cache_clear()
    return seen


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
