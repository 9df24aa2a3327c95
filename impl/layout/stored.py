"""What layers store, before it is placed: the one form that every model family is read into."""

from dataclasses import dataclass

from impl.layout.dtypes import DType
from impl.layout.kinds import Lifetime


@dataclass(frozen=True, slots=True)
class Stored:
    """One part of one layer on one tensor-parallel rank: a row that has no offset yet."""

    layer: int
    lifetime: Lifetime
    window: int | None
    """Tokens; None but for a window."""
    part: str
    shape: tuple[int, ...]
    dtype: DType
    draft: bool = False
