"""The page actions of each record: a call or a step on many pages is one action on each of them, in order."""

from collections.abc import Callable, Iterable
from itertools import repeat
from typing import Any, TypeAlias

from events import records as r
from spec.catalog import Action
from spec.judge.opening import MODES
from spec.judge.verdict import Arguments
from spec.specification import ACTIONS

PageActions: TypeAlias = tuple[Action, Callable[[Any], Iterable[Arguments]]]
"""The action of a kind of record, and its arguments on each page of one of them."""


ZERO = 0
"""What a page of zeros shows."""


def _per_page(action: str, arguments: Callable[[Any], Iterable[Arguments]]) -> PageActions:
    return ACTIONS[action], arguments


def _once(action: str, arguments: Callable[[Any], Arguments]) -> PageActions:
    return ACTIONS[action], lambda record: (arguments(record),)


def _counted(action: str) -> PageActions:
    return ACTIONS[action], lambda record: repeat((record.band,), record.count)


PAGE_ACTIONS: dict[type[Any], PageActions] = {
    r.GrewLow: _counted("grow-low"),
    r.GrewHigh: _counted("grow-high"),
    r.AbsorbedLow: _counted("absorb-low"),
    r.AbsorbedHigh: _counted("absorb-high"),
    r.Appeared: _once("appear", lambda a: (a.band, a.page)),
    r.Allocated: _per_page("allocate", lambda a: zip(repeat(a.band), a.pages, a.ids, strict=False)),
    r.Wiped: _per_page("allocate-wiped", lambda a: zip(repeat(a.band), a.pages, a.ids, repeat(ZERO), strict=False)),
    r.Forked: _per_page("fork", lambda a: zip(repeat(a.band), a.pages, a.ids, a.copied, strict=False)),
    r.Moved: _per_page("move", lambda a: zip(repeat(a.band), a.sources, a.targets, strict=False)),
    r.Settled: _once("settle", lambda a: (a.ticket,)),
    r.Share: _per_page("share", lambda c: zip(repeat(c.band), c.ids, strict=False)),
    r.Hold: _per_page(
        "hold", lambda c: zip(repeat(c.ticket), repeat(c.band), c.ids, repeat(MODES[c.mode]), strict=False)
    ),
    r.Complete: _once("complete", lambda c: (c.ticket,)),
    r.Settle: _once("settle", lambda c: (c.ticket,)),
    r.Drain: _once("drain", lambda c: ()),
    r.Issue: _per_page("issue", lambda c: zip(repeat(c.ticket), repeat(c.band), c.pages, c.values, strict=False)),
    r.Land: _per_page("land", lambda c: zip(repeat(c.band), c.pages, strict=False)),
    r.Publish: _once("publish", lambda c: (c.who,)),
    r.Unpublish: _once("unpublish", lambda c: (c.who,)),
}
"""The kinds of record that are one action on each of their pages; columns that belong together are equally long.

The others are none (`Open`, `Allocate`, `Compact`, `Refused`), or an action that depends on the page (`Release`).
"""
