"""The gate's result as SARIF 2.1.0: each violation at the line where what it breaks is written."""

import json
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from bandgap.gate.lane import GateResult
from bandgap.gate.verdict import Answer, Reason, reasons_of_task
from bandgap.gate.violation import Violation
from bandgap.reports.places import place_of

SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def write_sarif(result: GateResult, path: Path) -> None:
    """Write the report."""
    # what is no character, such as half of a surrogate pair, is written as an escape
    path.write_text(json.dumps(sarif(result), indent=2) + "\n", encoding="ascii")


def sarif(result: GateResult) -> dict[str, Any]:
    """The document. What is broken or not known is told as a notification: it is about no line of the source."""
    violations = [violation for lane in result.lanes for done in lane.done for violation in done.evidence.violations]
    rules = {violation.check: violation.prose for violation in violations}
    notifications = [_notification(reason) for reason in _other_reasons(result)]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "bandgap",
                        "semanticVersion": version("bandgap"),
                        "rules": [_rule(check, prose) for check, prose in rules.items()],
                    }
                },
                "invocations": [
                    {
                        "executionSuccessful": not notifications,
                        "exitCode": int(result.answer.exit),
                        "toolExecutionNotifications": notifications,
                    }
                ],
                "originalUriBaseIds": {"SRCROOT": {"description": {"text": "The root of Bandgap's source."}}},
                "columnKind": "unicodeCodePoints",
                "results": [_result(violation, list(rules).index(violation.check)) for violation in violations],
            }
        ],
    }


def _rule(check: str, prose: str) -> dict[str, Any]:
    return {
        "id": check,
        "shortDescription": {"text": prose or check},
        "defaultConfiguration": {"level": "error"},
    }


def _result(violation: Violation, rule: int) -> dict[str, Any]:
    place = place_of(violation.check, violation.problem)
    again = f"\n\n{violation.command}" if violation.command else ""
    return {
        "ruleId": violation.check,
        "ruleIndex": rule,
        "level": "error",
        "message": {"text": f"{violation.problem} ({violation.where}){again}"},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": place.file, "uriBaseId": "SRCROOT"},
                    "region": {"startLine": place.line},
                }
            }
        ],
        # the same property at the same place is the same alert from one run to the next
        "partialFingerprints": {"check/v1": _hash(violation.check, violation.where)},
    }


def _notification(reason: Reason) -> dict[str, Any]:
    return {"level": "error", "descriptor": {"id": str(reason.answer)}, "message": {"text": reason.text}}


def _other_reasons(result: GateResult) -> Iterator[Reason]:
    for lane in result.lanes:
        for done in lane.done:
            yield from (reason for reason in reasons_of_task(done.evidence) if reason.answer is not Answer.VIOLATED)
        yield from lane.own_reasons


def _hash(*texts: str) -> str:
    return sha256("\0".join(texts).encode(errors="surrogatepass")).hexdigest()[:32]
