"""Simulated ranks of one group: each sees tickets complete in its own time, and is told so by agreement."""

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any

import torch

from events import records
from impl.allocator import Allocator
from impl.layout import Layout
from impl.misuse import Misuse
from impl.plan import Grant, Plan, Refusal
from tests.impl.toys import Driver


class Disagreement(AssertionError):
    """Two ranks do not say or hold the same."""


class Rank:
    """One allocator, and which tickets the device of this rank has been seen to complete."""

    def __init__(self, layout: Layout, arena_bytes: int, rnd: Random) -> None:
        self.allocator = Allocator(layout, arena_bytes)
        self._rnd = rnd
        self._due: dict[int, int] = {}

    def opened(self, ticket: int, now: int) -> None:
        """The work of a ticket begins; here it ends some time later."""
        self._due[ticket] = now + self._rnd.randint(1, 40)

    def arrived(self, now: int) -> set[int]:
        """The tickets whose work has ended here."""
        return {ticket for ticket, due in self._due.items() if due <= now}

    def forget(self, ticket: int) -> None:
        """The ticket has retired."""
        self._due.pop(ticket, None)


class Group:
    """Makes every call on every rank, and sees that all of them say the same."""

    def __init__(self, layout: Layout, arena_bytes: int, ranks: int, seed: int) -> None:
        self.ranks = [Rank(layout, arena_bytes, Random(f"{seed} rank {rank}")) for rank in range(ranks)]
        self.chain = self.ranks[0].allocator.chain
        self.now = 0
        self.told: list[tuple[int, int]] = []
        """When each ticket was said to be complete."""
        self.unlike = 0
        """How often, when nothing was agreed yet, some ranks had seen a ticket complete and others had not."""

    # ------------------------------------------------------------------------------------------- calls on every rank

    def allocate(
        self,
        demand: Sequence[int] | Mapping[str, int],
        settle: Iterable[int] = (),
        originals: Sequence[Sequence[int]] | None = None,
        *,
        wipe: bool = False,
    ) -> Grant | Refusal:
        result: Grant | Refusal = self._on_all("allocate", demand, list(settle), originals, wipe=wipe)
        if isinstance(result, Grant):
            for ticket in result.plan.settle:
                self._forget(ticket)
        return result

    def open(self, user: records.User, stream: str | None = None, waits: Iterable[int] = ()) -> int:
        ticket: int = self._on_all("open", user, stream, list(waits))
        for rank in self.ranks:
            rank.opened(ticket, self.now)
        return ticket

    def settle(self, ticket: int) -> None:
        self._on_all("settle", ticket)
        self._forget(ticket)

    def complete(self, ticket: int) -> None:
        self._on_all("complete", ticket)
        self._forget(ticket)

    def __getattr__(self, name: str) -> Any:
        return lambda *arguments: self._on_all(name, *arguments)

    def _on_all(self, name: str, *arguments: Any, **named: Any) -> Any:
        outcomes = [_outcome(rank.allocator, name, arguments, named) for rank in self.ranks]
        for number, (said, _) in enumerate(outcomes):
            if said != outcomes[0][0]:
                raise Disagreement(f"{name}{arguments}: rank 0 says {outcomes[0][0]}, rank {number} says {said}")
        result = outcomes[0][1]
        if isinstance(result, Misuse):
            raise result
        return result

    def _forget(self, ticket: int) -> None:
        for rank in self.ranks:
            rank.forget(ticket)

    # --------------------------------------------------------------------------------------------------- agreement

    def tick(self) -> None:
        """Time passes, in which nobody is told anything."""
        self.now += 1
        seen = [rank.arrived(self.now) for rank in self.ranks]
        self.unlike += any(each != seen[0] for each in seen)

    def agree(self) -> list[int]:
        """Tell every rank which tickets all of them have seen complete, in the order of their numbers; then compare."""
        complete = sorted(set.intersection(*(rank.arrived(self.now) for rank in self.ranks)))
        for ticket in complete:
            self.complete(ticket)
            self.told.append((self.now, ticket))
        self.compare()
        return complete

    def compare(self) -> None:
        """Every table, and every page table on a device, is the same on all ranks."""
        first = self.ranks[0].allocator
        for number, rank in enumerate(self.ranks[1:], 1):
            other = rank.allocator
            for what in ("snapshot", "outstanding", "statistics", "next_ticket"):
                one, its = (_asked(allocator, what) for allocator in (first, other))
                if one != its:
                    raise Disagreement(f"{what}: rank 0 has {one}, rank {number} has {its}")
            for band in self.chain.bands:
                if not torch.equal(first.page_table(band.number), other.page_table(band.number)):
                    raise Disagreement(f"the page tables of {band.name} differ on ranks 0 and {number}")
                spaces = [allocator._bands[band.number].ids.mintable() for allocator in (first, other)]
                if spaces[0].tolist() != spaces[1].tolist():
                    raise Disagreement(f"ranks 0 and {number} would mint other ids of {band.name}")


class HastyGroup(Group):
    """The seeded fault: one rank says that a ticket is complete as soon as it sees it."""

    hasty = 2

    def tick(self) -> None:
        super().tick()
        rank = self.ranks[self.hasty]
        for ticket in sorted(rank.arrived(self.now) & {each.ticket for each in rank.allocator.outstanding()}):
            rank.allocator.complete(ticket)


class GroupDriver(Driver):
    """A driver whose tickets complete when the ranks agree that they have."""

    allocator: Group  # type: ignore[assignment]  # it takes the same calls

    def complete(self) -> None:
        for ticket in self.allocator.agree():
            del self.tickets[ticket]


def _outcome(allocator: Allocator, name: str, arguments: Sequence[Any], named: Mapping[str, Any]) -> tuple[Any, Any]:
    """What a call gave, in a form that can be compared, and itself."""
    try:
        result = getattr(allocator, name)(*arguments, **named)
    except Misuse as misuse:
        return str(misuse), misuse
    return _comparable(result), result


def _comparable(result: Any) -> Any:
    if isinstance(result, Grant):
        return [ids.tolist() for ids in result.ids], _comparable(result.plan)
    if isinstance(result, Plan):
        moves = [(move.band, move.sources.tolist(), move.targets.tolist()) for move in result.moves]
        return result.step, result.settle, result.spans, moves, result.bytes_moved
    return result.tolist() if hasattr(result, "tolist") else result


def _asked(allocator: Allocator, what: str) -> Any:
    answer = getattr(allocator, what)
    return answer() if callable(answer) else answer
