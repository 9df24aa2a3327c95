"""The cost model: what it adds up, and that its constants can be found again from steps that it has timed."""

from dataclasses import replace
from pathlib import Path

import pytest

from impl.layout import Options, layout_of
from replay.cost.calibration import Measured, fitted, predicted, read_measured
from replay.cost.device import H200
from replay.cost.model import model_cost
from replay.cost.step import FITTED, Chunk, Constants, StepCost
from replay.errors import ReplayError

MODELS = ("gpt-oss-20b", "qwen3.5-4b")


def _cost(model: str = "gpt-oss-20b", constants: Constants | None = None) -> StepCost:
    return StepCost(model_cost(model, layout_of(model, Options())), H200, constants or Constants())


@pytest.mark.parametrize("model", MODELS)
def test_steps_taken_at_once_take_as_long_as_one_by_one(model: str) -> None:
    cost = _cost(model)
    contexts, growing = [30 * 128, 30 * 900], [5, 30]
    at_once = cost.steps(20, 30, contexts, growing, (0, 0.0)).tolist()
    one_by_one = [
        cost.step(30, [context + step * grows for context, grows in zip(contexts, growing, strict=True)], (0, 0.0))
        for step in range(20)
    ]
    assert at_once == pytest.approx(one_by_one)


def test_an_empty_batch_reads_the_weights_that_one_token_meets() -> None:
    cost = _cost()
    seconds = cost.step(1, [0, 0], (0, 0.0)) - cost.constants.step_seconds
    assert seconds == pytest.approx(cost.model.touched_bytes(1) / (H200.bytes_per_second * 0.75), rel=1e-3)


def test_more_tokens_touch_more_experts_and_never_more_than_all() -> None:
    model = _cost().model
    touched = [model.touched_bytes(tokens) for tokens in (1, 2, 8, 64, 10_000)]
    assert touched == sorted(touched)
    assert touched[0] == pytest.approx(3.58e9 + 10.16e9 / 8)
    assert touched[-1] == pytest.approx(model.weight_bytes)


def test_a_decode_step_is_bound_by_memory_and_a_prefill_by_operations() -> None:
    cost = _cost("qwen3.5-4b")
    decode = cost.step(64, [0, 64 * 16_384], (0, 0.0))
    state, token = cost.model.entry_bytes
    read = 8e9 + 64 * (16_384 * token + token + 2 * state)
    assert decode - cost.constants.step_seconds == pytest.approx(read / (H200.bytes_per_second * 0.75))
    tokens, attention = cost.prefill([Chunk(8_192, 0)])
    assert cost.step(0, [0, 0], (tokens, attention)) > 2 * 4e9 * 8_192 / H200.flops


def test_a_window_is_read_no_further_than_it_reaches() -> None:
    cost = _cost()
    _, far = cost.prefill([Chunk(64, 50_000)])
    _, near = cost.prefill([Chunk(64, 100)])
    assert far > near
    windows_only = replace(cost.model, attention_flops=(cost.model.attention_flops[0], 0.0))
    local = StepCost(windows_only, H200, cost.constants)
    assert local.prefill([Chunk(64, 50_000)]) == local.prefill([Chunk(64, 128)])


def test_calibration_finds_the_constants_of_measured_steps() -> None:
    truth = Constants(memory_share=0.6, compute_share=0.4, step_seconds=2.5e-3)
    cost = _cost("qwen3.5-4b", truth)
    points = [(8, 1_000, 0), (64, 16_000, 0), (256, 500, 0), (0, 0, 8_192), (0, 0, 2_048), (32, 4_000, 4_096)]
    steps = [Measured(*point, 0.0) for point in points]
    steps = [replace(step, seconds=predicted(cost, step)) for step in steps]
    found = fitted(cost.model, H200, Constants(), steps)
    assert [getattr(found, name) for name in FITTED] == pytest.approx([0.6, 0.4, 2.5e-3], rel=0.05)


def test_measured_steps_are_read_and_bad_ones_named(tmp_path: Path) -> None:
    header, rows = "decode_requests,context_tokens,prefill_tokens,step_ms", ["8,1000,0,4.5", "64,1000,0,6", "0,0,512,9"]
    path = tmp_path / "steps.csv"
    path.write_text("\n".join([header, *rows]))
    first = read_measured(path)[0]
    assert (first.decoding, first.context, first.prefill) == (8, 1000, 0)
    assert first.seconds == pytest.approx(4.5e-3)
    for bad, line in (("8,1000,0,-1", 3), ("8,many,0,5", 3), ("8,1000", 3)):
        path.write_text("\n".join([header, rows[0], bad, *rows]))
        with pytest.raises(ReplayError) as found:
            read_measured(path)
        assert found.value.line == line
    path.write_text("\n".join([header, rows[0]]))
    with pytest.raises(ReplayError, match="3 or more"):
        read_measured(path)


def test_weights_that_nobody_knows_are_asked_for() -> None:
    layout = layout_of("kimi-k3", Options(tp_size=8))
    with pytest.raises(ReplayError, match="--weights"):
        model_cost("kimi-k3", layout)
    assert model_cost("kimi-k3", layout, 10**12).weight_bytes == 10**12 / 8
