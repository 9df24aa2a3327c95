"""Whatever is guessed, the target says what it says alone, and the draft what it would without wrong guesses."""

import random
from dataclasses import replace
from functools import partial

import pytest
import torch

from impl.device.runtime import Piece, Work
from impl.layout import Lifetime
from impl.misuse import Misuse
from impl.serving.engine.engine import Policy
from impl.serving.engine.job import Job
from impl.serving.engine.tiny import PATTERNS, tiny
from impl.serving.speculation.drafters import DRAFTERS
from impl.serving.speculation.engine import SpeculatingEngine
from impl.serving.speculation.tables import AHEAD, FEATURES
from impl.serving.speculation.turn import Turn
from tests.serving.running import TOLERANCE, Served, Task, drive, furthest, quiet, room_for, tasks
from tests.serving.speculating import (
    DRAFT_WINDOW,
    POLICY,
    Speculation,
    by_chance,
    furthest_proposal,
    nothing_is_left,
    speculate,
    tiny_with_draft,
)

ROOMY, TIGHT = 300, 30
STATES = 14


def longer(seed: int, count: int, by: int = 8) -> list[Task]:
    """Tasks that say enough to guess at."""
    return [Task(task.prompt, task.new_tokens + by) for task in tasks(seed, count)]


def _serve(made: Speculation, asked: list[Task], seed: int) -> None:
    jobs = [made.ask(task) for task in asked]
    drive(made.served, random.Random(seed))
    _holds(made, asked, jobs)


def _holds(made: Speculation, asked: list[Task], jobs: list[Job]) -> None:
    assert furthest(made.served.layout, asked, jobs) < TOLERANCE
    assert made.heard
    assert furthest_proposal(made) < TOLERANCE
    if made.engine.prefix is None:
        assert nothing_is_left(made)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_wrong_guesses_retractions_and_compaction_on_a_late_device_change_no_logit(pattern: str) -> None:
    layout, asked = tiny_with_draft(pattern), longer(1, count=6)
    retractions = voided = moved = 0
    for states, seed in ((3, 2), (4, 3)):
        made = speculate(layout, room_for(layout, TIGHT, states=states), agree=by_chance(2), late=True)
        jobs = [made.ask(task) for task in asked]
        served, chance = made.served, random.Random(5)

        def compact_at_times(served: Served = served, chance: random.Random = chance) -> None:
            nonlocal moved
            if chance.random() < 0.3:
                quiet(served)
                moved += served.allocator.compact(1 << 40)

        drive(served, random.Random(seed), compact_at_times)
        _holds(made, asked, jobs)
        retractions, voided = retractions + made.engine.retractions, voided + made.engine.voided
    assert min(retractions, voided, moved) > 0


@pytest.mark.parametrize("drafter", DRAFTERS)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_no_sort_of_draft_changes_a_logit(pattern: str, drafter: str) -> None:
    window = DRAFT_WINDOW if drafter == "dspark" else None
    layout = tiny_with_draft(pattern, layers=1 if drafter == "eagle" else 2, window=window)
    made = speculate(layout, room_for(layout, ROOMY, states=STATES), drafter, agree=by_chance(1), late=True)
    _serve(made, longer(1, count=2, by=4), 1)
    assert {0, 3} < made.accepted
    assert made.engine.voided > 0


@pytest.mark.parametrize(
    ("page_tokens", "agreed"), [(1, 0), (1, 2), (1, 3), (4, 0), (4, 1), (4, 2), (4, 3), (16, 0), (16, 1), (16, 3)]
)
@pytest.mark.parametrize("pattern", ["gpt-oss-20b", "inkling-small"])
def test_any_number_of_guesses_may_be_accepted_in_pages_of_any_size(
    pattern: str, page_tokens: int, agreed: int
) -> None:
    layout = tiny_with_draft(pattern, page_tokens, window=DRAFT_WINDOW)
    made = speculate(layout, room_for(layout, ROOMY, states=STATES), agree=lambda position: agreed, late=True)
    _serve(made, longer(3, count=1), 3)
    assert all(accepted == min(agreed, turn.drafts) for turn, accepted in made.heard)
    assert agreed in made.accepted
    assert bool(made.engine.voided) == (agreed < 3)


def test_what_the_draft_itself_holds_for_likely_changes_no_logit() -> None:
    layout = tiny_with_draft("inkling-small")
    made = speculate(layout, room_for(layout, ROOMY, states=STATES), drafts=5)
    _serve(made, longer(2, count=2), 1)


@pytest.mark.parametrize("in_flight", [1, 3])
@pytest.mark.parametrize("pattern", ["gemma-4-31b", "kimi-k3"])
def test_any_number_of_steps_may_be_in_flight(pattern: str, in_flight: int) -> None:
    layout = tiny_with_draft(pattern, window=DRAFT_WINDOW)
    policy = Policy(most_running=3, chunk=7, positions=80, in_flight=in_flight)
    made = speculate(
        layout, room_for(layout, ROOMY, states=20), agree=by_chance(4, most=2), drafts=2, late=True, policy=policy
    )
    _serve(made, longer(1, count=3), 1)
    assert bool(made.engine.voided) == (in_flight > 1)


# ------------------------------------------------------------------------------------------------------------- windows


@pytest.mark.parametrize("pattern", ["gpt-oss-20b", "kimi-linear-48b-a3b", "inkling-small"])
def test_a_window_of_the_draft_alone_is_a_band_of_its_own_and_slides_on_accepted_tokens(pattern: str) -> None:
    layout = tiny_with_draft(pattern, window=DRAFT_WINDOW)
    own = [kind for kind in layout.kinds if kind.window == DRAFT_WINDOW]
    assert [{row.draft for row in kind.rows} for kind in own] == [{True}]
    band = layout.kinds.index(own[0])
    made = speculate(layout, room_for(layout, ROOMY, states=STATES), agree=by_chance(6), late=True)
    most, asked = 0, [Task((1, 2, 3), 50)]
    jobs = [made.ask(task) for task in asked]

    def look() -> None:
        nonlocal most
        most = max(most, made.served.allocator.statistics().kinds[band].live)
        if jobs[0].request is not None:
            request = jobs[0].request
            kept = range(request.first[band] * 4, request.tokens)
            assert max(0, request.settled - DRAFT_WINDOW + 1) in kept or not kept, "its next token reads from there"

    drive(made.served, random.Random(1), look)
    _holds(made, asked, jobs)
    # a window and the guesses of two steps, never the whole text
    assert 0 < most <= 9 < 52 // 4


# ------------------------------------------------------------------------------------------------------------- states


def test_the_copy_of_a_state_that_is_guessed_with_is_part_of_the_joint_demand() -> None:
    layout = tiny_with_draft("qwen3-next-80b-a3b")
    made = speculate(layout, room_for(layout, ROOMY, states=STATES), agree=lambda position: 1, late=True)
    state = next(band for band, kind in enumerate(layout.kinds) if kind.lifetime is Lifetime.STATE)
    made.ask(Task((1, 2, 3), 20))
    made.engine.step()
    quiet(made.served)
    before = made.served.allocator.statistics().kinds[state]
    made.engine.step()
    after = made.served.allocator.statistics().kinds[state]
    assert (before.live, after.live, after.copied - before.copied) == (1, 2, 1)
    quiet(made.served)
    assert made.served.allocator.statistics().kinds[state].live == 1
    drive(made.served, random.Random(1))


def test_who_gives_way_gives_the_forks_of_its_guesses_back_at_once() -> None:
    layout, task = tiny_with_draft("inkling-small"), Task((1, 2, 3), 20)
    made = speculate(layout, room_for(layout, ROOMY, states=STATES), agree=lambda position: 3, late=True)
    job = made.ask(task)
    made.engine.step()
    quiet(made.served)
    made.engine.step()
    made.engine.step()
    assert [turn.kept is not None for turn in made.engine._turns()] == [True, True]
    made.engine.preempt(job)
    assert not any(kind.live for kind in made.served.allocator.statistics().kinds)
    drive(made.served, random.Random(1))
    _holds(made, [task], [job])


# ------------------------------------------------------------------------------------------------------------ in flight


def test_what_was_launched_on_a_wrong_guess_is_discarded_and_its_pages_are_withheld_until_it_ends() -> None:
    layout = tiny_with_draft("gpt-oss-20b", 1)
    made = speculate(layout, room_for(layout, ROOMY), agree=lambda position: 0, late=True)
    job = made.ask(Task((1, 2, 3), 20))
    made.engine.step()
    quiet(made.served)
    assert made.engine.step()
    assert made.engine.step(), "the next step is launched before the host has seen the last one"
    first, second = made.engine.flying
    runtime, device = made.served.runtime, made.served.device
    for end in device.ends_of(first):
        while not runtime.is_done(end):
            runtime.run_towards(end)
    made.engine.poll()
    assert made.engine.flying == (second,)
    assert len(job.said) == 2
    assert made.engine.voided == 1
    withheld = [kind.withheld for kind in made.served.allocator.statistics().kinds]
    # three guesses that were wrong, and a known token and three guesses after them
    assert withheld[-1] == 3 + 4
    assert made.engine.step(), "what comes next does not wait for it"
    quiet(made.served)
    assert not any(kind.withheld for kind in made.served.allocator.statistics().kinds)
    assert len(job.said) == 3
    drive(made.served, random.Random(1))
    assert furthest(layout, list(made.asked.values()), [job]) < TOLERANCE


def test_a_job_that_says_its_last_word_among_accepted_guesses_ends_there() -> None:
    layout, task = tiny_with_draft("inkling-small"), Task((5, 6, 7), 14)
    alone = speculate(layout, room_for(layout, ROOMY, states=STATES), agree=lambda position: 3)
    whole = alone.ask(task)
    drive(alone.served, random.Random(1))
    made = speculate(layout, room_for(layout, ROOMY, states=STATES), agree=lambda position: 3, late=True)
    job = made.engine.submit(task.prompt, task.new_tokens, whole.said[3])
    made.asked[job] = task
    drive(made.served, random.Random(1))
    assert job.said == whole.said[: whole.said.index(whole.said[3]) + 1]
    assert nothing_is_left(made)


def test_a_job_that_guesses_may_be_as_long_as_a_line() -> None:
    layout, task = tiny_with_draft("gpt-oss-20b"), Task(tuple(range(12)), 12)
    made = speculate(layout, room_for(layout, ROOMY), agree=lambda position: 3, policy=Policy(chunk=7, positions=24))
    job = made.ask(task)
    drive(made.served, random.Random(1))
    _holds(made, [task], [job])
    # the last word is guessed too, and nothing after it
    assert max(turn.share.end for turn, _ in made.heard) == job.total == 23


@pytest.mark.parametrize("drafter", ["eagle", "dflash"])
def test_a_step_uses_no_position_of_the_tables_but_those_of_which_it_says_so(drafter: str) -> None:
    layout = tiny_with_draft("inkling-small", layers=2 if drafter == "dflash" else 1)
    made = speculate(layout, room_for(layout, ROOMY, states=STATES), drafter, agree=by_chance(1))
    device, tables = made.served.device, made.engine._verifier._tables._all
    launch, hidden = device.launch, 0

    def hiding(work: Work) -> None:
        """What it does not speak of is no number while it runs, and stays so."""

        def run(piece: Piece) -> None:
            nonlocal hidden
            touches = list(piece.touches())
            kept = {}
            for memory in (FEATURES, AHEAD):
                rows = tables[memory].flatten(0, 1)
                told = torch.zeros(len(rows), dtype=torch.bool)
                for touch in touches:
                    if touch.memory == memory:
                        told[touch.begin // (8 * rows.shape[1]) : touch.end // (8 * rows.shape[1])] = True
                kept[memory] = rows, ~told, rows[~told].clone()
                rows[~told] = float("nan")
                hidden += 1
            piece.run()
            for rows, untold, before in kept.values():
                assert rows[untold].isnan().all()
                rows[untold] = before

        launch(replace(work, pieces=tuple(replace(piece, run=partial(run, piece)) for piece in work.pieces)))

    device.launch = hiding  # type: ignore[method-assign]  # of this one
    _serve(made, longer(1, count=2), 1)
    assert hidden


def test_who_gave_way_goes_on_from_what_its_steps_in_flight_said() -> None:
    layout, task = tiny_with_draft("gpt-oss-20b"), Task((1, 2, 3, 4), 6)
    policy = Policy(most_running=3, chunk=7, in_flight=3, positions=80)
    made = speculate(layout, room_for(layout, ROOMY), agree=lambda position: 0, late=True, policy=policy)
    job = made.ask(task)
    for _ in range(2):
        assert made.engine.step()
    made.engine.preempt(job)
    # it begins anew, and guesses wrongly at positions of which the steps before it say what is right
    assert made.engine.step()
    drive(made.served, random.Random(1))
    _holds(made, [task], [job])


# ----------------------------------------------------------------------------------------------------- when it is short


def test_guesses_give_way_before_any_job_does() -> None:
    layout, asked = tiny_with_draft("qwen3-next-80b-a3b"), [Task((1, 2, 3), 9), Task((4, 5), 20)]
    sizes = {kind.name: kind.page_bytes for kind in layout.kinds}
    # two states, the pages of 11 and 21 tokens, and the sink: no room for a copy of a state
    made = speculate(layout, 2 * sizes["state"] + (3 + 6 + 1) * sizes["full"], agree=lambda position: 1)
    jobs = [made.ask(task) for task in asked]
    drive(made.served, random.Random(1))
    _holds(made, asked, jobs)
    assert made.engine.retractions == 0
    # once the other has ended, there is room to guess
    assert {turn.job for turn, _ in made.heard} == {jobs[1]}


@pytest.mark.parametrize("pattern", ["gpt-oss-20b", "inkling-small"])
def test_who_is_served_without_guesses_is_served_with_them(pattern: str) -> None:
    outcomes = set()
    for tokens in (10, 22, 34):
        plain, _ = alone_in(pattern, tokens, drafts=0)
        guessing, heard = alone_in(pattern, tokens, drafts=3)
        assert guessing == plain
        outcomes.add((plain, heard))
    assert outcomes >= {(True, False), (False, True)}


def test_a_job_would_be_rejected_for_what_its_own_guesses_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SpeculatingEngine, "_gives_back", False)
    assert alone_in("inkling-small", 22, drafts=0) == (False, False)
    assert alone_in("inkling-small", 22, drafts=3) == (True, True)


def alone_in(pattern: str, tokens: int, drafts: int) -> tuple[bool, bool]:
    """Whether a job is rejected, alone in an arena for so many tokens and a state, and whether anything was guessed."""
    layout = tiny_with_draft(pattern)
    arena_bytes = room_for(layout, tokens, states=1) - 2 * max(kind.page_bytes for kind in layout.kinds)
    made = speculate(layout, arena_bytes, agree=by_chance(1), drafts=drafts, late=True)
    job = made.ask(Task((1, 2, 3, 4, 5), 16))
    drive(made.served, random.Random(1))
    return job.rejected, bool(made.heard)


# --------------------------------------------------------------------------------------------------------------- prefix


def _conversation() -> list[Task]:
    """Turns of a conversation, and texts that leave it at the end of a page."""
    rng = random.Random(7)
    text = tuple(rng.randrange(96) for _ in range(40))
    return [Task(text[:length] + leaving, 8) for length in (13, 24, 40) for leaving in ((1,), (95,) * 5)]


@pytest.mark.parametrize("pattern", ["gpt-oss-20b", "qwen3-next-80b-a3b", "inkling-small"])
def test_a_cached_prefix_changes_no_logit_of_target_or_draft(pattern: str) -> None:
    layout, asked = tiny_with_draft(pattern, window=DRAFT_WINDOW), _conversation()
    policy = Policy(most_running=3, chunk=7, positions=96, interval=8)
    made = speculate(layout, room_for(layout, 500, states=30), agree=by_chance(3), late=True, policy=policy)
    jobs = []
    for task in asked:
        jobs.append(made.ask(task))
        drive(made.served, random.Random(1))
    _holds(made, asked, jobs)
    prefix = made.engine.prefix
    assert prefix is not None
    assert prefix.hit_tokens > prefix.asked_tokens // 4
    prefix.clear()
    assert nothing_is_left(made)


def test_what_was_guessed_before_a_job_gave_way_voids_nothing_after_it() -> None:
    layout, task = tiny_with_draft("gpt-oss-20b"), Task((1, 2, 3), 20)
    made = speculate(layout, room_for(layout, ROOMY), agree=lambda position: 0, late=True)
    job = made.ask(task)
    made.engine.step()
    quiet(made.served)
    assert made.engine.step()
    made.engine.preempt(job)
    assert made.engine.step(), "it begins anew while its guesses are in flight"
    quiet(made.served)
    assert made.engine.voided == 0
    drive(made.served, random.Random(1))
    _holds(made, [task], [job])


def test_a_job_that_begins_anew_before_where_it_began_guesses_from_what_is_computed_again() -> None:
    layout, task = tiny_with_draft("gpt-oss-20b"), Task(tuple(range(24)), 20)
    policy = Policy(most_running=3, chunk=40, positions=96)
    made = speculate(layout, room_for(layout, ROOMY), agree=by_chance(1), policy=policy)
    job = made.ask(task)
    while len(job.said) < 4:
        made.engine.step()
    made.engine.preempt(job)
    # as if its prompt had been computed elsewhere, and nothing of it were in the tables
    made.engine._covered.pop(job.number)
    made.engine._cover(job, 24, 28)
    made.engine._verifier._tables.of(job).features[:24] = float("nan")
    drive(made.served, random.Random(1))
    _holds(made, [task], [job])


# -------------------------------------------------------------------------------------------------------------- misuses


@pytest.mark.parametrize("drafter", DRAFTERS)
def test_a_layout_without_a_draft_is_refused(drafter: str) -> None:
    with pytest.raises(Misuse, match="no entry has rows of a draft"):
        DRAFTERS[drafter](tiny("gpt-oss-20b"))


def test_fewer_guesses_than_none_are_refused() -> None:
    layout = tiny_with_draft("gpt-oss-20b")
    with pytest.raises(Misuse, match="drafts"):
        speculate(layout, room_for(layout, ROOMY), drafts=-1)


def test_the_draft_is_heard_only_of_what_was_verified() -> None:
    layout = tiny_with_draft("gpt-oss-20b")
    made = speculate(layout, room_for(layout, ROOMY), agree=by_chance(1), late=True, policy=POLICY)
    _serve(made, longer(1, count=2), 1)
    turns: list[Turn] = [turn for turn, _ in made.heard]
    assert not any(turn.is_void for turn in turns)
    assert made.engine.guessed == sum(turn.drafts for turn in turns)
    assert made.engine.accepted == sum(accepted for _, accepted in made.heard)
