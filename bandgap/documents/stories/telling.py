"""Drives the real allocator under the judge, and draws what it did."""

from dataclasses import dataclass, field, replace

from bandgap.pictures import Arena, Look, Mark
from bandgap.record_words import in_words
from bandgap.traces.picture import picture_of
from events import records as r
from impl.allocator import Allocator
from impl.device.metadata import MetadataDevice
from impl.layout import DType, Kind, Layout, Lifetime, Row
from impl.plan import Grant
from impl.recording import RecordedAllocator
from spec.judge.judge import Judge
from spec.judge.verdict import Finding

STATE, WINDOW, FULL = 0, 1, 2

ARENA_BYTES = 3_392
"""The size of the stories' arena, small enough to be drawn page by page."""


def toy_layout() -> Layout:
    """A state kind, a window of 16 tokens and full attention; pages of 4 tokens."""
    kinds = (_kind(Lifetime.STATE, "state", None, 256, 1), _kind(Lifetime.WINDOW, "window16", 16, 48, 4))
    return Layout("toy", "", (*kinds, _kind(Lifetime.FULL, "full", None, 32, 4)), 4, DType.BF16, 1, None)


def _kind(lifetime: Lifetime, name: str, window: int | None, entry_bytes: int, tokens: int) -> Kind:
    row = Row(0, name, (entry_bytes // 4,), DType.FP32, 0)
    return Kind(name, lifetime, window, (row,), entry_bytes, tokens)


@dataclass(frozen=True)
class Moment:
    """The arena at one moment of a story, and the records since the moment before, in words."""

    arena: Arena
    said: tuple[str, ...]


@dataclass
class Telling:
    """An allocator on record whose every record is judged.

    Raises:
        AssertionError: the judge objects, which ends the story.
    """

    arena_bytes: int = ARENA_BYTES
    judge: Judge = field(default_factory=Judge)
    allocator: RecordedAllocator = field(init=False)
    _said: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.allocator = RecordedAllocator(
            Allocator(toy_layout(), self.arena_bytes, device=MetadataDevice), self._judged
        )
        self._said.clear()

    def _judged(self, record: r.AnyRecord) -> None:
        finding = self.judge.take(record)
        assert finding is None, str(finding)
        if not isinstance(record, r.End) or record.outcome != "done":
            self._said.append(in_words(record, self.judge.header))

    def give(self, state: int, window: int, full: int, settle: tuple[int, ...] = ()) -> Grant:
        """An allocation that must be met."""
        given = self.allocator.allocate([state, window, full], settle)
        assert isinstance(given, Grant), given
        return given

    def moment(self, *looked_at: tuple[int, int]) -> Moment:
        """The arena as the judge knows it now, and what happened since the last time this was asked.

        Args:
            looked_at: bands and pages to mark.
        """
        drawn = picture_of(self.judge, Finding(self.judge.lines, "agreement", "trace", "nothing in particular"))
        assert drawn is not None
        bands = drawn.before.bands
        marks = [
            Mark(band, bands[band].address(page), bands[band].address(page + 1), Look.ACTED_ON)
            for band, page in looked_at
        ]
        said, self._said = tuple(self._said), []
        return Moment(replace(drawn.before, marks=marks), said)
