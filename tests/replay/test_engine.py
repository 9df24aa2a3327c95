"""The engine: the same for every memory, repeatable, and by laws that are shown to be able to fail."""

import math
import random
from dataclasses import replace

import numpy as np
import pytest

from impl.layout import Options
from impl.requests.reach import places
from replay.engine import engine as module
from replay.engine.admission import Admission
from replay.engine.batch import Batch
from replay.engine.calendar import FINISH, Calendar, Due
from replay.engine.leaving import Leaving
from replay.engine.pace import Pace, Paced
from replay.engine.prompts import Prompts
from replay.engine.request import Served
from replay.engine.supply import Supply
from replay.engine.tally import BrokenLaw
from replay.errors import ReplayError
from replay.job import Settings
from replay.memory.ratios import Ratios
from replay.outcome import Outcome
from replay.traffic.traffic import Traffic
from tests.replay.runs import (
    ALL,
    MODELS,
    STATE,
    WINDOW,
    eager,
    engine,
    one,
    same,
    split,
    traffic,
    unified,
    with_prefixes,
)

EVERY = pytest.mark.parametrize("model", sorted(MODELS))


@EVERY
def test_every_request_is_served_whatever_the_memory(model: str) -> None:
    requests = traffic()
    for outcome in (unified(MODELS[model], requests), split(MODELS[model], requests)):
        assert outcome.completed + outcome.rejected == len(requests)
        assert outcome.completed > 100
        if not outcome.rejected:
            assert outcome.output_tokens == int(requests.outputs.sum())


@EVERY
def test_a_run_is_repeated_exactly(model: str) -> None:
    requests = with_prefixes(traffic(60))
    assert same(unified(MODELS[model], requests), unified(MODELS[model], requests))


@EVERY
def test_tickets_opened_late_change_nothing(model: str) -> None:
    for requests in (traffic(60), with_prefixes(traffic(60, seed=5))):
        late, at_once = unified(MODELS[model], requests), eager(MODELS[model], requests)
        for figure in ("completed", "steps", "retractions", "most_running", "cached_tokens", "copied_bytes"):
            assert getattr(late, figure) == getattr(at_once, figure), figure
        # holes are listed in another order, so that moves may be others
        assert late.seconds == pytest.approx(at_once.seconds, rel=1e-4)


def test_memory_is_short_in_these_runs() -> None:
    requests = traffic()
    outcomes = {model: unified(settings, requests) for model, settings in MODELS.items()}
    assert all(outcome.mean_running < len(requests) / 3 for outcome in outcomes.values())
    assert outcomes["all"].moved_bytes > 0
    assert any(outcome.retractions for outcome in outcomes.values())


def test_unified_memory_serves_more_than_pools_at_a_bad_ratio() -> None:
    requests = traffic()
    arena, pools = unified(STATE, requests), split(STATE, requests, Ratios(mamba_full_memory=20.0))
    assert arena.most_running > pools.most_running
    assert arena.output_per_second > 1.2 * pools.output_per_second


def test_with_room_for_everything_both_memories_are_the_same() -> None:
    roomy = replace(WINDOW, arena_bytes=20_000_000_000)
    arena, pools = unified(roomy, traffic()), split(roomy, traffic())
    assert arena.steps == pools.steps
    assert arena.seconds == pools.seconds
    assert not arena.retractions + pools.retractions


@pytest.mark.parametrize("overlap", [True, False])
@pytest.mark.parametrize(("prompt", "output"), [(1, 1), (15, 1), (16, 1), (16, 2), (17, 40), (300, 33), (144, 16)])
def test_a_request_alone_has_the_pages_of_its_tokens(prompt: int, output: int, overlap: bool) -> None:
    # with overlap it takes part in one more step, which writes a token more
    full = WINDOW.layout.kinds[-1]
    outcome = unified(WINDOW, one(prompt, output), overlap=overlap)
    written = prompt + output - 1 + overlap
    most = max(sample.occupancy.used[-1] for sample in outcome.timeline)
    assert most == places(full, written) * full.page_bytes
    assert outcome.steps == 1 + output - 1 + overlap
    assert outcome.output_tokens == output


def test_a_window_keeps_only_what_is_read() -> None:
    window = WINDOW.layout.kinds[0]
    outcome = unified(WINDOW, one(100, 600))
    late = [sample.occupancy.used[0] // window.page_bytes for sample in outcome.timeline if sample.running][20:]
    assert window.window is not None
    needed = math.ceil(window.window / window.page_tokens)
    assert set(late) <= {needed, needed + 1, needed + 2}


def test_prompts_in_chunks_are_computed_once() -> None:
    requests = traffic(30, rate=5.0)
    for chunk in (16, 50, 8_192):
        outcome = unified(replace(ALL, arena_bytes=10**9), requests, chunk_tokens=chunk)
        assert outcome.prefilled_tokens == int(requests.prompts.sum())


def test_smaller_chunks_take_more_steps() -> None:
    requests = one(1_000, 2)
    assert unified(WINDOW, requests, chunk_tokens=100).steps == 10 + 2
    assert unified(WINDOW, requests, chunk_tokens=1_000).steps == 1 + 2


@EVERY
def test_shared_prefixes_are_found_and_given_back(model: str) -> None:
    requests = with_prefixes(traffic(80, rate=50.0))
    roomy = replace(MODELS[model], arena_bytes=4_000_000_000)
    found, without = unified(roomy, requests), unified(roomy, requests, prefix_cache=False)
    assert found.cached_tokens > 0
    assert found.prefilled_tokens + found.cached_tokens == int(requests.prompts.sum())
    assert without.cached_tokens == 0
    assert without.prefilled_tokens == int(requests.prompts.sum())


@EVERY
def test_prefixes_give_way_to_requests(model: str) -> None:
    requests = with_prefixes(traffic(100, rate=20.0), families=30)
    short, roomy = (replace(MODELS[model], arena_bytes=times * MODELS[model].arena_bytes) for times in (2, 20))
    little, much = unified(short, requests), unified(roomy, requests)
    assert little.completed == much.completed == len(requests)
    assert 0 < little.cached_tokens < much.cached_tokens


def test_clients_that_wait_never_have_more_than_one_request_each() -> None:
    requests = traffic(60).as_closed_loop(7)
    outcome = unified(replace(WINDOW, arena_bytes=10**9), requests)
    assert outcome.most_running == 7
    assert outcome.completed == 60


def test_a_request_that_no_memory_holds_is_rejected_and_the_others_are_served() -> None:
    requests = traffic(20)
    requests.prompts[7] = 50_000
    for outcome in (unified(WINDOW, requests), split(WINDOW, requests)):
        assert (outcome.rejected, outcome.completed) == (1, 19)


def test_a_request_that_turns_out_not_to_fit_gives_way_to_those_that_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Admission, "longest", lambda admission, most: most)
    requests = traffic(20)
    requests.prompts[[3, 4, 7]] = 50_000
    requests.outputs[11] = 50_000
    for outcome in (unified(WINDOW, requests), split(WINDOW, requests)):
        assert (outcome.rejected, outcome.completed) == (4, 16)


def test_no_more_run_than_the_policy_allows() -> None:
    assert unified(replace(WINDOW, arena_bytes=10**9), traffic(), max_running=5).most_running == 5


def test_faster_arrivals_wait_longer() -> None:
    requests = traffic(rate=20.0)
    assert unified(STATE, requests.faster(20)).first_token_p99 > unified(STATE, requests).first_token_p99


def _drawn(seed: int) -> tuple[Settings, Traffic, dict[str, object]]:
    """Any settings, traffic and policy."""
    draw = random.Random(seed)
    model = draw.choice(sorted(MODELS))
    settings = replace(
        MODELS[model],
        options=Options(page_tokens=draw.choice([1, 16, 64])),
        arena_bytes=int(MODELS[model].arena_bytes * draw.choice([0.7, 1, 3])),
    )
    requests = traffic(30, seed, draw.choice([50.0, 2_000.0]), draw.choice([60, 300]), draw.choice([5, 100]))
    if draw.random() < 0.6:
        requests = with_prefixes(requests, families=draw.choice([1, 3, 20]))
    if draw.random() < 0.4:
        requests = requests.as_closed_loop(draw.choice([1, 4, 50]))
    policy: dict[str, object] = {
        "chunk_tokens": draw.choice([7, 64, 8_192]),
        "max_running": draw.choice([1, 3, 4_096]),
        "overlap": draw.random() < 0.6,
        "reserve": draw.choice([0.1, 1.0]),
    }
    return settings, requests, policy


@pytest.mark.parametrize("seed", range(24))
def test_the_laws_hold_under_any_policy_and_however_little_memory_there_is(seed: int) -> None:
    settings, requests, policy = _drawn(seed)
    for outcome in (unified(settings, requests, **policy), split(settings, requests, Ratios(0.1, 0.1), **policy)):
        assert outcome.completed + outcome.rejected == len(requests)


def _both(seed: int) -> list[Outcome]:
    settings, requests, policy = _drawn(seed)
    return [unified(settings, requests, **policy), split(settings, requests, Ratios(0.1, 0.1), **policy)]


def _alike(one: Outcome, other: Outcome) -> bool:
    """Whether all is equal that does not depend on when samples were taken; times as sums in another order may be."""
    counts = ("completed", "rejected", "steps", "retractions", "most_running", "prefilled_tokens", "cached_tokens")
    nbytes = ("moved_bytes", "copied_bytes")
    times = ("seconds", "first_token_median", "first_token_p99", "answer_median", "answer_p99", "mean_running")
    return all(getattr(one, name) == getattr(other, name) for name in (*counts, *nbytes)) and all(
        getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-9) for name in times
    )


def _one_by_one(self: Pace, coming: float | None, most: int | None, moving: float, decoding=Pace.decoding) -> Paced:  # type: ignore[no-untyped-def]
    paced: Paced = decoding(self, coming, 1, moving)
    return paced


@pytest.mark.parametrize("seed", range(100, 116))
def test_steps_that_are_taken_at_once_are_what_single_steps_are(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    at_once = _both(seed)
    monkeypatch.setattr(Pace, "decoding", _one_by_one)
    assert all(map(_alike, at_once, _both(seed)))


def test_a_prompt_that_is_looked_at_too_late_shows_beside_single_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    def short() -> Outcome:
        return split(WINDOW, traffic(60), Ratios(0.3), chunk_tokens=64)

    rightly = short()
    monkeypatch.setattr(Prompts, "patience", None)
    too_late = short()
    monkeypatch.setattr(Pace, "decoding", _one_by_one)
    assert _alike(rightly, short())
    assert not _alike(too_late, short())


def test_a_run_that_is_stopped_says_what_it_has() -> None:
    served, _ = engine(WINDOW, traffic(), lambda done: False)
    tally = served.run()
    assert served.interrupted
    assert tally.steps > 0


def test_page_sizes_that_do_not_divide_a_block_are_refused() -> None:
    odd = replace(WINDOW, options=replace(WINDOW.options, page_tokens=48))
    with pytest.raises(ReplayError, match="prefix blocks"):
        unified(odd, with_prefixes(traffic(5)))


# ------------------------------------------------------------------------------------------------------ seeded faults


def _a_step_too_few(self: Calendar, step: int, due: Due, put=Calendar.put) -> None:  # type: ignore[no-untyped-def]
    put(self, step - 1 if due.what == FINISH else step, due)


def _forgets_a_retraction(self: Leaving, request: Served) -> None:
    self._drop(request)
    request.back(0)
    self._situation.waiting.appendleft(request)
    self._situation.tally.dropped -= 1


def _keeps_a_page(self: Supply, gone: list[list[int]], give_back=Supply.give_back) -> None:  # type: ignore[no-untyped-def]
    give_back(self, [ids[1:] for ids in gone])


def _counts_none_out(self: Batch, context: int, start: int, step: int) -> None:
    """A request that has ended goes on being counted."""


def _loses_time(self: Pace, device: float, host: float) -> float:
    self._situation.now += 1e-3
    return max(device, host)


@pytest.mark.parametrize(
    ("owner", "method", "fault", "law"),
    [
        (Calendar, "put", _a_step_too_few, "other tokens than it was to generate"),
        (Leaving, "retract", _forgets_a_retraction, "tokens computed and found"),
        (Supply, "give_back", _keeps_a_page, "pages are left"),
        (Batch, "remove", _counts_none_out, "none is ever to end"),
        (Pace, "_took", _loses_time, "Little's law"),
    ],
)
def test_a_fault_of_the_replay_breaks_a_law(
    owner: type, method: str, fault: object, law: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings: Settings = ALL if method == "retract" else replace(WINDOW, arena_bytes=10**9)
    unified(settings, traffic(150))
    monkeypatch.setattr(owner, method, fault)
    monkeypatch.setattr(module, "REPORT", 1)
    stop_after = 5_000
    served, _ = engine(settings, traffic(150), _for_turns(stop_after))
    with pytest.raises(BrokenLaw, match=law):
        served.run()


def _for_turns(turns: int):  # type: ignore[no-untyped-def]
    left = iter(range(turns))
    return lambda done: next(left, None) is not None


def test_fast_forward_meets_every_arrival_in_the_step_in_which_it_is_known() -> None:
    # one long answer, beside which short requests come one by one: each is seen within two steps
    count = 40
    arrivals = np.concatenate(([0.0], np.sort(np.random.default_rng(1).uniform(0.01, 1.0, count))))
    requests = replace(
        one(64, 600), arrivals=arrivals, prompts=np.full(count + 1, 8), outputs=np.array([600] + [1] * count)
    )
    outcome = unified(replace(WINDOW, arena_bytes=10**9), requests)
    step = outcome.seconds / outcome.steps
    assert outcome.first_token_median < 3.5 * step
