"""A judge that one can ask why it took a driver's call for a misuse."""

import re
from collections import Counter
from typing import Any, Final

from spec.catalog import Action
from spec.judge.judge import Judge
from spec.judge.verdict import Arguments, Blame, Finding

Reason = tuple[str, str]
"""The action or call that was not legal, and the sentence of its guard that was not so, or what else was wrong."""

_NUMBERS: Final = re.compile(r"-?\d+|'[^']*'")


class ListeningJudge(Judge):
    """Judges as every judge does, and keeps why calls were rejected."""

    def __init__(self) -> None:
        super().__init__()
        self.is_rejecting = False
        """Whether the call that is being made is a misuse."""
        self._why: Counter[Reason] = Counter()

    def why(self) -> Counter[Reason]:
        """How often a driver's call was not legal, by the reason; numbers are left out."""
        found: Counter[Reason] = Counter()
        for (name, problem), times in self._why.items():
            found[name, _NUMBERS.sub("#", problem.rpartition("not so: ")[2])] += times
        return found

    def _finding(self, check: str, blame: Blame, problem: str, record: Any) -> Finding:
        if blame == "driver":
            self.is_rejecting = True
            self._why[type(record).__name__.lower(), problem] += 1
        return super()._finding(check, blame, problem, record)

    def _guard_finding(
        self, record: Any, blame: Blame, action: Action, arguments: Arguments, text: str, protects: str
    ) -> Finding:
        if blame == "driver":
            self.is_rejecting = True
            self._why[action.name, text] += 1
        return super()._guard_finding(record, blame, action, arguments, text, protects)
