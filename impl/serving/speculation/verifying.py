"""The work of a step: the draft proposes, the target computes known tokens and guesses at once, the draft follows."""

from collections.abc import Callable, Iterator
from typing import Any

import torch

from impl.device.arena import ArenaDevice
from impl.device.runtime import Piece, Touch, Work
from impl.serving.engine.forward import TOKENS, MemoryOf
from impl.serving.engine.job import Job
from impl.serving.engine.memory import Memory
from impl.serving.engine.model import Model
from impl.serving.engine.places import places_of
from impl.serving.speculation.drafter import Drafter
from impl.serving.speculation.tables import AHEAD, FEATURES, Line, Tables
from impl.serving.speculation.turn import Step, Turn
from impl.serving.speculation.within import within

PickFor = Callable[[Job, int, int, torch.Tensor], int]
"""The guess of a job at a place of those after a position, given the draft's logits."""


def likeliest(job: Job, position: int, place: int, logits: torch.Tensor) -> int:
    """The token that the draft holds for the likeliest."""
    return int(logits.argmax())


class Verifier:
    """Makes the work of steps.

    Args:
        model: the target.
        drafter: proposes.
        device: holds the rows.
        tables: hold what a step leaves for the next one.
    """

    def __init__(self, model: Model, drafter: Drafter, device: ArenaDevice[Any], tables: Tables) -> None:
        self._model, self._drafter, self._device, self._tables = model, drafter, device, tables
        self._places = places_of(band.kind for band in device.chain.bands)

    def work_of(self, step: Step, memory_of: MemoryOf, pick: PickFor) -> Work:
        """The work of a step whose turns hold their pages."""

        def run() -> None:
            for turn in step.turns:
                self._take(turn, memory_of, pick)

        def touches() -> Iterator[Touch]:
            for turn in step.turns:
                yield from self._table_touches(turn)
                yield from self._page_touches(turn)

        return Work(f"step of {len(step.turns)}", (Piece(run, touches),), step.ticket)

    def _take(self, turn: Turn, memory_of: MemoryOf, pick: PickFor) -> None:
        tables, drafter, share = self._tables.of(turn.job), self._drafter, turn.share
        begin, end, last = share.start, share.end, turn.last_known

        def memory(first: int, beyond: int) -> Memory:
            return memory_of(self._device, self._places, within(self._device.chain, share, first, beyond))

        text = tables.tokens[begin : last + 1]
        if turn.drafts:
            if begin < last:
                # the target was here before; these pages are new, and have no rows of the draft yet
                tables.ahead[begin:last] = drafter.extend(tables.features[begin:last], text[1:], memory(begin, last))
            proposal = drafter.propose(
                tables.ahead[last - 1],
                tables.tokens[last],
                last,
                turn.drafts,
                memory,
                lambda place, logits: pick(turn.job, last, place, logits),
            )
            turn.guessed, turn.proposing = proposal
            text = torch.cat([text, turn.guessed])
        outputs = self._model.outputs(text, memory(begin, end))
        tables.features[begin:end] = drafter.features(outputs)
        if turn.speaks:
            turn.logits = self._model.logits(self._model.finished(outputs[-1][last - begin :]))
            turn.said = turn.logits.argmax(-1)
            tables.tokens[last + 1 : end + 1] = turn.said
        self._follow(turn, tables, memory)

    def _follow(self, turn: Turn, tables: Line, memory: Callable[[int, int], Memory]) -> None:
        """Write the draft's rows again from what the target has given now, so that they are final where it agrees."""
        first, end = (turn.last_known if turn.drafts else turn.share.start), turn.share.end
        following = tables.tokens[first + 1 : end + 1]
        tables.ahead[first:end] = self._drafter.extend(tables.features[first:end], following, memory(first, end))

    def _table_touches(self, turn: Turn) -> Iterator[Touch]:
        share, last = turn.share, turn.last_known
        yield self._tables.touch(TOKENS, turn.job, share.start, share.end + 1 - turn.drafts, writes=False)
        if turn.speaks:
            yield self._tables.touch(TOKENS, turn.job, last + 1, share.end + 1, writes=True)
        for memory in (FEATURES, AHEAD):
            if turn.drafts:
                yield self._tables.touch(memory, turn.job, last - 1, last, writes=False)
            yield self._tables.touch(memory, turn.job, share.start, share.end, writes=True)

    def _page_touches(self, turn: Turn) -> Iterator[Touch]:
        device, share = self._device, turn.share
        for band in range(len(device.chain.bands)):
            table = device.table_for_work(band)
            for ids, writes in ((share.read[band], False), (share.written[band], True)):
                for vid in ids:
                    yield device.entry_touch(band, vid, writes=False)
                    yield device.page_touch(band, int(table[vid]), writes=writes)
