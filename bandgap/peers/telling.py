"""The answer of a peer's gate, for people and for programs."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from bandgap.gate.violation import Violation
from bandgap.output import harmless
from bandgap.peers.explaining import calls_of, says
from bandgap.peers.gate import Found, PeerResult
from bandgap.reports.terminal import in_colour, show_evidence
from fuzz.peers.lives import Lived


def document(result: PeerResult, files: Mapping[str, Path]) -> dict[str, Any]:
    """All of it; `files` are the reports that were written."""
    hunt, canary = result.hunt, result.canary
    return {
        "target": result.target,
        "version": result.description.version,
        "source": result.description.source,
        "verdict": str(result.answer),
        "reasons": [reason.text for reason in result.reasons],
        "seed": result.seed,
        "allocators": hunt.lives,
        "calls": hunt.calls,
        "calls_per_second": round(hunt.rate, 1),
        "page_actions": sum(hunt.actions.values()),
        "coverage": {
            "outcomes": {f"{call}: {how}": times for (call, how), times in sorted(hunt.outcomes.items())},
            "actions": dict(sorted(hunt.actions.items())),
            "unexercised": list(result.missing),
        },
        "canary": None
        if canary is None
        else {"fault": canary.fault, "expects": canary.expects, "caught_by": canary.caught_by},
        "findings": [_finding(found) for found in result.found],
        "files": {name: str(path) for name, path in files.items()},
        "promises": result.description.promises,
        "leaves_out": result.description.leaves_out,
    }


def _finding(found: Found) -> dict[str, Any]:
    finding = found.finding
    return {
        "property": finding.property,
        "problem": finding.problem,
        "setup": finding.setup,
        "calls": len(finding.script),
        "script": finding.script,
        "lines": [(told.first, told.last) for told in calls_of(found.life)] if found.life else [],
        "code": found.evidence.code if found.evidence else "",
        "history": found.evidence and found.evidence.history,
        "bytes": found.evidence.bytes if found.evidence else (),
        "facts": found.evidence.facts if found.evidence else (),
        "repeats": finding.repeats,
        "reduced": finding.reduced,
        "times": finding.times,
        "file": str(found.file),
        "excused_by": found.excused.owner if found.excused else None,
    }


def again(file: Path, target: str, checkout: Path | str | None = None, python: Path | str | None = None) -> str:
    """The command that makes the calls of a saved failure again, in what was driven when it was found."""
    whose = ["--target", target] if target.endswith(".py") else []
    for option, value in (("--path", checkout), ("--python", python)):
        whose += [option, str(value)] if value else []
    return shlex.join(["bandgap", "reproduce", str(file), *whose])


def show_life(life: Lived, evidence: Violation | None, console: Console) -> None:
    """The calls of a life with their lines of the trace, how it came to what broke, and the calls to be pasted."""
    for number, told in enumerate(calls_of(life), 1):
        said = harmless(f"{number}. {told.call!r}: {told.outcome}")
        console.print(f"  {said} [dim]({told.place} of the trace)[/]", soft_wrap=True)
    if evidence is None:
        return
    console.print()
    show_evidence(evidence, console)
    console.print(f"\n{evidence.code}", markup=False, soft_wrap=True)


def show(result: PeerResult, console: Console, files: Mapping[str, Path]) -> None:
    """The same in some lines; `files` are the reports that were written."""
    hunt = result.hunt
    for found in result.found:
        finding = found.finding
        problem = harmless(finding.problem)
        console.print(f"[bold red]{harmless(finding.property)}[/] breaks on {harmless(finding.setup)}: {problem}")
        promise = says(finding.property, result.description)
        if promise:
            console.print(f"  {harmless(promise)}")
        console.print()
        if found.life is not None:
            show_life(found.life, found.evidence, console)
        else:
            for call in finding.script:
                console.print(f"    {harmless(repr(call))}")
        if found.excused is not None:
            console.print(f"  known: {harmless(found.excused.owner)} until {found.excused.expires}")
        console.print(
            f"  again: {harmless(again(found.file, result.target, result.checkout, result.python))}\n", soft_wrap=True
        )
    about = result.description
    console.print(harmless(f"{about.title} {about.version}, from {about.source}"))
    console.print(
        f"{hunt.calls:,} judged calls on {hunt.lives:,} allocators, {sum(hunt.actions.values()):,} page actions, "
        f"{hunt.rate:,.0f} calls/s"
    )
    expected = len(result.description.expects)
    console.print(f"{expected - len(result.missing)} of {expected} outcomes of calls were seen")
    if result.canary is not None:
        by = result.canary.caught_by
        console.print(f"canary: {result.canary.fault} is {f'caught by {by}' if by else 'not caught'}")
    for reason in result.reasons:
        console.print(f"{reason.answer}: {harmless(reason.text)}")
    for name, path in files.items():
        console.print(f"{name:<7} {path}", markup=False, soft_wrap=True)
    console.print(in_colour(result.answer))
