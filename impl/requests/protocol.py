"""What requests ask of an allocator."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from events.records import Mode
from impl.chain import Chain
from impl.numbers import Int64
from impl.plan import Grant, Refusal


class Pages(Protocol):
    """An allocator, or one on record; see `impl.allocator.Allocator` for what each call does."""

    @property
    def chain(self) -> Chain:
        """The bands, in address order."""

    def allocate(
        self,
        demand: Sequence[int],
        settle: Iterable[int] = (),
        originals: Sequence[Any] | None = None,
        *,
        wipe: bool = False,
    ) -> Grant | Refusal:
        """Meet a joint demand or refuse it."""

    def share(self, band: int, ids: Any) -> None:
        """One more reference to each."""

    def release(self, band: int, ids: Any) -> None:
        """One reference less to each."""

    def count_references(self, band: int, ids: Any) -> Int64:
        """How many references each has."""

    def hold(self, ticket: int, band: int, ids: Any, mode: Mode) -> Int64:
        """Give a ticket the pages of virtual ones."""
