"""What a campaign came to, for people and for programs."""

import shlex
import time
from collections.abc import Iterable, Sequence
from typing import Any, Final

from rich.console import Console

from bandgap.campaigns.evidence import evidence_of
from bandgap.campaigns.running import Ended
from bandgap.campaigns.terms import Terms
from bandgap.gate.verdict import Answer, Reason, answer_of
from bandgap.gate.violation import Violation
from bandgap.output import harmless
from bandgap.peers.telling import again
from bandgap.phrases import counted
from bandgap.reports.coverage import document as of_parts
from bandgap.reports.coverage import lines
from bandgap.reports.terminal import in_colour, show_evidence
from fuzz.campaign.campaign import Campaign
from fuzz.campaign.engines import ENGINES
from fuzz.campaign.summary import Distinct

SHOWN_EVERY = 5.0
"""Seconds between two lines of progress."""

NAMED: Final = 6
"""Of what was exercised too little, so much is named in a sentence."""


class Teller:
    """Says how far a campaign is, now and then, and each new failure at once."""

    def __init__(self, console: Console, terms: Terms, *, quiet: bool) -> None:
        self._console, self._terms, self._quiet = console, terms, quiet
        self._begun = self._shown = time.monotonic()
        self._calls: int | None = None
        self._known: set[str] = set()

    def tell(self, campaign: Campaign) -> None:
        """Told after each unit, and while none is over."""
        now, summary = time.monotonic(), campaign.summary
        if self._calls is None:
            self._calls = summary.calls
            self._known = set(campaign.files())
        if self._quiet:
            return
        for name, one in campaign.files().items():
            if name not in self._known:
                self._known.add(name)
                broken, excused = _broken(one, [one.finding.setup]), self._terms.excuse(one)
                known = f"; known: {harmless(excused.owner)} until {excused.expires}" if excused else ""
                self._console.print(f"{broken}{known}")
        if now - self._shown >= SHOWN_EVERY:
            self._shown = now
            rate = (summary.calls - self._calls) / (now - self._begun)
            missing = len(self._terms.missing(summary.coverage, summary.calls))
            self._console.print(
                f"[dim]{now - self._begun:.0f} s: {_amount(campaign)}, {rate:,.0f} calls/s now, "
                f"{missing} things not yet exercised, failures: {len(summary.found)}[/]"
            )


def reasons_of(ended: Ended, terms: Terms) -> list[Reason]:
    """Everything that keeps a campaign from being a pass."""
    summary = ended.campaign.summary
    reasons = [
        Reason(Answer.VIOLATED, f"{one.finding.look[0]} is violated: {one.finding.problem}")
        for one in ended.campaign.files().values()
        if terms.excuse(one) is None
    ]
    for (lane, index), problem in summary.broken.items():
        last = problem.strip().splitlines()[-1]
        reasons.append(Reason(Answer.BROKEN, f"unit {index} of lane {lane} has no result: {last}"))
    fault = ended.campaign.plan.fault
    if fault is not None and not summary.found and not ended.stopped:
        reasons.append(Reason(Answer.BROKEN, f"the seeded fault {fault} was not caught"))
    if ended.stopped:
        reasons.append(Reason(Answer.INCONCLUSIVE, "it was stopped before it was over"))
    if not summary.calls or not summary.coverage.page_actions:
        reasons.append(Reason(Answer.INCONCLUSIVE, "nothing was judged"))
    elif missing := terms.missing(summary.coverage, summary.calls):
        reasons.append(Reason(Answer.INCONCLUSIVE, f"too little was exercised: {_some_of(missing)}"))
    return reasons


def _some_of(missing: Sequence[str]) -> str:
    """The first of what was not exercised; the document names all of it."""
    more = f", and {len(missing) - NAMED} more" if len(missing) > NAMED else ""
    return f"{', '.join(missing[:NAMED])}{more}"


def document(ended: Ended, terms: Terms) -> dict[str, Any]:
    """All of it."""
    campaign, summary, reasons = ended.campaign, ended.campaign.summary, reasons_of(ended, terms)
    coverage, evidence = summary.coverage, evidence_of(ended.campaign)
    return {
        "target": campaign.plan.target,
        "seed": campaign.plan.seed,
        "workers": campaign.plan.lanes,
        "code": campaign.plan.code,
        "folder": str(campaign.folder),
        "verdict": str(answer_of(reasons)),
        "reasons": [reason.text for reason in reasons],
        "stopped": ended.stopped,
        "resumed_after_units": campaign.resumed,
        "units": dict(sorted(summary.units.items())),
        "allocators": summary.lives,
        "operations": summary.operations,
        "calls": summary.calls,
        "page_actions": coverage.page_actions,
        "seconds": round(summary.seconds, 3),
        "calls_per_second": round(_rate(campaign), 1),
        "excused": summary.excused,
        "corpus_problem": campaign.not_put,
        "coverage": {
            "actions": dict(sorted(coverage.actions.items())),
            "outcomes": {f"{call}: {how}": n for (call, how), n in sorted(coverage.outcomes.items())},
            "operations": {f"{name}: {how}": n for (name, how), n in sorted(coverage.operations.items())},
            "rejections": {f"{name}: {why}": n for (name, why), n in sorted(coverage.rejections.items())},
            "boundaries": dict(sorted(coverage.boundaries.items())),
            "pairs": {f"{first}, {second}": n for (first, second), n in sorted(coverage.pairs.items())},
            "calls": {f"{first}, {second}": n for (first, second), n in sorted(coverage.calls.items())},
            "events": dict(sorted(coverage.events.items())),
            "parts": of_parts(terms.parts(coverage)),
            "unexercised": list(terms.missing(coverage, summary.calls)),
        },
        "failures": [
            _failure(campaign, name, one, terms, evidence.get(name)) for name, one in campaign.files().items()
        ],
        "broken": [
            {"lane": lane, "unit": index, "problem": problem} for (lane, index), problem in summary.broken.items()
        ],
    }


def _failure(campaign: Campaign, name: str, one: Distinct, terms: Terms, evidence: Violation | None) -> dict[str, Any]:
    excused = terms.excuse(one)
    return {
        "property": one.finding.look[0],
        "call": one.finding.look[1],
        "problem": one.finding.problem,
        "setup": one.finding.setup,
        "setups": sorted(one.setups),
        "calls": one.finding.calls,
        "times": one.times,
        "lane": one.lane,
        "unit": one.index,
        "excused_by": excused and excused.owner,
        "file": str(campaign.folder / "failures" / name),
        "code": evidence.code if evidence else one.finding.shown,
        "history": evidence and evidence.history,
        "bytes": evidence and evidence.bytes,
        "facts": evidence and evidence.facts,
    }


def show(ended: Ended, terms: Terms, console: Console) -> None:
    """The same in some lines."""
    campaign, summary, plan = ended.campaign, ended.campaign.summary, ended.campaign.plan
    evidence = evidence_of(campaign)
    for name, one in campaign.files().items():
        console.print(_broken(one, one.setups))
        seen = evidence.get(name)
        if seen is not None:
            show_evidence(seen, console)
        console.print(f"{one.times} times; {one.finding.calls} calls are enough:\n")
        console.print(seen.code if seen else one.finding.shown, markup=False, soft_wrap=True)
        if (excused := terms.excuse(one)) is not None:
            console.print(f"known: {harmless(excused.owner)} until {excused.expires}: {harmless(excused.reason)}")
        command = again(campaign.folder / "failures" / name, plan.target, plan.checkout, plan.python)
        console.print(f"Again: {harmless(command)}\n", soft_wrap=True)
    console.print(
        f"{_amount(campaign)}, {summary.lives:,} {_lives(plan.target)}, {_rate(campaign):,.0f} calls/s of a worker"
    )
    if campaign.resumed:
        console.print(f"{campaign.resumed} units had been done before")
    if campaign.not_put is not None:
        problem = f"the corpus lacks what was found: it {campaign.not_put}; going on with the campaign puts it there"
        console.print(f"[yellow]{harmless(problem)}[/]", soft_wrap=True)
    for line in lines(terms.parts(summary.coverage)):
        console.print(f"[dim]{harmless(line)}[/]")
    reasons = reasons_of(ended, terms)
    for reason in reasons:
        if reason.answer is not Answer.VIOLATED:
            console.print(f"{reason.answer}: {harmless(reason.text)}")
    answer = answer_of(reasons)
    nothing = "nothing broke but what is known" if summary.found else "nothing broke"
    console.print(in_colour(answer, nothing if answer is Answer.HOLDS else None))
    go_on = shlex.join(["bandgap", "fuzz", "--resume", str(campaign.folder), *terms.options])
    console.print(f"[dim]Go on: {harmless(go_on)}[/]", soft_wrap=True)


def _broken(one: Distinct, setups: Iterable[str]) -> str:
    where = harmless(", ".join(sorted(setups)))
    return f"[bold red]{harmless(one.finding.look[0])}[/] breaks on {where}: {harmless(one.finding.problem)}"


def _lives(target: str) -> str:
    """What a life is that of."""
    return "lives of engines" if target == ENGINES else "allocators"


def _amount(campaign: Campaign) -> str:
    summary = campaign.summary
    units = sum(summary.units.values())
    return f"{counted(units, 'unit')}, {summary.calls:,} judged calls, {summary.coverage.page_actions:,} page actions"


def _rate(campaign: Campaign) -> float:
    """Judged calls of one worker per second."""
    summary = campaign.summary
    return summary.calls / summary.seconds if summary.seconds else 0.0
