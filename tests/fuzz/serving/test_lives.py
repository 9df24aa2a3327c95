"""Lives of tiny engines: what is drawn, what is done, and that nothing breaks."""

import random

import pytest

from fuzz.engine.operations import Draws
from fuzz.serving.alone import family, reference, text_of
from fuzz.serving.asking import edges
from fuzz.serving.checks import CHECKS
from fuzz.serving.driver import absent_from, life_of, run_seeded
from fuzz.serving.floors import FREQUENT, RARER, floors
from fuzz.serving.kinds import KINDS, kinds_of
from fuzz.serving.living import do, end, lived
from fuzz.serving.machine import run_machine
from fuzz.serving.operations import Operation
from fuzz.serving.running import Task
from fuzz.serving.scene import LONGEST_PROMPT, SORTS, Scene, scene_of, simpler
from fuzz.serving.stage import Stage
from fuzz.violation import Violation
from spec.specification import INVARIANTS, STEPS, THEOREMS


@pytest.mark.parametrize("sort", SORTS)
def test_a_life_of_each_sort_breaks_nothing_and_compares_jobs(sort: str) -> None:
    run = run_seeded("lives", lives=1, sorts=[sort], lengths=[30])
    assert run.failure is None
    assert (run.lives, run.operations) == (1, 30)
    assert run.jobs > 0


def test_hypothesis_breaks_nothing_and_compares_jobs() -> None:
    run = run_machine("lives", examples=3, steps=15)
    assert run.failure is None
    assert run.lives == 3
    assert run.jobs > 0


def test_a_life_is_the_same_again() -> None:
    for number in range(len(SORTS)):
        scene, script = life_of("again", number, lengths=[10])
        assert (scene, script) == life_of("again", number, lengths=[10])
        assert lived(scene, script) == lived(scene, script)


def test_scenes_of_chance_are_legal_and_zeros_choose_the_plainest() -> None:
    rnd = random.Random(1)
    for sort in SORTS:
        drawn = {scene_of(sort, [rnd.getrandbits(16) for _ in range(16)]) for _ in range(40)}
        assert len(drawn) > 30
        assert {scene.ends for scene in drawn} == {2 if sort in {"transfer", "host-transfer", "everything"} else 1}
        assert {bool(scene.drafter) for scene in drawn} == {sort in {"speculation", "host-speculation", "everything"}}
        hosted = {scene.hosted for scene in drawn if scene.host_tokens}
        if sort in {"host-transfer", "everything"}:
            assert hosted == {"both", "prefill", "decode"}
        else:
            assert hosted == ({"both"} if sort.startswith("host") else set())
    assert scene_of("plain", []) == Scene()
    assert Scene().said() == "plain"


@pytest.mark.parametrize(
    "features",
    [
        {"pattern": "none"},
        {"drafter": "none"},
        {"interval": 6},
        {"host_tokens": 10},
        {"files": True},
        {"interval": 8, "host_tokens": 10, "hosted": "decode"},
        {"ends": 2, "hosted": "prefill"},
        {"ends": 2, "late": False},
        {"tokens": 40},
    ],
)
def test_features_that_do_not_go_together_are_no_scene(features: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"no|below|kept|must|may have|is late"):
        Scene(**features)  # type: ignore[arg-type]  # that is the point


def test_what_is_simpler_differs_in_one_thing() -> None:
    scene = Scene(pattern="kimi-k3", interval=8, host_tokens=48, files=True)
    found = list(simpler(scene))
    # without an interval there could be no host tier, and without that no files
    assert {plainer.said() for plainer in found} == {
        "interval 8, host_tokens 48, files True",
        "pattern kimi-k3, interval 8, host_tokens 48",
    }


def test_every_operation_says_what_it_does_and_can_be_done_whatever_there_is() -> None:
    for sort in SORTS:
        scene = scene_of(sort, [])
        for kind in kinds_of(scene):
            assert kind.prose.endswith(".")
            nothing_there = lived(scene, [Operation(kind.name, (1, 2, 3, 4))])
            assert nothing_there.violation is None
            assert nothing_there.done.total() == 1
    assert {kind.name for sort in SORTS for kind in kinds_of(scene_of(sort, [0] * 12 + [1] * 4))} == set(KINDS)


def test_some_operations_are_switched_off_in_a_life() -> None:
    absent = {name for number in range(30) for name in absent_from("swarm", number, life_of("swarm", number)[0])}
    assert "ask" not in absent
    assert len(absent) > len(KINDS) // 2


def test_prompts_are_as_long_as_something_or_almost() -> None:
    lengths = edges(Scene(interval=8))
    assert lengths[0] == 1
    for length in (3, 4, 5, 7, 8, 9, 10, 11, 19, 20, LONGEST_PROMPT):
        assert length in lengths


def test_what_must_be_said_ends_with_the_token_after_which_a_job_stops() -> None:
    scene, prompt = Scene(), family(0)[:5]
    said = text_of(scene, prompt)[5:]
    words, logits = reference(scene, Task(prompt, 6), said[2])
    assert words == said[: said.index(said[2]) + 1]
    assert len(logits) == len(words)
    assert reference(scene, Task(prompt, 4), None)[0] == said[:4]


def test_no_check_has_the_name_of_a_property() -> None:
    assert not CHECKS.keys() & {*INVARIANTS, *STEPS, *THEOREMS}


def test_floors_ask_for_operations_that_there_are() -> None:
    assert not set(FREQUENT) & set(RARER)
    named = {what.split()[1].removesuffix(":") for what in (*FREQUENT, *RARER) if what.startswith("serving ")}
    assert named == set(KINDS)
    assert floors(quick=True).keys() < floors(quick=False).keys()


# ------------------------------------------------------------------------------------------ what a stage looks at


def _asked(**features: object) -> Stage:
    stage = Stage(Scene(**features))  # type: ignore[arg-type]  # of a scene
    do(stage, Operation("ask", (0, 4, 0, 2)))
    return stage


def test_another_token_than_the_models_is_seen() -> None:
    stage = _asked(late=False)
    (job,) = [want.now for want in stage.wants]
    assert job is not None
    while not job.done:
        stage.step(stage.served)
    job.said[0] += 1
    with pytest.raises(Violation, match="same-logits"):
        stage.look()


def test_a_logit_a_little_off_is_seen() -> None:
    stage = _asked(late=False)
    (job,) = [want.now for want in stage.wants]
    assert job is not None
    while not job.done:
        stage.step(stage.served)
    job.logits[1] = job.logits[1] + 1e-5
    with pytest.raises(Violation, match="same-logits"):
        stage.look()


def test_what_is_guessed_after_the_end_of_a_text_is_not_compared() -> None:
    stage = Stage(Scene(pattern="inkling-small", drafter="dflash", drafts=2))
    for name, draws in (
        ("change-habit", (1, 0, 0, 0)),
        ("let-the-device-work", (0, 0, 0, 0)),
        ("ask", (0, 0, 0, 55715)),
        ("step", (0, 1, 0, 0)),
        ("let-the-device-work", (0, 7, 0, 0)),
        ("step", (0, 0, 0, 0)),
    ):
        do(stage, Operation(name, draws))
    end(stage)
    (speculation,) = stage.guessing.values()
    assert [turn.last_known < turn.job.known for turn, _ in speculation.heard] == [True, False]


def test_a_reference_that_is_nobodys_is_seen_and_one_that_is_missing() -> None:
    stage = _asked(interval=8)
    while not stage.served.engine.running:
        stage.step(stage.served)
    stage.look()
    (job,) = stage.served.engine.running
    assert job.request is not None
    page = job.request.pages[1][:1]
    stage.served.allocator.share(1, page)
    with pytest.raises(Violation, match="held-as-needed: references to full pages in the arena are nobody's"):
        stage.look()
    stage.served.allocator.release(1, page + page)
    with pytest.raises(Violation, match="references: somebody counts on references to full pages in the arena"):
        stage.look()


def test_a_publisher_that_stays_is_seen_at_the_end() -> None:
    stage = _asked()
    stage.served.allocator.publish("somebody")
    with pytest.raises(Violation, match="nothing-left: publishers"):
        end(stage)


def test_a_ticket_that_somebody_keeps_is_seen_at_the_end() -> None:
    stage = _asked()
    stage.served.allocator.open("copy", "elsewhere")
    with pytest.raises(Violation, match="progress"):
        end(stage)


def test_a_job_that_is_never_served_is_seen_at_the_end() -> None:
    stage = _asked()
    stage.served.engine._lines.append(stage.served.engine._waiting.pop().number)
    with pytest.raises(Violation, match="progress: engines are idle"):
        end(stage)


def test_a_wait_of_the_host_is_seen() -> None:
    stage = _asked()
    stage.served.runtime.host_waits += 1
    with pytest.raises(Violation, match="no-host-sync"):
        stage.look()


def test_what_is_done_at_random_is_done_on_both_ends() -> None:
    draws: Draws = (1, 1, 1, 1)
    stage = Stage(Scene(ends=2))
    assert len(stage.sides) == 2
    do(stage, Operation("ask", draws))
    for side in (0, 1):
        do(stage, Operation("step", (side, 0, 0, 0)))
    end(stage)
    assert [want.is_over for want in stage.wants] == [True]
