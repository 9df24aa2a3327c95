"""The plain driver: random operations from a seed, fast."""

import time
from collections import Counter
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from fuzz.coverage import Coverage
from fuzz.engine.engine import Engine
from fuzz.engine.kinds import KINDS
from fuzz.engine.operations import DRAW_BITS, Operation
from fuzz.explaining import explained
from fuzz.failure import Failure
from fuzz.looks import Look, look_of, name_of_last
from fuzz.setups import Setup
from fuzz.stage import Logged, Stage
from fuzz.staging import stage_for
from fuzz.swarm import EMPHASES, switched_off, weights_of
from fuzz.targets.own import OWN
from fuzz.targets.protocol import Target
from fuzz.violation import Violation
from fuzz.watch import FROM_OUTSIDE, IN_PASSING, JUDGED_ONLY, Watch

LIVES: Final = (40, 120, 300)
"""Operations in the life of one allocator: short ones reach much, long ones reach deep."""

FILLINGS: Final = (0, 0, 1, 2, 3)
"""Some lives begin in an arena that is filled kind by kind."""


@dataclass(frozen=True)
class Run:
    """What a run came to.

    Attributes:
        seed: from which it can be done again.
        lives: allocators that were built, driven and given up.
        operations: of the engine.
        calls: to the allocators, each judged.
        seconds: that passed, the time for making a failure shorter included.
        searching: of these, the seconds until something broke or the budget was spent.
        coverage: what was exercised.
        failure: what broke; None if nothing did.
        excused: lives that ended early because something broke that the target does not promise.
        look: how the failure looked before it was made shorter.
        again: lives that ended in a failure that was known before, by how it looks.
    """

    seed: int | str
    lives: int
    operations: int
    calls: int
    seconds: float
    searching: float
    coverage: Coverage
    failure: Failure | None
    excused: int = 0
    look: Look | None = None
    again: Counter[Look] = field(default_factory=Counter)


Progress = Callable[[Run], None]
"""Told after each life what the run has come to so far."""


def run_seeded(
    setups: Sequence[Setup],
    seed: int | str,
    *,
    target: Target = OWN,
    seconds: float | None = None,
    calls: int | None = None,
    watch: Watch = IN_PASSING,
    progress: Progress = lambda _: None,
    fault: str | None = None,
    reduce_seconds: float = 20.0,
    reduce_tries: int | None = None,
    known: Container[Look] = (),
    lives: Sequence[int] = LIVES,
    follow: bool = True,
) -> Run:
    """Drive new allocators in turn, until something breaks or the budget is spent.

    The same seed does the same; a budget decides only after how many lives it ends.

    Args:
        setups: taken in turn, one for each life.
        seed: of all choices.
        target: what is driven.
        seconds: after which no life is begun.
        calls: after which no life is begun.
        watch: how closely it is watched; a failure is looked at again closely. A target that promises no contents is
            judged, and nothing is read back.
        progress: told after each life.
        fault: the seeded fault that is in force, to be noted in the failure.
        reduce_seconds: for making a failure shorter.
        reduce_tries: scripts that are tried to that end; none for as many as there is time for.
        known: how failures look that are known; they are counted, and end nothing but a life.
        lives: operations in the life of an allocator; one of them.
        follow: whether a life in which tables are wrong goes on until a caller sees it, if one does.
    """
    if seconds is None and calls is None:
        raise ValueError("a run needs a budget: give seconds, calls or both")
    if "content" not in target.promises:
        watch, follow = JUDGED_ONLY, False
    begun = time.monotonic()
    run = Run(seed, 0, 0, 0, 0.0, 0.0, Coverage(), None)
    while run.failure is None:
        passed = time.monotonic() - begun
        if (seconds is not None and passed >= seconds) or (calls is not None and run.calls >= calls):
            break
        setup = setups[run.lives % len(setups)]
        stage = stage_for(target, setup, watch)
        done, violation = live(stage, operations_of(seed, run.lives, lives))
        searching = time.monotonic() - begun
        failure, look, again = None, None, run.again
        excused = violation is not None and violation.property not in target.promises
        if violation is not None and not excused:
            log = stage.log
            look = look_of(violation.property, name_of_last(log), violation.problem)
            if look in known:
                again = again + Counter([look])
            else:
                if follow:
                    violation, log = _followed(target, setup, violation, log, operations_of(seed, run.lives, lives))
                failure = replace(
                    explained(target, setup, violation, log, fault, reduce_seconds, reduce_tries),
                    absent=absent_from(seed, run.lives),
                )
        run = Run(
            seed,
            run.lives + 1,
            run.operations + done,
            run.calls + stage.calls,
            time.monotonic() - begun,
            searching,
            run.coverage + stage.coverage(),
            failure,
            run.excused + excused,
            look if failure is not None else None,
            again,
        )
        progress(run)
    return replace(run, seconds=time.monotonic() - begun)


def _followed(
    target: Target, setup: Setup, violation: Violation, log: list[Logged], operations: Iterator[Operation]
) -> tuple[Violation, list[Logged]]:
    """What a caller sees if the same life goes on; else what the tables showed."""
    stage = stage_for(target, setup, FROM_OUTSIDE)
    _, seen = live(stage, operations)
    return (violation, log) if seen is None else (seen, stage.log)


def operations_of(seed: int | str, life: int, lives: Sequence[int] = LIVES) -> Iterator[Operation]:
    """The operations of one life."""
    rnd = Random(f"{seed}/{life}")
    weights = _swarm(rnd)
    filling = ["one-kind"] * rnd.choice(FILLINGS)
    for name in filling + rnd.choices(list(weights), list(weights.values()), k=rnd.choice(lives)):
        yield Operation(name, _split(rnd.getrandbits(4 * DRAW_BITS)))


def absent_from(seed: int | str, life: int) -> tuple[str, ...]:
    """The kinds of operations that are switched off in a life."""
    return switched_off(_swarm(Random(f"{seed}/{life}")))


def _swarm(rnd: Random) -> dict[str, int]:
    return weights_of(KINDS, [rnd.randrange(len(EMPHASES)) for _ in KINDS])


def _split(draws: int) -> tuple[int, int, int, int]:
    return draws & 0xFFFF, draws >> 16 & 0xFFFF, draws >> 32 & 0xFFFF, draws >> 48


def live(stage: Stage, operations: Iterator[Operation]) -> tuple[int, Violation | None]:
    """Operate an engine on a stage; how many operations were done, and what broke."""
    engine = Engine(stage)
    done = 0
    try:
        for name, draws in operations:
            done += 1
            stage.note(name, KINDS[name].act(engine, draws))
            stage.meanwhile(draws)
        stage.check_everything()
    except Violation as violation:
        return done, violation
    return done, None
