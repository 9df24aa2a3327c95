"""CrossHair's answer about a contract: confirmed over all paths, refuted by a call that is made again, or unknown.

That no counterexample was found is unknown, which is never trusted.
"""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from crosshair.core_and_libs import AnalysisKind, AnalysisMessage, MessageType, analyze_function, run_checkables
from crosshair.options import AnalysisOptionSet

from impl.arithmetic.admission import Needs
from properties.answers import Answer, Verdict
from properties.contracts.contract import CONTRACTS, PREFIX, Contract, changed
from properties.contracts.known import contract_and_edit
from properties.limits import Limits
from properties.obligations import Obligation
from properties.trials import Trial

PATIENCE = 20
"""How many times the seconds of one proof all paths of a contract may take, however busy the machine is."""


def answers(obligations: Sequence[Obligation], limits: Limits, fault: str | None = None) -> Iterator[Answer]:
    """The answers to contracts, in their order, of the arithmetic as it is or with what a fault changes."""
    with changed(None if fault is None else contract_and_edit(fault)[1]):
        for obligation in obligations:
            began = time.perf_counter()
            verdict, reason, found = checked(CONTRACTS[obligation.property], limits)
            yield Answer(obligation, verdict, time.perf_counter() - began, None, reason, found)


def trial(name: str, limits: Limits) -> Trial:
    """Break the arithmetic, and see that the contract is refuted."""
    began = time.perf_counter()
    contract, edit = contract_and_edit(name)
    with changed(edit):
        verdict, reason, found = checked(contract, limits)
    refuted = verdict is Verdict.VIOLATED
    wrong = "" if refuted else reason or f"{contract.name} is confirmed all the same"
    return Trial(
        name,
        f"{edit.new!r} instead of {edit.old!r}",
        contract.name,
        "",
        (contract.name,) if refuted else (),
        None,
        time.perf_counter() - began,
        wrong,
        verdict is Verdict.UNKNOWN,
        found,
    )


def checked(contract: Contract, limits: Limits) -> tuple[Verdict, str, str]:
    """The verdict, why it is unknown, and the call that refutes it."""
    options = AnalysisOptionSet(
        analysis_kind=[AnalysisKind.PEP316],
        per_condition_timeout=PATIENCE * limits.seconds,
        per_path_timeout=PATIENCE * limits.seconds,
        report_all=True,
    )
    messages = run_checkables(analyze_function(contract.holds, options))
    states = {message.state for message in messages}
    if states == {MessageType.CONFIRMED}:
        return Verdict.PROVED, "", ""
    failed = [message for message in messages if message.state in (MessageType.POST_FAIL, MessageType.EXEC_ERR)]
    if failed:
        return _again(contract, failed[0])
    return Verdict.UNKNOWN, "; ".join(message.message for message in messages) or "CrossHair said nothing of it", ""


def _again(contract: Contract, message: AnalysisMessage) -> tuple[Verdict, str, str]:
    """The call that CrossHair names is made in plain values: only what fails then is believed."""
    call = re.search(rf"when calling ({contract.holds.__name__}\(.*\))", message.message)
    if call is None:
        return Verdict.UNKNOWN, f"no call was named: {message.message}", ""
    said = re.sub(r" \(which returns .*", "", call.group(1))
    names: dict[str, Callable[..., Any]] = {contract.holds.__name__: contract.holds, "Needs": Needs}
    try:
        holds = eval(said, {"__builtins__": {}}, names)
    except ArithmeticError:
        holds = False
    if holds:
        return Verdict.UNKNOWN, f"it holds after all when it is called again: {said}", ""
    return Verdict.VIOLATED, "", said


__all__ = ["PREFIX", "answers", "checked", "trial"]
