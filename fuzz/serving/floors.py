"""The least that a run must have exercised: one that did less has shown nothing, however it ended."""

from typing import Final

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
    "serving: the host gives way",
)
"""What happens in a usual gate's three hundred lives.

What is given up on its way, torn files that are read, and steps that are void are met too seldom to be asked for.
"""


def floors(*, quick: bool) -> dict[str, int]:
    """What must have been exercised, and how often at least."""
    return dict.fromkeys(FREQUENT if quick else (*FREQUENT, *RARER), 1)
