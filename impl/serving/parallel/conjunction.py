"""Admission on several stages: all of them admit, or none does and nothing has changed anywhere."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from events import records
from impl.chain import Chain
from impl.numbers import Int64
from impl.plan import Grant, Plan, Reason, Refusal
from impl.serving.parallel.agreement import Agreement
from impl.serving.parallel.witness import Witness

_WORST_FIRST: Final[tuple[Reason, ...]] = ("never", "evict", "after-release")


class Verdict(NamedTuple):
    """What a stage's plan comes to.

    Attributes:
        settle: tickets that it settles.
        reason: why it is refused; None if it is admitted.
        tickets: for which it waits.
        publishers: for whom it waits.
    """

    settle: tuple[int, ...] = ()
    reason: Reason | None = None
    tickets: tuple[int, ...] = ()
    publishers: tuple[str, ...] = ()


class Conjunction:
    """The allocator of a stage, whose joint demands are planned everywhere, agreed on, and only then carried out.

    A ticket that one stage settles is settled by all, so that it retires everywhere at once and ids stay the same. A
    stage that would admit what another refuses answers with the other's reason.

    Args:
        allocator: of this one.
        agreement: by which the stages see, before anything is launched, that all of them have done the same.
    """

    def __init__(self, allocator: Witness, agreement: Agreement) -> None:
        self._allocator, self._agreement = allocator, agreement

    @property
    def chain(self) -> Chain:
        """See `Allocator.chain`."""
        return self._allocator.chain

    def allocate(
        self,
        demand: Sequence[int],
        settle: Iterable[int] = (),
        originals: Sequence[Any] | None = None,
        *,
        wipe: bool = False,
    ) -> Grant | Refusal:
        """See `Allocator.allocate`: on all stages or on none.

        Raises:
            Disagreement: a stage has done otherwise.
        """
        settleable = tuple(settle)
        plan = self._allocator.plan(demand, settleable, originals)
        verdicts = self.agreed(plan)
        if any(verdict.reason for verdict in verdicts):
            self._agreement.compare()
            return _refusal(plan, verdicts)
        settled = tuple(ticket for ticket in settleable if any(ticket in verdict.settle for verdict in verdicts))
        for ticket in settled:
            self._allocator.settle(ticket)
        given = self._allocator.allocate(demand, (), originals, wipe=wipe)
        self._agreement.compare()
        assert isinstance(given, Grant), "it was planned, and settling more makes no less room"
        return Grant(given.ids, replace(given.plan, settle=settled))

    def agreed(self, plan: Plan | Refusal) -> list[Verdict]:
        """What all stages' plans come to, in order."""
        own = (
            Verdict(plan.settle) if isinstance(plan, Plan) else Verdict((), plan.reason, plan.tickets, plan.publishers)
        )
        return self._agreement.gathered("what is planned", own)

    def share(self, band: int, ids: Any) -> None:
        """See `Allocator.share`."""
        self._allocator.share(band, ids)

    def release(self, band: int, ids: Any) -> None:
        """See `Allocator.release`."""
        self._allocator.release(band, ids)

    def count_references(self, band: int, ids: Any) -> Int64:
        """See `Allocator.count_references`."""
        return self._allocator.count_references(band, ids)

    def open(self, user: records.User, stream: str | None = None, waits: Iterable[int] = ()) -> int:
        """See `Allocator.open`."""
        return self._allocator.open(user, stream, waits)

    def hold(self, ticket: int, band: int, ids: Any, mode: records.Mode) -> Int64:
        """See `Allocator.hold`."""
        return self._allocator.hold(ticket, band, ids, mode)

    def complete(self, ticket: int) -> None:
        """See `Allocator.complete`."""
        self._allocator.complete(ticket)

    def quarantine(self, ticket: int) -> None:
        """See `Allocator.quarantine`."""
        self._allocator.quarantine(ticket)

    def drain(self) -> None:
        """See `Allocator.drain`."""
        self._allocator.drain()

    def publish(self, who: str) -> None:
        """See `Allocator.publish`."""
        self._allocator.publish(who)

    def unpublish(self, who: str) -> None:
        """See `Allocator.unpublish`."""
        self._allocator.unpublish(who)


def _refusal(plan: Plan | Refusal, verdicts: Sequence[Verdict]) -> Refusal:
    """The reason that stands first among those of all stages; what this stage would have to give up is its own.

    Where it has room that is no page of any band.
    """
    reasons = {verdict.reason for verdict in verdicts}
    reason = next(each for each in _WORST_FIRST if each in reasons)
    evict: tuple[int | None, ...] = ()
    if reason == "evict":
        evict = plan.evict if isinstance(plan, Refusal) and plan.reason == reason else (0,) * len(plan.demand)
    those = [verdict for verdict in verdicts if verdict.reason == reason]
    return Refusal(
        plan.demand,
        reason,
        tuple(sorted({ticket for verdict in those for ticket in verdict.tickets})),
        tuple(sorted({who for verdict in those for who in verdict.publishers})),
        evict,
    )
