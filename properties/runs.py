"""A run: everything that was chosen is shown, side by side, with what is known so far told as it comes."""

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import groupby

from crew.processors import processors
from properties.admission.asking import theorem_of
from properties.answers import Answer
from properties.limits import USUAL, Limits
from properties.report import Report, witnesses
from properties.selection import Selection, everything
from properties.tasks import Look, Prove, Result, Task, Try, work
from properties.trials import Trial
from properties.witnesses import Sighting
from properties.workers import results


def run(
    selection: Selection | None = None,
    *,
    weakening: str | None = None,
    limits: Limits = USUAL,
    jobs: int | None = None,
    on_result: Callable[[Result], object] = lambda _: None,
) -> Report:
    """Show what was chosen, or everything; what comes of it is the same on every machine, but for the seconds.

    Args:
        selection: what to show.
        weakening: the name of a change to make to the specification before its obligations are answered.
        limits: how long the solver may try, each time.
        jobs: how many tasks to do side by side; as many as there are processors, if not given.
        on_result: told every answer, sighting and trial as it comes, in a fixed order.

    Stopped by Ctrl-C, it reports what is known by then.
    """
    began = time.perf_counter()
    chosen = everything() if selection is None else selection
    known: list[Result] = []
    interrupted = False
    try:
        with closing(results(work, list(tasks(chosen, weakening, limits)), jobs or processors())) as coming:
            for result in coming:
                known.append(result)
                on_result(result)
    except KeyboardInterrupt:
        interrupted = True
    return Report(
        chosen,
        weakening,
        tuple(result for result in known if isinstance(result, Answer)),
        witnesses(result for result in known if isinstance(result, Sighting)),
        tuple(result for result in known if isinstance(result, Trial)),
        time.perf_counter() - began,
        interrupted,
    )


def tasks(selection: Selection, weakening: str | None, limits: Limits) -> Iterator[Task]:
    """What there is to do, in the order in which it is told."""
    for _, of_stage in groupby(selection.obligations, key=lambda obligation: theorem_of(obligation.stage)):
        yield Prove(tuple(of_stage), weakening, limits)
    for name in selection.trials:
        yield Try(name, limits)
    for stage, names in selection.looks.items():
        yield Look(stage, names, limits)
