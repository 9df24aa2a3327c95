"""Writes down records of a trace, as the lists that they are in JSON; what they mean is said in `events/records.py`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Record = list[Any]


class Tape:
    """Records in order. At most one call is open, and steps belong to it."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.call: str | None = None
        """The name of the call that has begun and not ended."""

    def take(self) -> list[Record]:
        """What was written since it was last taken."""
        taken, self.records = self.records, []
        return taken

    def write(self, tag: str, *fields: Any) -> None:
        """A record that is neither a call nor a step."""
        self.records.append([tag, *fields])

    def begin(self, name: str, *fields: Any) -> None:
        """A call, before it is made."""
        assert self.call is None, f"{name} begins before {self.call} ends"
        self.call = name
        self.records.append([f"call.{name}", *fields])

    def steps(self, steps: Sequence[Record]) -> None:
        """What the allocator is seen to have done in the call that is open."""
        assert self.call is not None or not steps, "steps outside of a call"
        self.records.extend(steps)

    def end(self, outcome: str = "done", ids: Sequence[Sequence[int]] = ()) -> None:
        """The call that is open ends, with what it gave."""
        self.call = None
        self.records.append(["end", outcome, [list(each) for each in ids]])

    def said(self, name: str, *fields: Any) -> None:
        """A call that has no steps, from beginning to end."""
        self.begin(name, *fields)
        self.end()
