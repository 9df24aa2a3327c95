"""What a campaign is held to: what it must have exercised, and what of its failures is excused."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from bandgap.errors import UsageError
from bandgap.peers.asking import driven_named
from bandgap.peers.known import Known, excuse, must_be_known, plain, read_known
from fuzz.campaign.campaign import Head
from fuzz.campaign.engines import ENGINES
from fuzz.campaign.summary import Distinct
from fuzz.coverage import Coverage
from fuzz.floors import Reached, reached, unexercised
from fuzz.peers.environments import is_peer
from fuzz.peers.process import Description, PeerFailed, running
from fuzz.serving import floors as of_engines

Expected = frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Terms:
    """See above.

    Attributes:
        outcomes: of another's calls, which must be seen; none for a target of ours, of which more is asked.
        target: another's, by its plain name; or engines.
        version: of it.
        known: findings that are excused.
        options: of a command that goes on with it under these terms.
    """

    outcomes: Expected | None = None
    target: str = ""
    version: str = ""
    known: Sequence[Known] = ()
    options: Sequence[str] = ()

    def missing(self, coverage: Coverage, calls: int) -> tuple[str, ...]:
        """What was not exercised, or too seldom for so many calls."""
        if self.target == ENGINES:
            return of_engines.unexercised(coverage, calls)
        if self.outcomes is None:
            return unexercised(coverage, calls)
        return tuple(f"{call}: {how}" for call, how in sorted(self.outcomes) if not coverage.outcomes[call, how])

    def parts(self, coverage: Coverage) -> tuple[Reached, ...]:
        """How much there is of each sort of thing, and was exercised; nothing of a peer, which has calls of its own."""
        if self.target == ENGINES:
            return tuple(reached(of_engines.times_of(coverage), of_engines.PARTS))
        return tuple(reached(dict(coverage.named()))) if self.outcomes is None else ()

    def excuse(self, one: Distinct) -> Known | None:
        """The entry that excuses a failure."""
        broken, call, _ = one.finding.look
        return excuse(broken, call, self.target, self.version, self.known)


def terms_of(head: Head, known: Path | None, today: date) -> Terms:
    """The terms of a campaign; another's allocator is asked, and so is known to answer.

    Args:
        head: of the campaign.
        known: the file of the findings that are excused.
        today: by which it is read.

    Raises:
        UsageError: it does not answer, or has no such fault; or the file of known findings is of no use.
    """
    plan = head.plan
    if not is_peer(plan.target):
        if known is not None:
            raise UsageError("--known", str(known), "is for allocators of others", "leave it out")
        return Terms(target=ENGINES) if plan.target == ENGINES else Terms()
    entries = read_known(known, today) if known is not None else ()
    description = _described(head)
    if plan.fault is not None and plan.fault not in description.faults:
        raise UsageError("--fault", plan.fault, "is none of the target's", f"it has {', '.join(description.faults)}")
    must_be_known(entries, plain(plan.target), description)
    outcomes = frozenset((call, how) for call, how in description.expects)
    options = ("--known", str(known)) if known is not None else ()
    return Terms(outcomes, plain(plan.target), description.version, entries, options)


def _described(head: Head) -> Description:
    plan = head.plan
    try:
        with running(driven_named(plan.target, path_of(plan.checkout), path_of(plan.python))) as process:
            return process.description
    except PeerFailed as error:
        remedy = "nothing was learned about it; correct the driver, or give its Python with --python"
        raise UsageError("--target", plan.target, f"gave no answer: {error}", remedy) from error


def path_of(text: str | None) -> Path | None:
    """A path that a plan has as text."""
    return None if text is None else Path(text)
