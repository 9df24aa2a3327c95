"""What the judge says: the first finding, and how much was judged."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

Arguments: TypeAlias = tuple[Any, ...]
Blame: TypeAlias = Literal["driver", "allocator", "trace"]
Problem: TypeAlias = tuple[str, str]
"""The check that fails, and what is wrong, a clause."""


@dataclass(frozen=True)
class Finding:
    """What is wrong with a trace, and where.

    `check` is the property that the record breaks or would break; `agreement` where calls, steps and tables contradict
    each other; `trace` where it is no trace. `blame` says who wrote the record: `driver` for calls, `allocator` for
    steps and snapshots, `trace` for a damaged file.
    """

    line: int  # of the record, from 1; in a live stream the count of records so far
    check: str
    blame: Blame
    problem: str
    record: Any = None
    action: str | None = None
    arguments: Arguments = ()

    def __str__(self) -> str:
        return f"line {self.line}: {self.check}: {self.problem}"


@dataclass(frozen=True)
class Verdict:
    """What a judged trace came to: how much was judged, the first finding if there is one, and what was lost.

    A trace of which records were lost is not legal by this verdict, but only not found to be illegal.
    """

    lines: int
    calls: int
    page_actions: int
    by_action: dict[str, int]
    finding: Finding | None
    lost: int = 0
