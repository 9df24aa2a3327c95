"""The judge: takes the records of a trace in turn and stops at the first that is not legal."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from events import records as r
from events.trace import TraceError, unseal
from spec.judge.agreement import first_difference
from spec.judge.arena import GARBAGE, JudgedArena
from spec.judge.opening import broken_invariants, header_problem, opened, snapshot_problem
from spec.judge.page_actions import CALL_ACTIONS, STEP_ACTIONS
from spec.judge.rules import STEPS_OF, end_problem
from spec.judge.verdict import Arguments, Blame, Finding, Verdict
from spec.specification import ACTIONS
from spec.state import LIVE


@dataclass
class Judge:
    """Takes records one at a time; `take` returns the first finding, after which nothing more may be taken."""

    state: JudgedArena | None = None
    header: r.Header | None = None
    lines: int = 0
    calls: int = 0
    misuses: int = 0
    actions: Counter[str] = field(default_factory=Counter)
    _call: Any = None
    _steps: list[Any] = field(default_factory=list)
    _illegal: Finding | None = None
    _moved: int = 0
    _closed: bool = False

    def take(self, record: Any) -> Finding | None:
        """Judge the next record."""
        self.lines += 1
        kind = type(record)
        if kind in STEP_ACTIONS:
            return self._take_step(record)
        if kind in STEPS_OF:
            return self._take_call(record)
        if kind is r.End:
            return self._take_end(record)
        return self._take_frame(record)

    # ------------------------------------------------------------------------------------------------------ frame

    def _take_frame(self, record: Any) -> Finding | None:
        """A header, a snapshot or the closing line."""
        if self._call is not None:
            return self._finding("agreement", "driver", f"the {_spoken(self._call)} before it has no end", record)
        if isinstance(record, r.Header):
            return self._take_header(record)
        if self.header is None:
            return self._finding("trace", "trace", "the first line must be a header", record)
        if isinstance(record, r.Snapshot):
            return self._take_snapshot(record)
        self._closed = True
        return None if self.state is not None else self._finding("trace", "trace", "there is no snapshot", record)

    def _take_header(self, header: r.Header) -> Finding | None:
        if self.header is not None:
            return self._finding("trace", "trace", "a second header", header)
        if header.version != r.VERSION:
            problem = f"version {header.version} of the trace format is not known here; this judge reads {r.VERSION}"
            return self._finding("trace", "trace", problem, header)
        problem_with_it = header_problem(header)
        if problem_with_it:
            return self._finding("trace", "allocator", problem_with_it, header)
        self.header = header
        return None

    def _take_snapshot(self, snapshot: r.Snapshot) -> Finding | None:
        assert self.header is not None  # `take` asks for a header first
        problem = snapshot_problem(self.header, snapshot)
        if problem:
            return self._finding("trace", "allocator", problem, snapshot)
        if self.state is None:
            self.state = opened(self.header, snapshot)
            for broken in broken_invariants(self.state):
                return self._finding(broken.name, "allocator", f"not so in this snapshot: {broken.prose}", snapshot)
            return None
        difference = first_difference(self.state, snapshot)
        if difference:
            return self._finding("agreement", "allocator", difference, snapshot)
        return None

    # ------------------------------------------------------------------------------------------------------ calls

    def _take_call(self, call: Any) -> Finding | None:
        if self._call is not None:
            return self._finding("agreement", "driver", f"the {_spoken(self._call)} before it has no end", call)
        if self.state is None:
            return self._finding("trace", "trace", "a header and a snapshot must come before the first call", call)
        self.calls += 1
        self._call, self._moved = call, 0
        self._steps.clear()
        self._illegal = self._call_problem(call) or (
            self._release(call) if isinstance(call, r.Release) else self._all_or_none(call)
        )
        return None

    def _call_problem(self, call: Any) -> Finding | None:
        """What makes a call illegal before any page is looked at."""
        s = self.state
        assert s is not None  # `_take_call` has seen to it
        order = s.order
        kind = type(call)
        if kind in _WITH_BAND and call.band >= s.bands:
            return self._finding("trace", "driver", f"there is no band {call.band}", call)
        if kind is r.Open:
            problem = order.problem(call.ticket, call.user, call.stream, call.waits)
            if problem:
                return self._finding("agreement", "driver", problem, call)
            order.open(call.ticket, call.user, call.stream, call.waits)
        elif kind in _WITH_TICKET and not order.is_open(call.ticket):
            if call.ticket >= order.next_ticket:
                return self._finding("agreement", "driver", f"ticket {call.ticket} was never opened", call)
            return self._finding(
                _WITH_TICKET[kind], "driver", f"ticket {call.ticket}: not so: the ticket has not retired", call
            )
        elif kind is r.Allocate:
            if len(call.demand) != s.bands:
                return self._finding("agreement", "driver", f"the demand must name {s.bands} bands", call)
            for ticket in call.settle:
                if not order.is_open(ticket) or order.user[ticket] == "transfer":
                    problem = f"ticket {ticket} cannot be settled: it is not outstanding or is a transfer"
                    return self._finding("agreement", "driver", problem, call)
        elif kind is r.Unpublish and not s.published[call.who]:
            return self._finding("agreement", "driver", f"{call.who!r} has published nothing", call)
        elif kind is r.Issue and len(call.pages) != len(call.values):
            return self._finding("agreement", "driver", "there must be one value for each page", call)
        elif kind is r.Issue and GARBAGE in call.values:
            return self._finding("agreement", "driver", f"the value {GARBAGE} is kept for garbage", call)
        return None

    def _all_or_none(self, call: Any) -> Finding | None:
        """Check every page action of a call, then take them all."""
        actions = list(CALL_ACTIONS[type(call)](call))
        s = self.state
        for name, arguments in actions:
            for text, condition, protects in ACTIONS[name].guard(s, *arguments):
                if condition is not True:
                    return self._guard_finding(call, "driver", name, arguments, text, protects)
        if actions:
            assert s is not None  # `_take_call` has seen to it
            effect, apply = ACTIONS[actions[0][0]].effect, s.apply
            for _, arguments in actions:
                apply(effect(s, *arguments))
            name, arguments = actions[0]
            self.actions[name] += len(actions)
            if name in ("complete", "settle"):
                self._retired(arguments[0])
        return None

    def _release(self, call: r.Release) -> Finding | None:
        """One reference less to each id; an id that is named more often than it has references is not alive then."""
        s, band = self.state, call.band
        assert s is not None  # `_take_call` has seen to it
        refs = s.refs
        named = Counter(call.ids) if len(set(call.ids)) < len(call.ids) else dict.fromkeys(call.ids, 1)
        for vid, times in named.items():
            if refs[band, vid] < times:
                return self._guard_finding(
                    call, "driver", "free", (band, vid), "the virtual page is alive", "bijection"
                )
        free, unshare = ACTIONS["free"].effect, ACTIONS["unshare"].effect
        frees = 0
        for vid in call.ids:
            if refs[band, vid] == 1:
                s.apply(free(s, band, vid))
                frees += 1
            else:
                s.apply(unshare(s, band, vid))
        self.actions["free"] += frees
        self.actions["unshare"] += len(call.ids) - frees
        return None

    def _retired(self, ticket: int) -> None:
        """Nothing asks about a retired ticket again, so that a long trace is judged in bounded memory."""
        assert self.state is not None  # a ticket was opened in it
        self.state.order.retire(ticket)
        self.state.ending.pop(ticket, None)

    # ------------------------------------------------------------------------------------------------------ steps

    def _take_step(self, step: Any) -> Finding | None:
        call, s = self._call, self.state
        if call is None or s is None:
            return self._finding("agreement", "allocator", "no call asked for this step", step)
        if self._illegal is not None:
            return self._illegal
        if type(step) not in STEPS_OF[type(call)]:
            return self._finding("agreement", "allocator", f"a {_spoken(call)} does not ask for this step", step)
        problem = self._step_problem(call, step)
        if problem:
            return self._finding("agreement", "allocator", problem, step)
        name = ""
        count = 0
        apply = s.apply
        for name, arguments in STEP_ACTIONS[type(step)](step):
            action = ACTIONS[name]
            for text, condition, protects in action.guard(s, *arguments):
                if condition is not True:
                    return self._guard_finding(step, "allocator", name, arguments, text, protects)
            apply(action.effect(s, *arguments))
            count += 1
        if count:
            self.actions[name] += count
            if name == "settle":
                self._retired(step.ticket)
        self._steps.append(step)
        return None

    def _step_problem(self, call: Any, step: Any) -> str | None:
        """What is wrong with a step before any page is looked at."""
        s = self.state
        assert s is not None  # `_take_step` has seen to it
        kind = type(step)
        if kind is r.Settled:
            if step.ticket not in call.settle:
                return f"the call did not allow to settle ticket {step.ticket}"
            if not s.order.is_open(step.ticket):
                return f"ticket {step.ticket} has retired already"
            return None
        if kind is r.Refused:
            return None
        if step.band >= s.bands:
            return f"there is no band {step.band}"
        if kind is r.Allocated and len(step.pages) != len(step.ids):
            return f"{len(step.pages)} pages for {len(step.ids)} ids"
        if kind is r.Moved:
            if len(step.sources) != len(step.targets):
                return f"{len(step.sources)} sources for {len(step.targets)} targets"
            self._moved += len(step.sources) * s.address.sizes[step.band]
            if isinstance(call, r.Compact) and self._moved > call.budget:
                return f"{self._moved} bytes moved, and only {call.budget} allowed"
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
        problem = end_problem(call, end, self._steps)
        if problem:
            return self._finding(problem[0], "allocator", f"{_spoken(call)}: {problem[1]}", end)
        return None

    # --------------------------------------------------------------------------------------------------- findings

    def _finding(self, check: str, blame: Blame, problem: str, record: Any) -> Finding:
        return Finding(self.lines, check, blame, problem, record)

    def _guard_finding(
        self,
        record: Any,
        blame: Blame,
        action: str,
        arguments: Arguments,
        text: str,
        protects: str,
    ) -> Finding:
        sorts = ACTIONS[action].sorts
        spoken = ", ".join(f"{sort} {value}" for sort, value in zip(sorts, arguments, strict=True))
        return Finding(self.lines, protects, blame, f"{action} {spoken}: not so: {text}", record, action, arguments)

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
        return Verdict(self.lines, self.calls, sum(self.actions.values()), dict(self.actions), finding)


_WITH_BAND = frozenset({r.Share, r.Release, r.Hold, r.Issue, r.Land})
_WITH_TICKET: dict[type[Any], str] = {
    r.Hold: "retired-hold-nothing",
    r.Complete: "holdings-kept",
    r.Settle: "holdings-kept",
    r.Issue: "flights-are-held",
}
"""Calls that need an outstanding ticket, and the property that fails if they get a retired one."""


def _spoken(call: Any) -> str:
    return f"call to {type(call).__name__.lower()}"


def judge_records(records: Iterable[Any], judge: Judge | None = None) -> Verdict:
    """Judge records until the first finding or the end."""
    judge = judge or Judge()
    for record in records:
        finding = judge.take(record)
        if finding is not None:
            return judge.verdict(finding)
    return judge.verdict(None)


def judge_trace(lines: Iterable[bytes], whole: bool = True, judge: Judge | None = None) -> Verdict:
    """Judge the lines of a trace.  `whole` asks for the closing line; a trace still being written has none."""
    judge = judge or Judge()
    try:
        verdict = judge_records(unseal(lines, whole), judge)
    except TraceError as error:
        return judge.verdict(Finding(error.line, "trace", "trace", error.problem))
    if verdict.finding is None and judge.calls == 0 and judge.state is None:
        return judge.verdict(Finding(judge.lines + 1, "trace", "trace", "there is nothing in this trace"))
    return verdict
