"""The judge: takes the records of a trace in turn and stops at the first that is not legal.

Where records were lost, nothing is said until the next snapshot, from which the judge begins again. Where a trace goes
on in another file, that begins with the same header and with a snapshot that must agree with what was judged so far.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import groupby, repeat
from typing import Any

from events import records as r
from events.trace import TraceError, unseal
from spec.catalog import Action
from spec.judge.agreement import first_difference
from spec.judge.arena import JudgedArena
from spec.judge.compiled import compiled
from spec.judge.opening import broken_invariants, header_problem, opened, snapshot_problem
from spec.judge.page_actions import PAGE_ACTIONS
from spec.judge.rules import STEPS, STEPS_OF, Answer, end_problem
from spec.judge.verdict import Arguments, Blame, Finding, Verdict
from spec.judge.wellformed import call_problem, step_problem
from spec.specification import ACTIONS
from spec.state import LIVE, READ


@dataclass
class Judge:
    """Takes records one at a time; `take` returns the first finding, after which nothing more may be taken."""

    state: JudgedArena | None = None
    header: r.Header | None = None
    lines: int = 0
    calls: int = 0
    misuses: int = 0
    lost: int = 0
    actions: Counter[str] = field(default_factory=Counter)
    _call: Any = None
    _answer: Answer | None = None  # of a call that has steps
    _illegal: Finding | None = None
    _closed: bool = False
    _continued: bool = False

    def take(self, record: Any) -> Finding | None:
        """Judge the next record."""
        self.lines += 1
        take = _TAKES.get(type(record))
        if take is None:
            raise TypeError(f"{record!r} is no record of a trace")
        return take(self, record)

    # ------------------------------------------------------------------------------------------------------ frame

    def _take_frame(self, record: Any) -> Finding | None:
        """A header, a snapshot, a closing line, or that something was lost."""
        if self._closed:
            return self._finding("trace", "trace", "there is something after the closing line", record)
        if isinstance(record, r.Lost):
            return self._take_lost(record)
        if self._call is not None:
            return self._finding("agreement", "driver", f"the {_spoken(self._call)} before it has no end", record)
        if isinstance(record, r.Header):
            return self._take_header(record)
        if self.header is None or self._continued:
            return self._finding("trace", "trace", "the first line must be a header", record)
        if isinstance(record, r.Snapshot):
            return self._take_snapshot(self.header, record)
        if self.state is None and not self.lost:
            return self._finding("trace", "trace", "there is no snapshot", record)
        self._closed, self._continued = isinstance(record, r.Close), isinstance(record, r.Continued)
        return None

    def _take_lost(self, record: r.Lost) -> Finding | None:
        """What is known no longer holds, and a call that was being made may have ended in any way."""
        if self.state is None or self._continued:
            return self._finding("trace", "trace", "nothing can be lost before there is a state", record)
        self.lost += record.records
        self.state, self._call, self._illegal = None, None, None
        return None

    def _take_header(self, header: r.Header) -> Finding | None:
        if self._continued:
            self._continued = False
            return None if header == self.header else self._finding("trace", "trace", "another header", header)
        if self.header is not None:
            return self._finding("trace", "trace", "a second header", header)
        if header.version not in r.READABLE:
            known = " and ".join(map(str, sorted(r.READABLE)))
            problem = f"version {header.version} of the trace format is not known here; this judge reads {known}"
            return self._finding("trace", "trace", problem, header)
        problem_with_it = header_problem(header)
        if problem_with_it:
            return self._finding("trace", "allocator", problem_with_it, header)
        self.header = header
        return None

    def _take_snapshot(self, header: r.Header, snapshot: r.Snapshot) -> Finding | None:
        problem = snapshot_problem(header, snapshot)
        if problem:
            return self._finding("trace", "allocator", problem, snapshot)
        if self.state is None:
            self.state = opened(header, snapshot)
            for broken in broken_invariants(self.state):
                return self._finding(broken.name, "allocator", f"not so in this snapshot: {broken.prose}", snapshot)
            return None
        difference = first_difference(self.state, snapshot)
        if difference:
            return self._finding("agreement", "allocator", difference, snapshot)
        return None

    # ------------------------------------------------------------------------------------------------------ calls

    def _take_call(self, call: Any) -> Finding | None:
        s = self.state
        if s is None or self._call is not None or self._closed or self._continued:
            return self._misplaced(call)
        self.calls += 1
        self._call, self._answer = call, None
        kind = type(call)
        problem = call_problem(s, call)
        if problem is not None:
            self._illegal = self._finding(problem[0], "driver", problem[1], call)
        elif kind in PAGE_ACTIONS:
            self._illegal = self._all_or_none(s, call, *PAGE_ACTIONS[kind])
        elif kind is r.Release:
            self._illegal = self._release_finding(s, call)
            if self._illegal is None:
                return self._release(s, call)
        elif kind is r.Open:
            s.order.open(call.ticket, call.user, call.stream, call.waits)
        return None

    def _misplaced(self, call: Any) -> Finding:
        if self._call is not None:
            return self._finding("agreement", "driver", f"the {_spoken(self._call)} before it has no end", call)
        if self.state is None:
            return self._finding("trace", "trace", "a header and a snapshot must come before the first call", call)
        return self._finding("trace", "trace", "there is something after the closing line", call)

    def _all_or_none(
        self, s: JudgedArena, call: Any, action: Action, arguments_of: Callable[[Any], Iterable[Arguments]]
    ) -> Finding | None:
        """Check the action on every page, then take them all: none changes whether another is legal."""
        its = compiled(action, s)
        _, wrong = its.check(arguments_of(call))
        if wrong is not None:
            return self._guard_finding(call, "driver", action, wrong, *_first_broken(action, s, wrong))
        made, _ = its.make(arguments_of(call))
        self.actions[action.name] += made
        if action is _COMPLETE or action is _SETTLE:
            self._retired(s, call.ticket)
        return None

    def _release_finding(self, s: JudgedArena, call: r.Release) -> Finding | None:
        """An id that is named more often than it has references is not alive any more when its turn comes."""
        band, ids, refs = call.band, call.ids, s.refs
        counted = Counter(ids) if len(set(ids)) < len(ids) else dict.fromkeys(ids, 1)
        for vid, times in counted.items():
            if refs[band, vid] < times:
                return self._guard_finding(call, "driver", _FREE, (band, vid), "the virtual page is alive", "bijection")
        return None

    def _release(self, s: JudgedArena, call: r.Release) -> Finding | None:
        """One reference less to each id: the last one given up frees the page."""
        band, refs = call.band, s.refs
        for is_shared, ids in groupby(call.ids, lambda vid: refs[band, vid] > 1):
            action = _UNSHARE if is_shared else _FREE
            taken, wrong = compiled(action, s).take(zip(repeat(band), ids))
            self.actions[action.name] += taken
            if wrong is not None:
                return self._guard_finding(call, "driver", action, wrong, *_first_broken(action, s, wrong))
        return None

    def _retired(self, s: JudgedArena, ticket: int) -> None:
        """Nothing asks about a retired ticket again, so that a long trace is judged in bounded memory."""
        s.order.retire(ticket)
        s.ending.pop(ticket, None)

    # ------------------------------------------------------------------------------------------------------ steps

    def _take_step(self, step: Any) -> Finding | None:
        call, s = self._call, self.state
        if call is None or s is None:
            return self._finding("agreement", "allocator", "no call asked for this step", step)
        if self._illegal is not None:
            return self._illegal
        kind = type(step)
        if kind not in STEPS_OF[type(call)]:
            return self._finding("agreement", "allocator", f"a {_spoken(call)} does not ask for this step", step)
        answer = self._answer = self._answer or Answer()
        problem = step_problem(s, call, step, answer)
        if problem:
            return self._finding("agreement", "allocator", problem, step)
        if kind in PAGE_ACTIONS:
            action, arguments_of = PAGE_ACTIONS[kind]
            taken, wrong = compiled(action, s).take(arguments_of(step))
            if wrong is not None:
                return self._guard_finding(step, "allocator", action, wrong, *_first_broken(action, s, wrong))
            self.actions[action.name] += taken
            if action is _SETTLE:
                self._retired(s, step.ticket)
        answer.note(step, s.address.sizes)
        return None

    def _take_end(self, end: r.End) -> Finding | None:
        call, self._call = self._call, None
        if call is None:
            return self._finding("agreement", "driver", "there is no call to end", end)
        if self._illegal is not None:
            if end.outcome == "failed":
                self.misuses += 1
                self._illegal = None
                return None
            return self._illegal
        problem = end_problem(call, end, self._answer or _NO_STEPS)
        if problem:
            return self._finding(problem[0], "allocator", f"{_spoken(call)}: {problem[1]}", end)
        return None

    # --------------------------------------------------------------------------------------------------- findings

    def _finding(self, check: str, blame: Blame, problem: str, record: Any) -> Finding:
        return Finding(self.lines, check, blame, problem, record)

    def _guard_finding(
        self, record: Any, blame: Blame, action: Action, arguments: Arguments, text: str, protects: str
    ) -> Finding:
        spoken = ", ".join(_named(sort, value) for sort, value in zip(action.sorts, arguments, strict=True))
        problem = f"{action.name} {spoken}: not so: {text}"
        return Finding(self.lines, protects, blame, problem, record, action.name, arguments)

    def shows(self, band: int, vid: int) -> int | None:
        """The value that a reader of a live virtual page must find; none if it is not alive."""
        s = self.state
        if s is None or s.refs[band, vid] < 1 or s.status[band, s.page_of[band, vid]] != LIVE:
            return None
        page = s.page_of[band, vid]
        value: int = s.arriving[band, page] if s.flying[band, page] else s.bytes[band, page]
        return value

    def verdict(self, finding: Finding | None) -> Verdict:
        """What was judged so far."""
        return Verdict(self.lines, self.calls, sum(self.actions.values()), dict(self.actions), finding, self.lost)


_TAKES: dict[type[Any], Callable[[Judge, Any], Finding | None]] = {
    **dict.fromkeys((r.Header, r.Snapshot, r.Lost, r.Close, r.Continued), Judge._take_frame),
    **dict.fromkeys(STEPS_OF, Judge._take_call),
    **dict.fromkeys(STEPS, Judge._take_step),
    r.End: Judge._take_end,
}
_NO_STEPS = Answer()
_COMPLETE, _SETTLE, _FREE, _UNSHARE = (ACTIONS[name] for name in ("complete", "settle", "free", "unshare"))


def _first_broken(action: Action, s: Any, arguments: Arguments) -> tuple[str, str]:
    """The first sentence of a guard that does not hold, and what it protects, by the guard as it is written."""
    for text, condition, protects in action.guard(s, *arguments):
        if condition is not True:
            return text, protects
    raise AssertionError(f"{action.name} {arguments} is legal, and what was compiled says that it is not")


def _spoken(call: Any) -> str:
    return f"call to {type(call).__name__.lower()}"


def _named(sort: str, value: Any) -> str:
    if sort == "mode":
        return "read" if value == READ else "write"
    return f"{'id' if sort == 'vid' else sort} {value!r}"


def judge_records(records: Iterable[Any], judge: Judge | None = None) -> Verdict:
    """Judge records until the first finding or the end."""
    judge = judge or Judge()
    for record in records:
        finding = judge.take(record)
        if finding is not None:
            return judge.verdict(finding)
    return judge.verdict(None)


def judge_trace(lines: Iterable[bytes], whole: bool = True, judge: Judge | None = None) -> Verdict:
    """Judge the lines of a trace. `whole` asks for the closing line; a trace still being written has none."""
    judge = judge or Judge()
    try:
        verdict = judge_records(unseal(lines, whole), judge)
    except TraceError as error:
        return judge.verdict(Finding(error.line, "trace", "trace", error.problem))
    if verdict.finding is None and judge.state is None and not judge.lost:
        return judge.verdict(Finding(judge.lines + 1, "trace", "trace", "there is no state in this trace yet"))
    return verdict
