"""What becomes of jobs at the edges: too large, as many as there may be, asked to give way when memory is short."""

import random

import pytest
import torch

from impl.misuse import Misuse
from impl.plan import Grant
from impl.serving.engine import engine as engines
from impl.serving.engine.engine import Policy
from impl.serving.engine.rounding import kept
from impl.serving.engine.tiny import tiny
from tests.serving.running import TOLERANCE, Task, drive, furthest, room_for, serve, tasks

LAYOUT = tiny("gpt-oss-20b")
ROOMY = room_for(LAYOUT, 200)


def test_a_job_that_is_rejected_stops_no_other() -> None:
    served = serve(LAYOUT, room_for(LAYOUT, 24), policy=Policy(most_running=1, chunk=7, positions=400))
    large = served.engine.submit([1] * 300, 4)
    (task,) = tasks(1, count=1)
    job = served.engine.submit(task.prompt, task.new_tokens)
    served.engine.run()
    assert large.rejected
    assert furthest(LAYOUT, [task], [job]) < TOLERANCE


def test_when_the_last_one_that_runs_gives_way_somebody_begins() -> None:
    served = serve(LAYOUT, room_for(LAYOUT, 24))
    asked = [Task(tuple(range(20)), 9), Task(tuple(range(1, 21)), 9)]
    older, younger = (served.engine.submit(task.prompt, task.new_tokens) for task in asked)
    while not younger.retractions:
        served.engine.step()
    served.engine.preempt(older)
    drive(served, random.Random(1))
    assert furthest(LAYOUT, asked, [older, younger]) < TOLERANCE


@pytest.mark.parametrize("lost", [True, False])
def test_jobs_give_way_where_nobody_knows_how_long_pages_are_held_and_else_wait(lost: bool) -> None:
    served = serve(LAYOUT, room_for(LAYOUT, 40))
    full = served.allocator.band("full")
    # a transfer failed, and bytes may still land in its pages
    given = served.allocator.allocate({"full": 6})
    assert isinstance(given, Grant)
    ticket = served.allocator.open("transfer")
    served.allocator.hold(ticket, full, given.ids[full], "write")
    served.allocator.release(full, given.ids[full])
    served.engine.lost = lambda: [ticket] if lost else []
    asked = [Task(tuple(range(first, first + 20)), 5) for first in range(2)]
    jobs = [served.engine.submit(task.prompt, task.new_tokens) for task in asked]
    for _ in range(100):
        served.engine.step()
    assert all(job.done for job in jobs) == lost
    assert bool(served.engine.retractions) == lost
    served.allocator.complete(ticket)
    drive(served, random.Random(1))
    assert furthest(LAYOUT, asked, jobs) < TOLERANCE


def test_a_job_that_gives_way_keeps_its_line_of_the_table() -> None:
    served, asked = serve(LAYOUT, ROOMY), [Task((1, 2, 3), 9), Task((4, 5, 6, 7, 8), 9)]
    jobs = [served.engine.submit(asked[0].prompt, asked[0].new_tokens)]
    while len(jobs[0].said) < 3:
        served.engine.step()
    served.engine.preempt(jobs[0])
    jobs.append(served.engine.submit(asked[1].prompt, asked[1].new_tokens))
    drive(served, random.Random(1))
    assert furthest(LAYOUT, asked, jobs) < TOLERANCE


def test_a_place_for_a_job_is_taken_until_it_is_done_or_known_not_to_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_LINES", 3)
    served = serve(LAYOUT, ROOMY)
    asked = tasks(2, count=6)
    for some in (asked[:3], asked[3:]):
        jobs = [served.engine.reserve(task.prompt, task.new_tokens) for task in some]
        assert {job.number for job in jobs} == {0, 1, 2}
        with pytest.raises(Misuse, match="3 jobs are not done"):
            served.engine.submit([1], 1)
        served.engine.forget(jobs.pop())
        jobs.append(served.engine.submit(some[-1].prompt, some[-1].new_tokens))
        for job in jobs[:-1]:
            served.engine.queue(job)
        drive(served, random.Random(1))
        assert furthest(LAYOUT, some, jobs) < TOLERANCE


@pytest.mark.parametrize("moment", range(8))
def test_a_job_that_is_cancelled_leaves_all_others_as_they_are(moment: int) -> None:
    served, asked = serve(LAYOUT, room_for(LAYOUT, 40), late=True), tasks(3, count=5)
    jobs = [served.engine.submit(task.prompt, task.new_tokens) for task in asked]
    rng = random.Random(moment)
    for _ in range(moment):
        served.engine.step()
        served.runtime.step(rng.randrange(8))
    unwanted = jobs.pop(moment % 5)
    said = list(unwanted.said)
    served.engine.cancel(unwanted)
    # it has its number
    jobs.append(served.engine.submit(asked[moment % 5].prompt, asked[moment % 5].new_tokens))
    assert jobs[-1].number == unwanted.number
    drive(served, rng)
    assert unwanted.cancelled
    assert unwanted.said == said
    assert furthest(LAYOUT, [*asked[: moment % 5], *asked[moment % 5 + 1 :], asked[moment % 5]], jobs) < TOLERANCE
    assert not any(kind.live or kind.withheld for kind in served.allocator.statistics().kinds)
    with pytest.raises(Misuse, match="neither waits nor runs"):
        served.engine.cancel(unwanted)


def test_a_job_may_be_as_long_as_a_line_and_no_longer() -> None:
    served = serve(LAYOUT, ROOMY, late=True, policy=Policy(positions=24))
    task = Task(tuple(range(20)), 4)
    with pytest.raises(Misuse, match="no job of at most 24 tokens"):
        served.engine.submit(task.prompt, 5)
    for prompt in ((), (96,), (-1,)):
        with pytest.raises(Misuse, match="not a token or more"):
            served.engine.submit(prompt, 1)
    with pytest.raises(Misuse):
        served.engine.submit(task.prompt, 0)
    job = served.engine.submit(task.prompt, task.new_tokens)
    while not served.engine.is_idle:
        for _ in range(3):
            served.engine.step()
        served.runtime.run_all()
    assert furthest(LAYOUT, [task], [job]) < TOLERANCE
    # the last word goes into no forward
    assert served.engine.forwards == 2 + 3


@pytest.mark.parametrize("name", ["most_running", "chunk", "in_flight", "positions"])
@pytest.mark.parametrize("number", [0, -1])
def test_a_policy_by_which_nothing_would_ever_be_served_is_refused(name: str, number: int) -> None:
    with pytest.raises(Misuse, match=name):
        Policy(**{name: number})


@pytest.mark.parametrize("in_flight", [1, 2, 3])
def test_no_forward_is_larger_and_no_more_are_in_flight_than_the_policy_says(in_flight: int) -> None:
    policy = Policy(most_running=2, chunk=5, positions=64, in_flight=in_flight)
    served, asked = serve(LAYOUT, ROOMY, late=True, policy=policy), tasks(3, count=6)
    jobs, flying, running, computed = [], set[int](), set[int](), set[int]()
    jobs = [served.engine.submit(task.prompt, task.new_tokens) for task in asked]

    def look() -> None:
        flying.add(len(served.engine.flying))
        for forward in served.engine._flying:
            running.add(len(forward.parts))
            computed.update(part.share.end - part.share.start for part in forward.parts)

    drive(served, random.Random(1), look)
    assert furthest(LAYOUT, asked, jobs) < TOLERANCE
    assert max(flying) == in_flight
    assert max(running) == 2
    assert max(computed) == 5


def test_a_ticket_that_was_settled_stays_so_when_another_one_is() -> None:
    served, (task,) = serve(LAYOUT, ROOMY, late=True), [Task((1, 2, 3), 9)]
    job = served.engine.submit(task.prompt, task.new_tokens)
    while len(served.engine.flying) < 2:
        served.engine.step()
    for ticket in served.engine.flying:
        served.allocator.settle(ticket)
        served.engine.settled([ticket])
    assert not served.engine.flying
    assert not served.engine.is_idle
    drive(served, random.Random(1))
    assert furthest(LAYOUT, [task], [job]) < TOLERANCE


def test_who_was_retracted_begins_before_those_who_wait_and_who_was_preempted_after_them() -> None:
    for gives_way in ("retracted", "preempted"):
        served = serve(LAYOUT, room_for(LAYOUT, 24), policy=Policy(most_running=2, chunk=7, positions=64))
        asked = [Task(tuple(range(first, first + 20)), 9) for first in range(3)]
        first, second, third = jobs = [served.engine.submit(task.prompt, task.new_tokens) for task in asked]
        served.engine.step()
        assert served.engine.running == (first, second)
        if gives_way == "preempted":
            served.engine.preempt(second)
        while not (second.retractions and first.done):
            served.engine.step()
        served.engine.step()
        assert served.engine.running[0] is (second if gives_way == "retracted" else third)
        drive(served, random.Random(1))
        assert furthest(LAYOUT, asked, jobs) < TOLERANCE


def test_what_has_no_number_in_eight_bits_becomes_the_largest_that_has() -> None:
    found = kept(torch.tensor([1e6, -1e6, 448.0, 1.0], dtype=torch.float64), torch.float8_e4m3fn).double()
    assert found.tolist() == [448.0, -448.0, 448.0, 1.0]
