"""The gate's result as JUnit XML: a suite for each lane, a case for each task and one for the lane's own verdict."""

import re
from pathlib import Path

from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite

from bandgap.gate.lane import GateResult, LaneResult
from bandgap.gate.task import Done
from bandgap.gate.verdict import Answer, Reason, reasons_of_task
from bandgap.gate.violation import Violation

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_junit(result: GateResult, path: Path) -> None:
    """Write the report."""
    xml = JUnitXml("bandgap gate")
    for lane in result.lanes:
        xml.add_testsuite(_suite(lane, result))
    xml.update_statistics()  # type: ignore[no-untyped-call]  # the library types all but this one
    xml.write(str(path), pretty=True)


def _suite(lane: LaneResult, result: GateResult) -> TestSuite:
    suite = TestSuite(plain(lane.name))
    suite.add_property("claim", plain(lane.claim))
    suite.add_property("seed", str(result.settings.seed))
    suite.add_property("target", plain(result.settings.target))
    for count in lane.evidence.counts:
        suite.add_property(plain(count.what), f"{count.number} (at least {count.floor})")
    for done in lane.done:
        suite.add_testcase(_task_case(lane, done))
    verdict = _case(lane, "the lane as a whole", 0.0)
    verdict.result = [_error(reason) for reason in lane.own_reasons]
    suite.add_testcase(verdict)
    return suite


def _task_case(lane: LaneResult, done: Done) -> TestCase:
    case = _case(lane, done.task.name, done.seconds)
    failures = [_failure(violation) for violation in done.evidence.violations]
    others = (reason for reason in reasons_of_task(done.evidence) if reason.answer is not Answer.VIOLATED)
    case.result = [*failures, *map(_error, others)]
    if done.evidence.notes:
        case.system_out = plain("\n".join(done.evidence.notes))
    return case


def _case(lane: LaneResult, name: str, seconds: float) -> TestCase:
    return TestCase(plain(name), f"bandgap.{plain(lane.name)}", seconds)


def _failure(violation: Violation) -> Failure:
    failure = Failure(plain(f"{violation.check}: {violation.problem}"), plain(violation.check))
    parts = [violation.prose, violation.problem, violation.command or "", violation.code]
    failure.text = plain("\n\n".join(part for part in parts if part))
    return failure


def _error(reason: Reason) -> Error:
    # never `skipped`: pipelines show that in green
    return Error(plain(reason.text), reason.answer.value)


def plain(text: str) -> str:
    """The text without the characters that XML cannot hold."""
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)
