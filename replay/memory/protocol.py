"""What a replayed engine asks of its memory; both memories answer in the same words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from impl.layout import Kind
from impl.plan import Refusal

Demand: TypeAlias = tuple[int, ...]
"""Pages of each kind, in chain order."""
Pages: TypeAlias = Sequence[list[int]]
"""Virtual pages of each kind, in chain order."""
Uses: TypeAlias = Callable[[], tuple[Pages, Pages]]
"""What a forward writes, and what it only reads."""


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Where the bytes are, now."""

    used: tuple[int, ...]
    """Bytes of live pages of each kind."""
    begins: tuple[int, ...]
    """First byte of each kind's span, or of its pool."""
    ends: tuple[int, ...]
    """The byte after its last."""
    idle: tuple[int, ...]
    """Bytes that only this kind could use now: the holes of its span and what is withheld, or its pool's free pages."""
    shared: int
    """Free bytes that any kind could use."""
    fragmentation: float
    """The share of the free bytes that lie elsewhere than in the widest gap, 0 to 1; of pools, elsewhere than in the
    pool with the most."""


class Memory(Protocol):
    """Pages of all kinds, handed out jointly. Times and streams are the caller's: one forward may be in flight."""

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds, in chain order."""

    @property
    def capacity(self) -> int:
        """Bytes, the sink included."""

    @property
    def free_bytes(self) -> int:
        """Bytes in no live page; no demand of more can be met."""

    def refusal(self, demand: Demand) -> Refusal | None:
        """Why a joint demand could not be met now; None if it could."""

    def refusal_if_empty(self, demand: Demand) -> bool:
        """Whether not even an empty memory could hold a demand."""

    def allocate(self, demand: Demand, originals: Pages | None = None) -> list[list[int]] | Refusal:
        """Meet a joint demand, or change nothing; the first pages begin as copies of the originals."""

    def share(self, band: int, ids: list[int]) -> None:
        """One more reference to each."""

    def release(self, band: int, ids: list[int], *, in_flight: bool) -> None:
        """One reference less to each; `in_flight` if the forward in flight may use them."""

    def launched(self, step: int, uses: Uses) -> None:
        """The forward of a step begins. `uses` is asked at most once, maybe later."""

    def landed(self, step: int) -> None:
        """The forwards of all steps up to this one are over."""

    @property
    def moved_bytes(self) -> int:
        """Bytes copied so far to move pages."""

    @property
    def copied_bytes(self) -> int:
        """Bytes copied so far because pages began as copies."""

    def occupancy(self) -> Occupancy:
        """Where the bytes are."""

    def live(self) -> tuple[int, ...]:
        """Live pages of each kind."""
