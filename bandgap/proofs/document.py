"""What `bandgap prove --json` prints."""

from collections.abc import Mapping
from typing import Any

from bandgap.pictures.wording import event, members
from bandgap.proofs.help import help_document, shown
from bandgap.proofs.report import trial_verdict, witness_verdict
from properties import Answer, Report, Trial, Verdict, Witness
from properties.examples import Arena
from properties.failing.helping import Help
from properties.judging import Counterexample
from properties.known import is_fault
from properties.obligations import Obligation


def document(report: Report, helps: Mapping[Obligation, Help]) -> dict[str, Any]:
    """The whole report, with what helps where something is violated."""
    return {
        "verdict": report.verdict,
        "obligations": len(report.answers),
        "proved": report.count(Verdict.PROVED),
        "violated": report.count(Verdict.VIOLATED),
        "unknown": report.count(Verdict.UNKNOWN),
        "seconds": round(report.seconds, 3),
        "interrupted": report.interrupted,
        "weakening": report.weakening,
        "answers": [_answer(answer, helps.get(answer.obligation)) for answer in report.answers],
        "vacuity": [_witness(witness) for witness in report.witnesses],
        "necessity": [_trial(trial) for trial in report.trials if not is_fault(trial.name)],
        "faults": [_trial(trial) for trial in report.trials if is_fault(trial.name)],
        "idle": report.idle,
    }


def _answer(answer: Answer, help_: Help | None) -> dict[str, Any]:
    obligation = answer.obligation
    return {
        "name": obligation.name,
        "kind": obligation.kind,
        "action": obligation.action,
        "property": obligation.property,
        "verdict": answer.verdict,
        "seconds": round(answer.seconds, 4),
        "reason": answer.reason,
        "counterexample": _counterexample(shown(answer, help_)),
        "small_case": answer.found,
        "help": help_document(help_),
    }


def _witness(witness: Witness) -> dict[str, Any]:
    return {
        "name": witness.name,
        "verdict": witness_verdict(witness),
        "seen_at": witness.seen_at,
        "reason": witness.reason,
    }


def _trial(trial: Trial) -> dict[str, Any]:
    return {
        "name": trial.name,
        "says": trial.says,
        "property": trial.property,
        "precedent": trial.precedent,
        "verdict": trial_verdict(trial),
        "refuted": trial.refuted,
        "reason": trial.wrong,
        "seconds": round(trial.seconds, 4),
        "counterexample": _counterexample(trial.counterexample),
        "small_case": trial.found,
    }


def _counterexample(found: Counterexample | None) -> dict[str, Any] | None:
    if found is None:
        return None
    example = found.example
    return {
        "event": event(example),
        "action": example.action,
        "arguments": example.arguments,
        "false_of": [members(member) for member in found.culprits],
        "before": _arena(example.before),
        "after": _arena(example.after),
    }


def _arena(arena: Arena) -> dict[str, Any]:
    """Its tables as lists of key and value; what is not listed is zero or false."""
    return {
        "base": arena.base,
        "capacity": arena.capacity,
        "bottom": arena.bottom,
        "top": arena.top,
        "origins": arena.origins,
        "page_bytes": arena.shape.sizes,
        "tables": {
            name: [[list(key), value] for key, value in sorted(entries.items())]
            for name, entries in arena.tables.items()
            if entries
        },
    }
