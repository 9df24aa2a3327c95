"""What the blocks of the pool hold and who refers to them, as it follows from the calls and the rows."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from fuzz.peers.inside.driver import Broken
from fuzz.peers.inside.tape import Tape

BLOCK_BYTES = 256
"""What a block counts for in the trace, which knows one band of them."""

Rows = dict[tuple[str, int, int], int]
"""By request, group and place in its row: the block."""

Shown = tuple[int, int]
"""What a block holds: the last position that was written to it, and the digest of all tokens up to there."""


@dataclass
class Step:
    """Work in flight: the blocks that it reads, with what they must show then, and those that it writes.

    Attributes:
        ticket: its number in the trace.
        request: whose work it is.
        tokens: that it computes.
        reads: by block.
        writes: by block: what it will show.
    """

    ticket: int
    request: str
    tokens: int
    reads: dict[int, Shown] = field(default_factory=dict)
    writes: dict[int, Shown] = field(default_factory=dict)


class BlockLedger:
    """Writes the trace of one pool: blocks are pages of one band, and their own virtual ids."""

    def __init__(self, tape: Tape, producer: str, model: str, blocks: int) -> None:
        self.tape = tape
        self.references: Counter[int] = Counter()
        self.shown: dict[int, Shown] = {}
        self.flying: list[Step] = []
        self._next_ticket = self._next_mark = 1
        tape.write(
            "header",
            *(1, producer, model, [["blocks", BLOCK_BYTES, 0, 16]]),
            # block 0 is the null block, which is nobody's
            *(BLOCK_BYTES, blocks * BLOCK_BYTES, 1, blocks),
        )
        tape.write("snapshot", [[1, blocks, [], [], [], [], [], []]], [], {}, 1, [])

    def gone(self, blocks: Iterable[int]) -> None:
        """References that were given up."""
        blocks = list(blocks)
        if blocks:
            self.tape.said("release", 0, blocks)
            self.references.subtract(blocks)

    def come(self, blocks: Iterable[int]) -> None:
        """References that were taken: to blocks that were in no use, and to others."""
        fresh: list[int] = []
        shared: list[int] = []
        for block in blocks:
            (shared if self.references[block] or block in fresh else fresh).append(block)
        if fresh:
            self.tape.begin("allocate", [len(fresh)])
            self.tape.steps([["step.allocate", 0, fresh, fresh]])
            self.tape.end("done", [fresh])
        for block in shared:
            self.tape.said("share", 0, [block])
        self.references.update([*fresh, *shared])

    def launch(
        self, request: str, tokens: int, reads: dict[int, Shown], writes: dict[int, Shown], user: str = "forward"
    ) -> Step:
        """Work begins."""
        step = Step(self._next_ticket, request, tokens, reads, writes)
        self._next_ticket += 1
        stream = None if user == "transfer" else "forward"
        self.tape.said("open", step.ticket, user, stream)
        shared = [block for block in writes if self.references[block] != 1]
        if shared:
            raise Broken("sole-writer", f"request {request} writes blocks {shared}, to which others refer too")
        filling = [
            block
            for each in self.flying
            if not each.tokens
            for block in each.writes
            if block in reads or block in writes
        ]
        if filling:
            raise Broken("content", f"request {request} uses blocks {filling}, which a transfer to another is filling")
        only_read = [block for block in reads if block not in writes]
        for mode, blocks in (("read", only_read), ("write", list(writes))):
            if blocks:
                self.tape.said("hold", step.ticket, 0, mode, blocks)
        if writes:
            marks = list(range(self._next_mark, self._next_mark + len(writes)))
            self._next_mark += len(writes)
            self.tape.said("issue", step.ticket, 0, list(writes), marks)
        self.flying.append(step)
        return step

    def land(self, step: Step) -> None:
        """Work is over: what it read was there, and what it wrote is."""
        self.flying.remove(step)
        # where a later step of the same stream writes too, the trace follows its write alone
        arriving = [block for block in step.writes if not any(block in later.writes for later in self.flying)]
        if arriving:
            self.tape.said("land", 0, arriving)
        self.tape.said("complete", step.ticket)
        for block, wanted in step.reads.items():
            if self.shown.get(block) != wanted:
                there = "nothing" if block not in self.shown else f"position {self.shown[block][0]} of another prefix"
                raise Broken(
                    "content",
                    f"block {block}, read by request {step.request} up to its position {wanted[0]}, shows {there}",
                )
        self.shown.update(step.writes)
