"""One of SGLang's allocators as its driver sees it: bands, bytes, what was given, and whoever uses it."""

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any, Final

import torch

from fuzz.peers.inside.tape import Tape
from fuzz.peers.inside.witness import BandMade, Chain, Place, Witness, Work
from fuzz.targets.sglang.building import IS_OLD, built
from fuzz.targets.sglang.given import Given, is_there
from fuzz.targets.sglang.members import Member
from fuzz.targets.sglang.streams import Event, Stream

PARTS: Final = (("state", "mamba_allocator"), ("window", "swa_attn_allocator"), ("full", "full_attn_allocator"))
"""Our kinds in the order of a chain, and what SGLang calls their parts."""


class Arena:
    """An allocator, its witness, and what is in flight."""

    def __init__(self, setup: str, tape: Tape) -> None:
        self.allocator = built(setup)
        self.lazy = bool(self.allocator.lazy_compaction)
        self.members = [Member(kind, getattr(self.allocator, part)) for kind, part in _parts(self.allocator)]
        self.band = {member.kind: number for number, member in enumerate(self.members)}
        self.part = {member.kind: member.part for member in self.members}
        self.page_tokens = int(self.allocator.page_size)
        self.forwards = Stream()
        if not self.lazy:
            for member in self.members:
                member.part.forward_stream = self.forwards
        arena = memoryview(self.allocator.unified_buffer._raw.numpy()).cast("B")
        self.witness = Witness(tape, self._chain(setup), arena, lambda: [member.look() for member in self.members])
        self.pages: dict[str, Given] = {}
        self.states: dict[str, Given] = {}
        self.event: Event | None = None
        self.flying: Work | None = None
        self.open_gates = {"disagg": True, "host": True}
        self.gates: list[str] = []
        if self.lazy:
            self._install("disagg", "set_disagg_move_gate")
            self._install("host", "set_host_transfer_move_gate")

    def _install(self, who: str, setter: str) -> None:
        """A gate, where this release has one for this chain."""
        if hasattr(self.allocator, setter):
            getattr(self.allocator, setter)(lambda: self.open_gates[who])
        elif IS_OLD and who == "disagg":
            # of a chain with windows each member takes one, and nothing takes one for all
            for member in self.members:
                member.part.disagg_move_gate = lambda: self.open_gates[who]
        else:
            return
        self.gates.append(who)

    def _chain(self, setup: str) -> Chain:
        first, last = self.members[0], self.members[-1]
        return Chain(
            producer=f"sglang {version('sglang')}",
            model=setup,
            bands=[BandMade(each.kind, each.page_bytes, 0, each.part.page_size) for each in self.members],
            # page 0 of every band is its sink
            base=max(each.page_bytes for each in self.members),
            capacity=self.allocator.unified_buffer.total_bytes,
            bottom=first.part.min_page_index,
            top=last.part.num_pages,
            clean=frozenset() if IS_OLD else frozenset(self.band) - {"state"},
        )

    def _fits(self, how: str, given: Given, place: int) -> bool:
        if how == "full":
            return "window" in self.band and place in given.windowless
        return how != "segment" or place not in given.windowless

    def _room(self) -> int:
        """Pages that can be had at once, as the allocator says."""
        counted = self.allocator if "window" in self.band else self.part["full"]
        return int(counted.available_size()) // self.page_tokens

    def _promises(self, count: int) -> bool:
        """Whether the allocator says that so many pages of tokens can be had."""
        tokens = count * self.page_tokens
        if "window" in self.band:
            if tokens <= self.allocator.available_size():
                return True
            return not IS_OLD and bool(self.allocator.can_reserve(tokens, tokens))
        full = self.part["full"]
        return tokens <= max(int(full.available_size()), int(full.schedulable_available_size()))

    def _pages(self, tokens: int) -> int:
        return -(-tokens // self.page_tokens)

    def _last_token(self, given: Given) -> int:
        if not given.tokens:
            return -1
        place, offset = divmod(given.tokens - 1, self.page_tokens)
        return given.ids[place] * self.page_tokens + offset

    def _tokens(self, ids: Sequence[int]) -> torch.Tensor:
        return torch.tensor([vid * self.page_tokens + offset for vid in ids for offset in range(self.page_tokens)])

    def _by_band(self, **ids: Sequence[int]) -> dict[int, Sequence[int]]:
        return {self.band[kind]: some for kind, some in ids.items() if kind in self.band}

    def _places(self, label: str, place: int) -> list[Place]:
        """A page of tokens in each band that has one for it."""
        given = self.pages[label]
        kinds = ["full", *(["window"] if "window" in self.band and place not in given.windowless else [])]
        return [(self.band[kind], given.ids[place]) for kind in kinds]

    def _may_free(self, label: str, place: int) -> bool:
        """It is there, and nobody uses it: freeing it is no misuse."""
        return is_there(self.pages, label, place) and not any(
            self.witness.users_of(each) for each in self._places(label, place)
        )


def _parts(allocator: Any) -> Iterator[tuple[str, str]]:
    return ((kind, part) for kind, part in PARTS if hasattr(allocator, part))
