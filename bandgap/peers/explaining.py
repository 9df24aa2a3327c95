"""From a failure of another's allocator to what a person needs to see why, as far as its driver's trace shows it."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, pairwise, zip_longest
from pathlib import Path
from typing import Any, Final

from bandgap.gate.prose import prose_of
from bandgap.gate.violation import Traits, Violation
from bandgap.history import history_of
from bandgap.output import printable
from bandgap.scenes import scene_of
from events.records import AnyRecord, Hold, Release, Share
from fuzz.peers.hunting import QUICK, Finding
from fuzz.peers.lives import Lived, lived
from fuzz.peers.process import Description, Life, PeerFailed, PeerProcess

ANYBODY: Final = {
    "crash": "A legal call is answered.",
    "hang": "A legal call returns in the time that its driver gives it.",
}
"""What everybody promises."""

MOST_TOUCHED: Final = 4
"""Pages of the last call whose history is told where the problem names none."""

_CODE: Final = """\
from pathlib import Path

from fuzz.peers.environments import found
from fuzz.peers.lives import lived
from fuzz.peers.process import Life, running

script = (
{calls}
)
with running(found({where})) as process:
    life = lived(process, Life({setup!r}, script=script{fault}))
assert life.broke is None, life.broke
"""


@dataclass(frozen=True)
class Driven:
    """What was driven, as a person asked for it."""

    target: str
    checkout: Path | str | None = None
    python: Path | str | None = None


@dataclass(frozen=True)
class Told:
    """A call of a driver, how it ended, and its lines of the trace: none where the first is after the last."""

    call: list[Any]
    outcome: str
    first: int
    last: int

    @property
    def place(self) -> str:
        """Its lines, in words."""
        if self.first > self.last:
            return "no line"
        return f"line {self.first:,}" if self.first == self.last else f"lines {self.first:,} to {self.last:,}"


def calls_of(life: Lived) -> Iterator[Told]:
    """Its calls in order."""
    for call, ((_, before), (outcome, after)) in zip(life.script, pairwise(life.told), strict=False):
        yield Told(call, outcome, before + 1, after)


def again(process: PeerProcess, finding: Finding) -> Lived | None:
    """The life in which a finding shows, once more; none where it does not show."""
    patience = QUICK if finding.property == "hang" else None
    try:
        life = lived(process, Life(finding.setup, script=finding.script, fault=finding.fault, patience=patience))
    except PeerFailed:
        return None
    return life if life.broke is not None and life.broke.property == finding.property else None


def explained(life: Lived, finding: Finding, description: Description, driven: Driven) -> Violation:
    """A finding as reports show it.

    Args:
        life: in which it shows.
        finding: with fewest calls.
        description: of the target.
        driven: what was driven.
    """
    assert life.broke is not None  # it shows
    check, problem = life.broke.property, life.broke.problem
    calls = list(calls_of(life))
    since = calls[-1].first - 1 if calls else len(life.records)
    drawn = scene_of(life.records, check, problem, since)
    touched = islice(_touched(life.records[since:]), MOST_TOUCHED)
    return Violation(
        check=check,
        prose=says(check, description),
        where=f"{description.title} {description.version}, {finding.setup}",
        problem=problem,
        facts=drawn.facts if drawn else (),
        history=history_of(life.records, life.finding, check, problem, touched) if life.records else None,
        before=drawn.before if drawn else None,
        after=drawn.after if drawn else None,
        calls=len(finding.script),
        code=pasted(finding, driven, calls),
        call=life.broke.last_call,
        target=driven.target,
        traits=traits_of(finding, driven),
    )


def traits_of(finding: Finding, driven: Driven) -> Traits:
    """What a finding is compared with others by."""
    called = tuple(sorted({str(call[0]) for call in finding.script}))
    return (("layout", (finding.setup,)), ("target", (driven.target,)), ("call", called))


def says(check: str, description: Description) -> str:
    """What a property says, as its driver or the catalogue has it; nothing where a driver never told of it."""
    said = description.promises.get(check) or ANYBODY.get(check)
    with suppress(KeyError):
        said = said or prose_of(check)
    return said or ""


def pasted(finding: Finding, driven: Driven, told: Sequence[Told] = ()) -> str:
    """The calls of a finding as a program for a checkout of this project, which ends where the property breaks.

    Args:
        finding: with fewest calls.
        driven: what was driven.
        told: the same calls with their lines of the trace, if they are known.
    """
    where = [repr(driven.target)]
    for option, value in (("checkout", driven.checkout), ("python", driven.python)):
        where += [f"{option}=Path({str(value)!r})"] if value else []
    said = [f"  # {printable(each.outcome)}, {each.place}" for each in told]
    calls = "\n".join(f"    {call!r},{after}" for call, after in zip_longest(finding.script, said, fillvalue=""))
    fault = f", fault={finding.fault!r}" if finding.fault else ""
    code = _CODE.format(calls=calls, where=", ".join(where), setup=finding.setup, fault=fault)
    return code if len(where) > 1 else code.removeprefix("from pathlib import Path\n\n")


def _touched(records: Sequence[AnyRecord]) -> Iterator[tuple[int, int]]:
    """The pages with which these records did something; of ids that are given back or held nothing is known here."""
    for record in records:
        if not isinstance(record, Release | Hold | Share):
            for name in ("pages", "targets"):
                yield from ((getattr(record, "band", 0), page) for page in getattr(record, name, ()))
