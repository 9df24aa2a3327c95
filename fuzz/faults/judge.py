"""Faults of the judge: something illegal that it lets pass.

No driver and no allocator shows them, since what these do is legal: they are tried on traces that were touched.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final

import spec.judge.judge as judging
from events import records as r
from fuzz.faults.fault import Fault, replaced
from spec.catalog import Guard
from spec.judge.page_actions import PAGE_ACTIONS
from spec.state import State

JUDGE_FAULTS: Final[dict[str, Fault]] = {}
"""By name. They are not among `FAULTS`, which are hunted by driving an allocator."""


@contextmanager
def _without(kind: type[Any], protects: str) -> Iterator[None]:
    """The judge does not ask those sentences of a guard that protect a property."""
    action, arguments_of = PAGE_ACTIONS[kind]
    asked = action.guard

    def guard(s: State, *arguments: Any) -> Guard:
        return (sentence for sentence in asked(s, *arguments) if sentence[2] != protects)

    PAGE_ACTIONS[kind] = replace(action, guard=guard), arguments_of
    try:
        yield
    finally:
        PAGE_ACTIONS[kind] = action, arguments_of


def _guard_fault(name: str, prose: str, kind: type[Any], protects: str) -> None:
    precedent = "class: a checker that leaves out a check"
    JUDGE_FAULTS[name] = Fault(name, prose, "judge", protects, precedent, lambda: _without(kind, protects))


_guard_fault("judge-lets-writers-pages-move", "Pages that a ticket writes may move.", r.Moved, "writers-pin")
_guard_fault("judge-forgets-the-gate", "Pages may move while addresses are published.", r.Moved, "gate-holds")
_guard_fault(
    "judge-lets-held-pages-be-handed-out",
    "A page may be handed out while tickets hold it.",
    r.Allocated,
    "ledger-gated-reuse",
)
_guard_fault("judge-lets-bands-overlap", "A band may grow over another one.", r.GrewHigh, "band-order")
_guard_fault("judge-lets-bands-leave-the-arena", "A band may grow out of the arena.", r.GrewLow, "inside-arena")
_guard_fault("judge-lets-shared-pages-be-written", "A shared page may be written.", r.Hold, "sole-writer")
_guard_fault(
    "judge-lets-transfers-meet-copies",
    "A transfer may be given what the allocator's stream still works on.",
    r.Hold,
    "transfers-meet-nothing",
)


def _blind_fault(name: str, prose: str, function: str) -> None:
    def apply() -> Any:
        return replaced(judging, function, lambda _: lambda *_: None)

    JUDGE_FAULTS[name] = Fault(name, prose, "judge", "agreement", "class: a checker that looks away", apply)


_blind_fault("judge-does-not-compare-snapshots", "Later snapshots are taken as they are.", "first_difference")
_blind_fault("judge-believes-every-end", "What a driver is said to be given need not fit the steps.", "end_problem")
_blind_fault("judge-believes-every-step", "A step need not fit the call that it belongs to.", "step_problem")
