"""The answer: unified beside split and the best split in hindsight, the advice, the page, and the verb."""

import gzip
import json
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from bandgap.cli import app
from events import records
from events.trace import seal, unseal
from replay.advice import fewer_active, recommendation
from replay.comparison import Comparison, Doubt, compared, gain
from replay.errors import ReplayError
from replay.job import BEST, Job, run_job
from replay.memory.ratios import Ratios, pages_by_ratios
from replay.outcome import Outcome
from replay.page.page import write_page
from replay.page.pictures import write_pictures
from replay.sweep import swept
from replay.workers import OnRay, Stop, run_all
from spec.judge.judge import judge_trace
from tests.replay.runs import ALL, MODELS, STATE, WINDOW, kills_once, same, traffic, unified, with_prefixes

REQUESTS = traffic(60)


@pytest.fixture(scope="module", name="answers")
def _answers() -> dict[str, Comparison]:
    return {model: compared(settings, REQUESTS, Ratios(), 1, Stop()) for model, settings in MODELS.items()}


@pytest.mark.parametrize("model", sorted(MODELS))
def test_the_best_static_split_is_no_worse_than_any_that_was_tried(model: str, answers: dict[str, Comparison]) -> None:
    answer = answers[model]
    assert answer.best is not None
    assert answer.split is not None
    assert answer.searched >= 10
    for ratio in (0.05, 0.3, 0.8, 3.0):
        pools = pages_by_ratios(answer.settings.layout, answer.settings.arena_bytes, Ratios(ratio, ratio))
        other = run_job(Job("other", answer.settings, pools), REQUESTS)
        assert answer.best.output_per_second > 0.97 * other.output_per_second
    assert answer.best.output_per_second >= 0.998 * answer.split.output_per_second


@pytest.mark.parametrize("model", sorted(MODELS))
def test_unified_memory_serves_as_many_at_once_as_the_best_split_or_it_is_explained(
    model: str, answers: dict[str, Comparison]
) -> None:
    answer = answers[model]
    assert answer.best is not None
    assert answer.unified is not None
    if answer.unified.most_running < answer.best.most_running:
        assert fewer_active(answer)
    else:
        assert fewer_active(answer) is None


def test_answers_do_not_depend_on_the_number_of_processes() -> None:
    jobs = [(Job("unified", WINDOW), REQUESTS), (Job("split", WINDOW, (20, 50)), REQUESTS)]
    here, there = run_all(jobs, 1, Stop()), run_all(jobs, 2, Stop())
    for one, other in zip(here, there, strict=True):
        assert one is not None
        assert other is not None
        assert same(one, other)


def test_a_run_whose_process_dies_is_done_again(tmp_path: Path) -> None:
    settings = kills_once(WINDOW, tmp_path / "killed")
    jobs = [(Job("any", settings, pools), REQUESTS) for pools in ((), (20, 50), (30, 40))]
    outcomes = run_all(jobs, 2, Stop())
    assert (tmp_path / "killed").exists()
    for (job, _), outcome in zip(jobs, outcomes, strict=True):
        assert outcome is not None
        assert same(outcome, run_job(job, REQUESTS))


def test_what_is_wrong_with_a_run_is_told_from_another_process() -> None:
    odd = replace(WINDOW, options=replace(WINDOW.options, page_tokens=48))
    requests = with_prefixes(traffic(5))
    with pytest.raises(ReplayError, match="prefix blocks"):
        run_all([(Job("unified", odd), requests), (Job("split", WINDOW, (20, 50)), requests)], 2, Stop())


def test_a_comparison_that_is_stopped_has_no_recommendation() -> None:
    stop = Stop()
    stop.ask()
    answer = compared(WINDOW, REQUESTS, Ratios(), 1, stop)
    assert answer.interrupted
    assert answer.unified is None
    assert recommendation(answer).startswith("No recommendation")


def _with(base: Outcome, **changed: float) -> Outcome:
    return replace(base, **changed)  # type: ignore[arg-type]  # figures by name


@pytest.mark.parametrize(
    ("changed", "begins"),
    [
        ({"output_per_second": 120.0}, "Turn unified memory on: 20.0% more"),
        ({"output_per_second": 80.0}, "Leave unified memory off: 20.0% fewer"),
        ({"first_token_p99": 0.5}, "Turn unified memory on: as many"),
        ({"first_token_p99": 2.0}, "Leave unified memory off: as many"),
        ({"rejected": 3}, "Leave unified memory off: it rejects 3"),
        ({}, "Unified memory is no faster"),
    ],
)
def test_advice_follows_the_figures(changed: dict[str, float], begins: str, answers: dict[str, Comparison]) -> None:
    assert answers["state"].split is not None
    base = _with(answers["state"].split, output_per_second=100.0, first_token_p99=1.0, rejected=0)
    answer = replace(answers["state"], unified=_with(base, **changed), split=base, best=base, doubt=Doubt(-0.01, 0.02))
    assert recommendation(answer).startswith(begins)
    assert "between -1.0% and +2.0%" in recommendation(answer)


def test_a_split_that_only_hindsight_finds_does_not_hide_the_gain(answers: dict[str, Comparison]) -> None:
    assert answers["state"].split is not None
    base = _with(answers["state"].split, output_per_second=100.0, rejected=0)
    best = _with(base, output_per_second=122.0)
    answer = replace(answers["state"], unified=_with(base, output_per_second=120.0), split=base, best=best)
    assert gain(_with(base, output_per_second=120.0), base) == pytest.approx(0.2)
    assert recommendation(answer).startswith("Turn unified memory on unless the ratio can be tuned")


def test_parity_with_hindsight_is_a_gain_over_the_ratios_that_were_given(answers: dict[str, Comparison]) -> None:
    assert answers["state"].split is not None
    base = _with(answers["state"].split, output_per_second=100.0, rejected=0)
    level = _with(base, output_per_second=110.0)
    answer = replace(answers["state"], unified=level, split=base, best=level)
    assert recommendation(answer).startswith("Turn unified memory on: it does what the best static split")
    assert "10.0% more" in recommendation(answer)


def test_a_sweep_has_both_memories_at_every_point() -> None:
    points = swept(STATE, traffic(20), Ratios(), {"mamba": [0.1, 0.9], "arena": [3e8, 5e8]}, 1, Stop())
    assert [point.outcome.memory for point in points].count("split") == 4
    assert [point.outcome.memory for point in points].count("unified") == 2
    small, large = (point.outcome for point in points if point.outcome.memory == "unified")
    assert small.capacity < large.capacity


# ------------------------------------------------------------------------------------------------------ page, pictures


def test_the_page_needs_nothing_else_and_escapes_names(answers: dict[str, Comparison], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    write_page(replace(answers["all"], traffic="</script><b>&"), page)
    text = page.read_text()
    assert not re.search(r"<(script|link|img|iframe)[^>]*\b(src|href)\s*=\s*['\"]?(https?:)?//", text)
    assert "<b>&" not in text
    assert text.count("<script") == text.count("</script>") == 3
    data = json.loads(text.split('id="data">')[1].split("</script>")[0])
    assert [memory["name"] for memory in data["memories"]] == ["unified", "split", BEST]
    assert "default-src 'none'" in text


def test_the_pictures_are_drawn(answers: dict[str, Comparison], tmp_path: Path) -> None:
    drawn = write_pictures(answers["all"], tmp_path / "pictures")
    assert [path.name for path in drawn] == ["arena.png", "requests.png"]
    assert all(path.read_bytes().startswith(b"\x89PNG") and path.stat().st_size > 10_000 for path in drawn)


# -------------------------------------------------------------------------------------------------------- the verb


@pytest.fixture(name="ask")
def _ask(tmp_path: Path) -> Callable[..., Result]:
    rows = "".join(f"{number / 100},{20 + 7 * number % 90},{1 + 5 * number % 70}\n" for number in range(30))
    path = tmp_path / "own.csv"
    path.write_text("arrival_s,prompt_tokens,output_tokens\n" + rows)

    def ask(*arguments: str, file: str | None = None) -> Result:
        asked = ["replay", file or str(path), "--workers", "1", *arguments]
        return CliRunner().invoke(app, asked)

    return ask


MODEL = ("--model", "inkling-small", "--weights", "10GB", "--arena", "200MB", "--page-tokens", "16")


def test_the_verb_answers_in_json(ask: Callable[..., Result]) -> None:
    done = ask(*MODEL, "--json")
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    assert [outcome["memory"] for outcome in answer["outcomes"]] == ["unified", "split", BEST]
    over_time = answer["outcomes"][0]["over_time"]
    assert set(over_time["idle_bytes"]) == {"state", "window512", "full"}
    assert len(over_time["seconds"]) == len(over_time["idle_bytes"]["full"]) > 10
    assert answer["settings"]["constants"]["memory_share"] == 0.75


def test_the_verb_answers_people_and_writes_files(ask: Callable[..., Result], tmp_path: Path) -> None:
    page, pictures = tmp_path / "page.html", tmp_path / "png"
    done = ask(*MODEL, "--no-search", "--html", str(page), "--png", str(pictures))
    assert done.exit_code == 0, done.output
    assert "output tokens/s" in done.stdout
    assert page.exists()
    assert (pictures / "arena.png").exists()


def test_a_trace_that_is_called_gz_is_packed_and_judged(ask: Callable[..., Result], tmp_path: Path) -> None:
    plain, packed = tmp_path / "trace", tmp_path / "trace.gz"
    for path in (plain, packed):
        assert ask(*MODEL, "--no-search", "--record", str(path)).exit_code == 0
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    assert CliRunner().invoke(app, ["judge", str(packed)]).exit_code == 0


def test_a_trace_that_promises_another_packing_is_refused(ask: Callable[..., Result], tmp_path: Path) -> None:
    done = ask(*MODEL, "--no-search", "--record", str(tmp_path / "trace.zst"))
    assert done.exit_code == 2
    assert "--record" in done.output


def test_a_recorded_run_is_judged_legal(ask: Callable[..., Result], tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    assert ask(*MODEL, "--no-search", "--record", str(trace)).exit_code == 0
    with trace.open("rb") as file:
        verdict = judge_trace(file)
    assert verdict.finding is None
    assert verdict.by_action["allocate"] > 100
    assert verdict.by_action["move"] > 0
    recorded = list(unseal(trace.read_bytes().splitlines(keepends=True)))
    moved = next(number for number, record in enumerate(recorded) if isinstance(record, records.Moved))
    without = seal([*recorded[:moved], *recorded[moved + 1 : -1]])
    assert judge_trace(without, whole=False).finding is not None


SWEEP = ("--model", "inkling-small", "--weights", "10GB", "--arena", "200MB", "--sweep", "swa=0.1,0.5")


def test_the_verb_sweeps(ask: Callable[..., Result]) -> None:
    done = ask(*SWEEP, "--sweep", "page=16,32", "--json")
    assert done.exit_code == 0, done.output
    assert len(json.loads(done.stdout)["points"]) == 4 + 2


def test_a_ray_cluster_sweeps_to_the_same_figures(ask: Callable[..., Result]) -> None:
    pytest.importorskip("ray")
    here = ask(*SWEEP, "--sweep", "page=16,32", "--json")
    there = ask(*SWEEP, "--sweep", "page=16,32", "--json", "--engine", "ray", "--workers", "2")
    assert there.exit_code == 0, there.output
    points = [_points(done) for done in (here, there)]
    assert points[0] == points[1]
    assert len(points[1]) == 6


def test_a_sweep_loses_nothing_with_a_ray_worker(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    settings = kills_once(STATE, tmp_path / "killed")
    points = swept(settings, traffic(20), Ratios(), {"mamba": [0.1, 0.9]}, OnRay(2), Stop())
    assert (tmp_path / "killed").exists()
    assert [point.outcome.completed for point in points] == [20] * 3


def test_without_ray_the_remedy_is_said(ask: Callable[..., Result], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    done = ask(*SWEEP, "--engine", "ray")
    assert done.exit_code == 2
    assert "bandgap[cluster]" in done.output.replace("\n", "")


def _points(done: Result) -> list[dict[str, Any]]:
    """What a sweep answered, but for the time that it took."""
    points: list[dict[str, Any]] = json.loads(done.stdout)["points"]
    for point in points:
        del point["outcome"]["wall_seconds"]
    return points


def test_calibration_changes_the_constants(ask: Callable[..., Result], tmp_path: Path) -> None:
    steps = tmp_path / "steps.csv"
    steps.write_text("decode_requests,context_tokens,prefill_tokens,step_ms\n8,1000,0,9\n64,8000,0,21\n0,0,4096,80\n")
    done = ask(*MODEL, "--no-search", "--calibrate", str(steps), "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["settings"]["constants"]["memory_share"] != 0.75


def test_a_bad_line_is_told_with_the_file_that_it_is_in(ask: Callable[..., Result], tmp_path: Path) -> None:
    steps = tmp_path / "steps.csv"
    steps.write_text("decode_requests,context_tokens,prefill_tokens,step_ms\n8,1000,0,0\n")
    done = ask(*MODEL, "--no-search", "--calibrate", str(steps))
    assert done.exit_code == 2
    assert "steps.csv line 2, step_ms = '0': must be above 0" in done.output.replace("\n", "")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--model", "gpt-oss-21b"), "--model"),
        (("--model", "inkling-small"), "--weights"),
        (("--model", "gpt-oss-120b", "--hbm", "60GB"), "--hbm"),
        (("--model", "gpt-oss-20b", "--arena", "1KB"), "--arena"),
        (("--model", "gpt-oss-20b", "--sweep", "speed=1"), "--sweep"),
        (("--model", "gpt-oss-20b", "--speed", "0"), "--speed"),
        (("--model", "gpt-oss-20b", "--sample", "3"), "--sample"),
        (("--model", "gpt-oss-20b", "--rate", "3"), "--rate"),
        (("--model", "gpt-oss-20b", "--device", "abacus"), "--device"),
        (("--model", "gpt-oss-20b", "--requests", "0"), "--requests"),
        (("--model", "gpt-oss-20b", "--workers", "0"), "--workers"),
        (("--model", "gpt-oss-20b", "--swa-ratio", "-1"), "--swa-ratio"),
        (("--model", "gpt-oss-20b", "--arena", "2GB", "--no-search", "--record", "/nowhere/at/all"), "--record"),
    ],
)
def test_what_cannot_be_answered_is_said_in_a_line(
    arguments: tuple[str, ...], named: str, ask: Callable[..., Result]
) -> None:
    done = ask(*arguments)
    assert done.exit_code == 2
    assert named in done.output
    assert "Traceback" not in done.output


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--arena", "2GB", "--hbm", "141GB"), ("--hbm", "--arena")),
        (("--arena", "2GB", "--memory-fraction", "0.5"), ("--memory-fraction", "--arena", "--hbm")),
        (("--rate", "3", "--concurrency", "4"), ("--rate", "--concurrency")),
        (("--speed", "3", "--concurrency", "4"), ("--speed", "--concurrency")),
        (("--sweep", "swa=0.1", "--record", "trace"), ("--record", "--sweep")),
        (("--sweep", "swa=0.1", "--html", "page"), ("--html", "--sweep")),
        (("--sweep", "swa=0.1", "--png", "folder"), ("--png", "--sweep")),
        (("--sweep", "swa=0.1", "--search"), ("--search", "--sweep")),
        (("--sweep", "swa=0.1", "--swa-ratio", "0.2"), ("--swa-ratio", "--sweep swa")),
        (("--sweep", "page=16", "--page-tokens", "64"), ("--page-tokens", "--sweep page")),
        (("--sweep", "arena=2GB", "--hbm", "64GB"), ("--hbm", "--sweep arena")),
        (("--sweep", "swa=0.1", "--sweep", "swa=0.2"), ("--sweep", "twice")),
        (("--sweep", "mamba=0.1"), ("--sweep", "no state kind")),
        (("--mamba-ratio", "0.1"), ("--mamba-ratio", "no state kind")),
        (("--engine", "ray"), ("--engine", "--sweep")),
        (("--sweep", "swa=0.1", "--address", "auto"), ("--address", "--engine")),
        (("--html", "same", "--record", "same"), ("--html", "--record")),
        (("--arena", "141"), ("--arena", "141GB")),
    ],
)
def test_an_option_that_would_be_ignored_is_refused_with_the_other(
    arguments: tuple[str, ...], named: tuple[str, ...], ask: Callable[..., Result]
) -> None:
    done = ask("--model", "gpt-oss-20b", *arguments)
    assert done.exit_code == 2, done.output
    said = " ".join(done.output.split())
    assert "error" in said
    for name in named:
        assert name in said


def test_what_is_read_is_not_written_over(ask: Callable[..., Result], tmp_path: Path) -> None:
    before = (tmp_path / "own.csv").read_text()
    done = ask(*MODEL, "--html", str(tmp_path / "own.csv"))
    assert done.exit_code == 2
    assert "TRAFFIC" in done.output
    assert (tmp_path / "own.csv").read_text() == before


def test_clients_that_wait_cannot_be_faster(ask: Callable[..., Result]) -> None:
    done = ask("--model", "gpt-oss-20b", "--speed", "2", file="short")
    assert done.exit_code == 2
    assert "--speed" in done.output
    assert "--rate" in done.output


def test_a_bad_row_is_named_by_the_verb(ask: Callable[..., Result], tmp_path: Path) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("arrival_s,prompt_tokens,output_tokens\n1,2,3\n1,none,3\n")
    done = ask("--model", "gpt-oss-20b", file=str(bad))
    assert done.exit_code == 2
    assert "line 3" in done.output
    assert "prompt_tokens" in done.output


def test_an_interrupted_verb_ends_inconclusive_with_what_it_has(
    ask: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    # the first look at whether to stop is late in the first run
    looks = iter([False] * 3)
    monkeypatch.setattr(
        Stop, "asked", property(lambda stop: next(looks, True), lambda stop, value: None), raising=False
    )
    monkeypatch.setattr("replay.engine.engine.REPORT", 5)
    done = ask(*MODEL, "--json")
    assert done.exit_code == 3, done.output
    answer = json.loads(done.stdout)
    assert answer["interrupted"]
    assert answer["outcomes"][0]["interrupted"]
    assert answer["outcomes"][0]["steps"] > 0


def test_these_runs_are_short_of_memory() -> None:
    assert unified(ALL, REQUESTS).mean_running < 20
