"""The engines of ranks that have one together, or each its own: all in this process, on devices that tell late."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any, Final, TypeVar

from fuzz.serving.hesitant import Hesitant
from fuzz.serving.ranks_together import Together, Turns, together
from fuzz.serving.running import Served, room_for, serve
from fuzz.serving.scene import Scene
from fuzz.violation import Violation
from impl.serving.engine.engine import Engine
from impl.serving.parallel.context import context_parallel
from impl.serving.parallel.data import data_parallel
from impl.serving.parallel.group import Group
from impl.serving.parallel.stages import pipelined
from impl.serving.parallel.tensor import tensor_parallel

T = TypeVar("T")

SEED: Final = "ranks"
"""Of whose turn it is, and of when ends are told."""


@dataclass(eq=False)
class Ranked:
    """Ranks, and what each of them has.

    Attributes:
        turns: whose turn it is.
        engines: of each rank, in order.
        steps: of each rank what its engine does, and then all devices that must get on before the next step.
        are_apart: whether each rank has jobs of its own.
        are_alike: whether all arenas are laid out alike.
    """

    turns: Turns
    engines: tuple[Served, ...]
    steps: tuple[Callable[[], bool], ...]
    are_apart: bool
    are_alike: bool

    @property
    def sides(self) -> tuple[Served, ...]:
        """Those of whom something can be asked that the others are not."""
        return self.engines if self.are_apart else self.engines[:1]

    def step(self) -> bool:
        """A step of all ranks; whether any of them did something."""
        return any(self.turns.all(lambda rank: self.steps[rank]()))

    def each(self, served: Served, act: Callable[[Served], T]) -> T:
        """Do something on the engine of a rank, and so on those of all that have the same jobs.

        Raises:
            Violation: it does not come to the same on all.
        """
        if self.are_apart:
            return act(served)
        found = self.turns.all(lambda rank: act(self.engines[rank]))
        if self.are_alike and any(one != found[0] for one in found):
            raise Violation("rank-agreement", f"what is done on all ranks comes to {found}")
        return next((one for one in found if one), found[0])

    def be_frank(self) -> None:
        """From now on all devices tell of each end at once."""
        for served in self.engines:
            served.runtime.is_frank = True


def ranked(scene: Scene) -> Ranked:
    """The engines of a scene of several ranks."""
    turns, groups = together(scene.ranks, SEED)
    made = turns.all(lambda rank: _rank(scene, groups[rank]))
    engines, steps = zip(*made, strict=True)
    return Ranked(turns, engines, steps, scene.shares == "requests", scene.shares != "layers")


def _rank(scene: Scene, group: Together) -> tuple[Served, Callable[[], bool]]:
    number = group.rank.number
    layout = scene.layouts[number]
    runtime = Hesitant(Random(f"{SEED} {number}"))
    steps: list[Callable[[], bool]] = []

    def engine_of(model: Any, allocator: Any, device: Any, policy: Any) -> Engine:
        engine, step = _engine(scene, group, (allocator, device, policy), runtime)
        steps.append(step)
        return engine

    tokens = -(-scene.tokens // scene.ranks) if scene.shares == "tokens" else scene.tokens
    size = room_for(layout, tokens, scene.states)
    served = serve(layout, size, policy=scene.policy, engine_of=engine_of, runtime=runtime, late=True)
    return served, steps[0]


def _engine(
    scene: Scene, group: Group, given: tuple[Any, Any, Any], runtime: Hesitant
) -> tuple[Engine, Callable[[], bool]]:
    """The engine of a rank, and a step of it."""
    match scene.shares:
        case "heads":
            engine = tensor_parallel(group, scene.layout, *given)
        case "tokens":
            engine = context_parallel(group, scene.layout, *given)
        case "layers":
            engine = pipelined(group, scene.layouts[group.rank.number], *given)
        case "requests":
            apart = data_parallel(group, scene.layout, *given)
            return apart.engine, partial(_step_apart, apart.step, apart.engine, runtime)
    return engine, partial(_step_at_once, engine, runtime) if scene.shares == "layers" else engine.step


def _step_at_once(engine: Engine, runtime: Hesitant) -> bool:
    """A step whose work is done before the next one."""
    launched = engine.step()
    runtime.run_all()
    return launched


def _step_apart(step: Callable[[Callable[[], object]], bool], engine: Engine, runtime: Hesitant) -> bool:
    before = engine.forwards
    step(runtime.run_all)
    return engine.forwards > before
