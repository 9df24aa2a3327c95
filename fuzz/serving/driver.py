"""The plain driver: lives in scenes of every sort, each operation chosen from a seed."""

import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from fuzz.engine.operations import DRAW_BITS
from fuzz.looks import Look
from fuzz.serving.failure import Failure, explained
from fuzz.serving.kinds import kinds_of
from fuzz.serving.living import Script, lived
from fuzz.serving.operations import Kind, Operation
from fuzz.serving.scene import SCENE_DRAWS, SORTS, Scene, scene_of
from fuzz.swarm import EMPHASES

LIVES: Final = (30, 60, 100)
"""Operations in a life: short ones reach much, long ones reach deep."""

Pairs = Counter[tuple[str, str]]


@dataclass(frozen=True)
class Run:
    """What a run came to.

    Attributes:
        seed: from which it can be done again.
        lives: scenes that were set, operated and left.
        operations: that were done.
        jobs: that were compared, each token and each logit.
        seconds: that passed, the time for making a failure shorter included.
        done: operations by name and what came of them.
        events: what happened meanwhile.
        failure: what broke; None if nothing did.
        calls: that were judged.
        actions: page actions that were judged, by name.
        look: how the failure looked when it was met.
        again: lives that ended in a failure that was known before, by how it looks.
    """

    seed: int | str
    lives: int = 0
    operations: int = 0
    jobs: int = 0
    seconds: float = 0.0
    done: Pairs = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    failure: Failure | None = None
    calls: int = 0
    actions: Counter[str] = field(default_factory=Counter)
    look: Look | None = None
    again: Counter[Look] = field(default_factory=Counter)

    def named(self) -> Iterator[tuple[str, int]]:
        """Everything that was exercised, under a name of its own."""
        for (name, outcome), times in self.done.items():
            yield operation(name, outcome), times
        for name, times in self.events.items():
            yield event(name), times


def operation(name: str, outcome: str) -> str:
    """The name of an operation and what came of it, in a table of what was exercised."""
    return f"serving {name}: {outcome}"


def event(name: str) -> str:
    """The name of what happened meanwhile."""
    return f"serving: {name}"


def run_seeded(
    seed: int | str,
    *,
    lives: int | None = None,
    calls: int | None = None,
    sorts: Sequence[str] = SORTS,
    lengths: Sequence[int] = LIVES,
    progress: Callable[[Run], None] = lambda run: None,
    fault: str | None = None,
    reduce_seconds: float = 60.0,
    reduce_tries: int | None = None,
    known: Container[Look] = (),
) -> Run:
    """Live so many lives, or until something breaks.

    Args:
        seed: of all choices: the same seed does the same.
        lives: at most; so many as there are calls for if left out.
        calls: judged, after which no life is begun.
        sorts: of scenes, taken in turn.
        lengths: operations of a life; one of them.
        progress: told after each life.
        fault: the seeded fault that is in force, to be noted in the failure.
        reduce_seconds: for making a failure shorter.
        reduce_tries: scripts that are tried to that end; none for as many as there is time for.
        known: how failures look that are known; they are counted, and end nothing but a life.
    """
    begun = time.monotonic()
    run = Run(seed)
    while run.failure is None and not _is_enough(run.lives, lives) and not _is_enough(run.calls, calls):
        scene, operations = life_of(seed, run.lives, sorts, lengths)
        life = lived(scene, operations)
        failure, look, again = None, None, run.again
        if life.look is not None and life.look in known:
            again = again + Counter([life.look])
        elif life.violation is not None:
            look = life.look
            failure = explained(
                scene,
                life.script,
                life.violation,
                fault=fault,
                seconds=reduce_seconds,
                tries=reduce_tries,
                absent=absent_from(seed, run.lives, scene),
            )
        run = replace(
            run,
            lives=run.lives + 1,
            operations=run.operations + len(life.script),
            jobs=run.jobs + life.jobs,
            seconds=time.monotonic() - begun,
            done=run.done + life.done,
            events=run.events + life.events,
            failure=failure,
            calls=run.calls + life.calls,
            actions=run.actions + life.actions,
            look=look,
            again=again,
        )
        progress(run)
    return run


def _is_enough(done: int, most: int | None) -> bool:
    return most is not None and done >= most


def life_of(
    seed: int | str, number: int, sorts: Sequence[str] = SORTS, lengths: Sequence[int] = LIVES
) -> tuple[Scene, Script]:
    """The scene and the operations of one life."""
    rnd = Random(f"{seed}/{number}")
    scene = scene_of(sorts[number % len(sorts)], [rnd.getrandbits(DRAW_BITS) for _ in range(SCENE_DRAWS)])
    kinds = kinds_of(scene)
    weights = weights_of(kinds, _emphases(seed, number, kinds))
    names = rnd.choices([kind.name for kind in kinds], weights, k=rnd.choice(lengths))
    return scene, tuple(Operation(name, _draws(rnd)) for name in names)


def absent_from(seed: int | str, number: int, scene: Scene) -> tuple[str, ...]:
    """The kinds of operations that are switched off in a life."""
    kinds = kinds_of(scene)
    return switched_off(kinds, weights_of(kinds, _emphases(seed, number, kinds)))


def weights_of(kinds: Sequence[Kind], numbers: Iterable[int]) -> list[int]:
    """How often each kind is done beside the others, from a number for each; 0 where it is switched off."""
    weights = [kind.weight * EMPHASES[number % len(EMPHASES)] for kind, number in zip(kinds, numbers, strict=True)]
    # without a job there is nothing to be seen
    return [max(1, weight) if kind.name == "ask" else weight for kind, weight in zip(kinds, weights, strict=True)]


def switched_off(kinds: Sequence[Kind], weights: Sequence[int]) -> tuple[str, ...]:
    """The kinds that are."""
    return tuple(kind.name for kind, weight in zip(kinds, weights, strict=True) if not weight)


def _emphases(seed: int | str, number: int, kinds: Sequence[Kind]) -> list[int]:
    rnd = Random(f"{seed}/{number}/emphases")
    return [rnd.randrange(len(EMPHASES)) for _ in kinds]


def _draws(rnd: Random) -> tuple[int, int, int, int]:
    return (
        rnd.getrandbits(DRAW_BITS),
        rnd.getrandbits(DRAW_BITS),
        rnd.getrandbits(DRAW_BITS),
        rnd.getrandbits(DRAW_BITS),
    )
