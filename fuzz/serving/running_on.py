"""Operations by which time passes: engines look for what to do, and devices do it."""

from fuzz.engine.engine import pick
from fuzz.engine.operations import Draws
from fuzz.serving.operations import operation
from fuzz.serving.running import quiet
from fuzz.serving.scene import Scene
from fuzz.serving.sending import get_on
from fuzz.serving.stage import HABITS, Stage

MOST_PIECES = 12
"""Of work that a device does in one operation."""


def is_late(scene: Scene) -> bool:
    """Whether devices do their work when they are told to."""
    return scene.late


@operation(weight=10)
def step(stage: Stage, draws: Draws) -> str:
    """An engine looks for what there is to do, once or several times, while its device does nothing."""
    served = pick(stage.sides, draws[0])
    launched = [stage.step(served) for _ in range(1 + draws[1] % 3)]
    return "launched" if any(launched) else "nothing launched"


@operation(weight=8, is_of=is_late)
def let_the_device_work(stage: Stage, draws: Draws) -> str:
    """A device does some pieces of its work, in an order that numbers choose among what streams and events allow."""
    pieces = [draws[2] >> place for place in range(1 + draws[1] % MOST_PIECES)]
    return "worked" if stage.work(pick(stage.sides, draws[0]), pieces) else "nothing to do"


@operation(weight=8)
def serve(stage: Stage, draws: Draws) -> str:
    """Engines and devices, and whatever is between two ends, take turns for a while."""
    before = len(stage.left)
    for turn in range(2 + draws[0] % 8):
        for number, served in enumerate(stage.sides):
            if stage.scene.late:
                stage.work(served, [draws[2] >> place for place in range(draws[1] >> turn + 3 * number & 3)])
            stage.step(served)
        if stage.both is not None:
            get_on(stage.both, draws[3] >> turn)
    stage.look()
    return "a job is done" if len(stage.left) < before else "no job is done"


@operation(weight=2, is_of=is_late)
def catch_up(stage: Stage, draws: Draws) -> str:
    """A device does all that it was given, and its engine takes note."""
    served = pick(stage.sides, draws[0])
    was_busy = served.runtime.choices() > 0
    stage.each(served, quiet)
    return "caught up" if was_busy else "nothing to do"


@operation(weight=2, is_of=lambda scene: bool(scene.drafter))
def change_habit(stage: Stage, draws: Draws) -> str:
    """From now on the draft is right, or wrong, or either by chance, or as it is."""
    stage.habit = pick(HABITS, draws[0])
    return stage.habit
