"""The gate's result as one JSON document."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from bandgap.gate.lane import GateResult, LaneResult
from bandgap.gate.violation import Violation
from bandgap.reports import coverage
from bandgap.reports.provenance import provenance
from bandgap.reports.symptoms import Symptom, symptoms_of


def document(result: GateResult, files: dict[str, Path]) -> dict[str, Any]:
    """What `bandgap gate --json` prints; `files` are the reports that were written."""
    return {
        "answer": result.answer,
        "exit": int(result.answer.exit),
        "stopped": result.stopped,
        "seconds": round(result.seconds, 2),
        "target": result.settings.target,
        "seed": result.settings.seed,
        "quick": result.settings.quick,
        "workers": result.settings.workers,
        "coverage": coverage.document(coverage.of_gate(result)),
        "symptoms": [_symptom(symptom) for symptom in symptoms_of(result)],
        "lanes": [_lane(lane) for lane in result.lanes],
        "files": {name: str(path).encode(errors="replace").decode() for name, path in files.items()},
        "provenance": provenance(),
    }


def _symptom(symptom: Symptom) -> dict[str, Any]:
    """The first place is that of the fewest calls."""
    violation = symptom.first.violation
    return {
        "check": violation.check,
        "call": violation.call,
        "title": symptom.title,
        "places": [
            {
                "lane": seen.lane,
                "where": seen.violation.where,
                "calls": seen.violation.calls,
                "file": seen.violation.file,
                "command": seen.violation.command,
            }
            for seen in symptom.seen
        ],
        "always": dict(symptom.always),
        "differed": dict(symptom.differed),
    }


def _lane(lane: LaneResult) -> dict[str, Any]:
    evidence = lane.evidence
    return {
        "name": lane.name,
        "claim": lane.claim,
        "answer": lane.answer,
        "left_out": lane.left_out,
        "seconds": round(lane.seconds, 2),
        "counts": [asdict(count) for count in evidence.counts],
        "reasons": [asdict(reason) for reason in lane.reasons],
        "canaries": [asdict(canary) for canary in evidence.canaries],
        "violations": [_violation(violation) for violation in evidence.violations],
        "notes": evidence.notes,
        "coverage": [{"what": what, "times": times, "floor": floor} for what, times, floor in coverage.rows(lane)],
        "tasks": [
            {"name": done.task.name, "seconds": round(done.seconds, 2), "run_again": done.again} for done in lane.done
        ],
    }


def _violation(violation: Violation) -> dict[str, Any]:
    return asdict(violation)
