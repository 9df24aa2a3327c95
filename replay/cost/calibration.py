"""Fits the free constants of the cost model to measured steps."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import log
from pathlib import Path

from replay.cost.device import DeviceRates
from replay.cost.model import ModelCost
from replay.cost.step import FITTED, Chunk, Constants, StepCost
from replay.errors import ReplayError
from replay.traffic.rows import seconds, tokens

COLUMNS = ("decode_requests", "context_tokens", "prefill_tokens", "step_ms")


@dataclass(frozen=True, slots=True)
class Measured:
    """A step of an engine, as it was measured."""

    decoding: int
    """Requests that gained a token."""
    context: int
    """Tokens of each of them."""
    prefill: int
    """Tokens of one prompt from its start, computed in the same step."""
    seconds: float


def read_measured(path: Path) -> list[Measured]:
    """The steps in a CSV file with the columns decode_requests, context_tokens (of each), prefill_tokens, step_ms.

    Raises:
        ReplayError: a row is bad, or there are fewer than three.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
    except (OSError, UnicodeDecodeError) as error:
        raise ReplayError("--calibrate", str(path), f"cannot be read ({error})", "give a CSV file") from None
    found = []
    for line, row in enumerate(rows, 2):
        for name in COLUMNS:
            if row.get(name) is None:
                raise ReplayError(name, None, "is missing", f"give the columns {', '.join(COLUMNS)}", line)
        decoding, context, prefill = (
            0 if row[name].strip() == "0" else tokens(name, row[name], line) for name in COLUMNS[:3]
        )
        took = seconds("step_ms", row["step_ms"], line, 1e-3)
        if took <= 0:
            raise ReplayError("step_ms", row["step_ms"], "must be above 0", "leave the step out", line)
        found.append(Measured(decoding, context, prefill, took))
    if len(found) < len(FITTED):
        raise ReplayError("--calibrate", str(path), f"has {len(found)} steps", f"give {len(FITTED)} or more")
    return found


def fitted(model: ModelCost, device: DeviceRates, start: Constants, steps: Sequence[Measured]) -> Constants:
    """The constants with the least sum of squared logarithms of predicted over measured times.

    A pattern search in the logarithms of the constants: always the same answer, and no need of derivatives, which the
    maxima of the cost model have not.
    """
    best, error = start, _error(model, device, start, steps)
    stride = 0.5
    while stride > 1e-3:
        better = False
        for name in FITTED:
            for factor in (1 + stride, 1 / (1 + stride)):
                tried = replace(best, **{name: getattr(best, name) * factor})
                if tried.memory_share > 1 or tried.compute_share > 1:
                    continue
                this = _error(model, device, tried, steps)
                if this < error:
                    best, error, better = tried, this, True
        if not better:
            stride /= 2
    return best


def predicted(cost: StepCost, step: Measured) -> float:
    """Seconds of a step by the cost model."""
    contexts = [
        0 if state else step.decoding * (step.context if window is None else min(step.context, window))
        for window, state in zip(cost.model.windows, cost.model.states, strict=True)
    ]
    chunks = [Chunk(step.prefill, 0)] if step.prefill else []
    return cost.step(step.decoding, contexts, cost.prefill(chunks))


def _error(model: ModelCost, device: DeviceRates, constants: Constants, steps: Sequence[Measured]) -> float:
    cost = StepCost(model, device, constants)
    return sum(log(predicted(cost, step) / step.seconds) ** 2 for step in steps)
