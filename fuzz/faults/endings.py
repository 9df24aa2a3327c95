"""Faults when things end: what is cleared, transfers that fail, and memory that is given back and resumed."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

import impl.allocator
from fuzz.faults.fault import fault, replaced
from impl.allocator import Allocator
from impl.device.immediate import ImmediateDevice
from impl.holders import Holders
from impl.layout import Row
from impl.numbers import NOTHING

Method = Callable[..., Any]


@fault("allocator", "references", "LMCache#3884")
def clearing_gives_up_each_page_once() -> Iterator[None]:
    """Clearing gives up one reference to each page, however many there are."""

    def careless(references: Method) -> Method:
        return lambda self, band: np.unique(references(self, band))

    with replaced(Allocator, "references", careless):
        yield


@fault("allocator", "references", "sglang#37417")
def clearing_forgets_one_band() -> Iterator[None]:
    """Clearing leaves the pages of the low end alone."""

    def careless(references: Method) -> Method:
        return lambda self, band: references(self, band) if band else NOTHING

    with replaced(Allocator, "references", careless):
        yield


@fault("allocator", "outside-is-free", "trtllm#12542")
def quarantine_lets_go() -> Iterator[None]:
    """A transfer that failed is taken to be over, although its peer may go on to touch what it holds."""

    def careless(quarantine: Method) -> Method:
        def patched(self: Any, ticket: int) -> None:
            quarantine(self, ticket)
            self._steps.retire(self._ledger.tickets[ticket], settled=False)

        return patched

    with replaced(Allocator, "quarantine", careless):
        yield


@fault("allocator", "held-bytes-frozen", "LMCache#3018")
def memory_goes_under_its_holders() -> Iterator[None]:
    """The arena's bytes are given back although tickets hold pages."""

    def careless(check_idle: Method) -> Method:
        def patched(bands: Any, ledger: Any, publishers: Any) -> None:
            with replaced(ledger, "tickets", lambda _: {}):
                check_idle(bands, ledger, publishers)

        return patched

    with replaced(impl.allocator, "check_idle", careless):
        yield


@fault("allocator", "stream-work-on-record", "pytorch#196258")
def memory_goes_under_queued_work() -> Iterator[None]:
    """The arena's bytes are given back although the allocator's stream has not caught up."""
    with replaced(Holders, "count_queued", lambda _: lambda self: 0):
        yield


@fault("device", "no-foreign-bytes", "vllm#57156")
def resumed_memory_is_not_cleared() -> Iterator[None]:
    """The sink of memory that was resumed shows whatever was there."""

    def careless(resume: Method) -> Method:
        def patched(self: Any) -> None:
            resume(self)
            self.arena[: self.chain.base] = 0x7F

        return patched

    with replaced(ImmediateDevice, "resume_memory", careless):
        yield


@fault("device", "content", "LMCache#3018")
def views_outlive_the_memory() -> Iterator[None]:
    """Whoever asked for a view before the memory was given back is given the same one afterwards."""

    def careless(view: Method) -> Method:
        def patched(self: Any, band: int, row: Row) -> torch.Tensor:
            kept = vars(self).setdefault("kept", {})
            if (band, row) not in kept:
                kept[band, row] = view(self, band, row)
            found: torch.Tensor = kept[band, row]
            return found

        return patched

    with replaced(ImmediateDevice, "view", careless):
        yield
