"""A forward: one piece of device work, in which every layer reads and writes only what its ticket was given."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import torch

from impl.device.arena import ArenaDevice
from impl.device.runtime import Piece, Touch, Work
from impl.requests.request import Request
from impl.serving.engine.job import Job
from impl.serving.engine.memory import Memory
from impl.serving.engine.model import Model
from impl.serving.engine.paged import PagedMemory
from impl.serving.engine.places import Places
from impl.serving.engine.share import Share

TOKENS: Final = "the table of tokens"
"""The device memory in which a forward leaves what it says, for the next one to go on with."""

MemoryOf = Callable[[ArenaDevice[Any], Places, Share], Memory]
"""Makes the memory of a request's share, while the forward runs."""

_ITEM_BYTES: Final = 8


class Part(NamedTuple):
    """A job's part in a forward.

    Attributes:
        job: whose tokens are computed.
        request: the job's when the forward was launched.
        share: which, and where their rows are.
        speaks: whether its last token is followed by a new one, and not by more of what is known.
    """

    job: Job
    request: Request
    share: Share
    speaks: bool


@dataclass(eq=False)
class Forward:
    """One step over a batch.

    Attributes:
        ticket: whose work it is.
        parts: who takes part.
        logits: of each part that speaks, by the number of its job; there once the work is done.
        ends: the events at which its work ends.
        settled: whether its ticket has retired already, because the allocator's stream waits for it.
    """

    ticket: int
    parts: Sequence[Part]
    logits: dict[int, torch.Tensor] = field(default_factory=dict)
    ends: tuple[Any, ...] = ()
    settled: bool = False


def work_of(
    forward: Forward,
    model: Model,
    device: ArenaDevice[Any],
    places: Places,
    tokens: torch.Tensor,
    memory_of: MemoryOf = PagedMemory,
) -> Work:
    """The work of a forward.

    Args:
        forward: its parts hold their pages.
        model: computes.
        device: holds the rows.
        places: of the device's layout.
        tokens: int64 [jobs, positions] in device memory, where the prompts are and what was said so far.
        memory_of: finds each request's memory.
    """
    width = tokens.shape[1]

    def run() -> None:
        for job, _, share, speaks in forward.parts:
            memory = memory_of(device, places, share)
            hidden = model.hidden(tokens[job.number, share.start : share.end], memory)
            if speaks:
                logits = forward.logits[job.number] = model.logits(hidden[-1])
                tokens[job.number, share.end] = logits.argmax()

    def touches() -> Iterator[Touch]:
        for job, _, share, speaks in forward.parts:
            line = job.number * width
            yield _tokens(line + share.start, line + share.end, job, writes=False)
            if speaks:
                yield _tokens(line + share.end, line + share.end + 1, job, writes=True)
            for band in range(len(device.chain.bands)):
                table = device.table_for_work(band)
                for vid in (*share.read[band], *share.written[band]):
                    yield device.entry_touch(band, vid, writes=False)
                for vid in share.read[band]:
                    yield device.page_touch(band, int(table[vid]), writes=False)
                for vid in share.written[band]:
                    yield device.page_touch(band, int(table[vid]), writes=True)

    return Work(f"forward of {len(forward.parts)}", (Piece(run, touches),), forward.ticket)


def _tokens(begin: int, end: int, job: Job, *, writes: bool) -> Touch:
    return Touch(TOKENS, _ITEM_BYTES * begin, _ITEM_BYTES * end, writes, f"tokens of job {job.number}")
