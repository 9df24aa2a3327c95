"""The least that a run must have exercised: one that did less has shown nothing, however it ended."""

from typing import Final

from fuzz.coverage import Coverage
from fuzz.floors import Part
from fuzz.serving.driver import event, operation

FREQUENT: Final = (
    "serving ask: asked",
    "serving ask: asked until it says a token",
    "serving ask: enough jobs",
    "serving break-off: nothing is on its way",
    "serving cancel: cancelled as it ran",
    "serving cancel: cancelled as it waited",
    "serving cancel: no job",
    "serving carry-bytes: got on",
    "serving carry-bytes: nothing is on its way",
    "serving catch-up: caught up",
    "serving catch-up: nothing to do",
    "serving compact: nothing moves",
    "serving deliver-twice: no message",
    "serving deliver: no message",
    "serving deliver: to the end that computes prompts",
    "serving deliver: to the end that goes on",
    "serving drop-from-host: nothing to give",
    "serving evict: gave way",
    "serving evict: nothing to give",
    "serving forget: nothing to forget",
    "serving go-on: asked",
    "serving go-on: asked until it says a token",
    "serving go-on: enough jobs",
    "serving go-on: nothing to go on from",
    "serving let-the-device-work: nothing to do",
    "serving let-the-device-work: worked",
    "serving lose-patience: nothing is on its way",
    "serving preempt: nobody runs",
    "serving preempt: preempted",
    "serving serve: a job is done",
    "serving serve: no job is done",
    "serving sleep: rejected",
    "serving sleep: slept",
    "serving step: launched",
    "serving step: nothing launched",
    "serving: a guess is right",
    "serving: a guess is wrong",
    "serving: a page is copied before it is written",
    "serving: a prefix is used",
    "serving: a prompt has come",
    "serving: a retraction",
    "serving: a ticket is settled",
    "serving: an eviction is asked for",
    "serving: backed up",
    "serving: backed up at an end of two",
    "serving: backed up beside a draft",
    "serving: pages move",
    "serving: the gate is closed",
    "serving: two forwards in flight",
)
"""What happens in every sort of run, a quick gate's some thirty lives included."""

RARER: Final = (
    "serving deliver-twice: delivered twice",
    "serving break-off: broke off",
    "serving cancel: aborted on its way",
    "serving change-habit: by chance",
    "serving change-habit: its own",
    "serving change-habit: right",
    "serving change-habit: wrong",
    "serving compact: moved",
    "serving drop-from-host: gave way",
    "serving forget: forgot",
    "serving lose-a-prompt: cancelled",
    "serving lose-a-prompt: nobody runs",
    "serving replace-an-end: the one that computes prompts",
    "serving replace-an-end: the one that goes on",
    "serving tear-a-file: damaged",
    "serving tear-a-file: no file",
    "serving: a prompt is computed again",
    "serving: a quarantine ends",
    "serving: a release is waited for",
    "serving: in quarantine",
    "serving: loaded back",
    "serving: loaded back at an end of two",
    "serving: loaded back beside a draft",
    "serving: ranks that share out heads say the same",
    "serving: ranks that share out layers say the same",
    "serving: ranks that share out requests say the same",
    "serving: ranks that share out tokens say the same",
    "serving: the host gives way",
)
"""What happens in a usual gate's three hundred lives."""

RAREST: Final = (
    "serving lose-patience: given up",
    "serving: a file is rejected",
    "serving: a step is void",
)
"""What is met too seldom to be asked for."""

EVER: Final = (*FREQUENT, *RARER, *RAREST)
"""All of it."""

PER_LIFE: Final = 200
"""Judged calls in a life, about."""

SMALL: Final = 300 * PER_LIFE
"""Judged calls with which a campaign counts as a small one."""

PARTS: Final = (
    Part("ways in which operations on engines end", tuple(name for name in EVER if not name.startswith("serving: "))),
    Part("things that happen meanwhile", tuple(name for name in EVER if name.startswith("serving: "))),
)
"""All that lives of engines can exercise."""


def times_of(coverage: Coverage) -> dict[str, int]:
    """How often each thing happened in the lives of a campaign, by name."""
    done = {operation(name, how): times for (name, how), times in coverage.operations.items()}
    return done | {event(name): times for name, times in coverage.events.items()}


def unexercised(coverage: Coverage, calls: int) -> tuple[str, ...]:
    """What a campaign of so many judged calls must have exercised and has not."""
    times = times_of(coverage)
    return tuple(name for name in floors(quick=calls < SMALL) if not times.get(name))


def floors(*, quick: bool) -> dict[str, int]:
    """What must have been exercised, and how often at least."""
    return dict.fromkeys(FREQUENT if quick else (*FREQUENT, *RARER), 1)
