"""Operations of those who want something: jobs are asked for, given up, and put behind others."""

from fuzz.engine.engine import pick
from fuzz.engine.operations import Draws
from fuzz.serving.alone import family, text_of
from fuzz.serving.operations import operation
from fuzz.serving.scene import LONGEST_PROMPT, MOST_NEW, Scene
from fuzz.serving.stage import MOST_JOBS, Stage

FAMILIES = 3
"""Texts that prompts begin with."""

MOST_ADDED = 3
"""Tokens of a prompt after what it has in common with others."""


@operation(weight=10)
def ask(stage: Stage, draws: Draws) -> str:
    """A job for a prompt that begins like others, and whose length is at the edge of something."""
    if len(stage.left) >= MOST_JOBS:
        return "enough jobs"
    lengths = edges(stage.scene)
    begins = family(draws[0] % FAMILIES)[: pick(lengths, draws[1])]
    return _asked(stage, begins, draws)


@operation(weight=4)
def go_on(stage: Stage, draws: Draws) -> str:
    """A job that goes on from what another one said, or asks for the same again."""
    if len(stage.left) >= MOST_JOBS:
        return "enough jobs"
    if not stage.wants:
        return "nothing to go on from"
    want = pick(stage.wants, draws[0])
    text = text_of(stage.scene, want.task.prompt)
    said = draws[1] % (want.task.new_tokens + 1)
    return _asked(stage, text[: len(want.task.prompt) + said], draws)


def _asked(stage: Stage, begins: tuple[int, ...], draws: Draws) -> str:
    added = family(FAMILIES + draws[2] % FAMILIES)[: draws[2] // FAMILIES % (MOST_ADDED + 1)]
    prompt = (begins[: LONGEST_PROMPT - len(added)] + added)[:LONGEST_PROMPT]
    task_tokens = 1 + draws[3] % MOST_NEW
    stop = None
    if draws[3] // MOST_NEW % 4 == 1:
        # a token that the model does say
        said = text_of(stage.scene, prompt)[len(prompt) :]
        stop = said[draws[3] % len(said)]
    stage.ask(prompt, task_tokens, stop)
    return "asked" if stop is None else "asked until it says a token"


@operation(weight=2)
def cancel(stage: Stage, draws: Draws) -> str:
    """Nobody wants a job any more, whatever it waits for."""
    if not stage.left:
        return "no job"
    want = pick(stage.left, draws[0])
    job = want.now
    if want.asked is not None and job is None:
        assert stage.both is not None, "prompts are sent"
        want.given_up = stage.both.decode.abort(want.asked)
        return "aborted on its way"
    assert job is not None, "it is the engine's"
    runs = job.request is not None
    stage.cancel(want)
    return "cancelled as it ran" if runs else "cancelled as it waited"


@operation(weight=2)
def preempt(stage: Stage, draws: Draws) -> str:
    """A job that runs gives way to all others."""
    served = pick(stage.sides, draws[0])
    if not served.engine.running:
        return "nobody runs"
    stage.each(served, lambda one: one.engine.preempt(pick(one.engine.running, draws[1])))
    return "preempted"


def edges(scene: Scene) -> list[int]:
    """Lengths of prompts, the simplest first: at ends of pages, windows, chunks and intervals, and beside them."""
    windows = {kind.window for kind in scene.layout.kinds if kind.window}
    units = (scene.page_tokens, scene.chunk, scene.interval, *sorted(windows))
    near = [times * unit + by for unit in units if unit for times in (1, 2) for by in (0, 1, -1)]
    return list(dict.fromkeys(length for length in (1, *near, 24, LONGEST_PROMPT) if 1 <= length <= LONGEST_PROMPT))
