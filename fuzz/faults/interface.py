"""Faults at the interface: mistakes of the caller that are taken instead of rejected, and answers that are wrong."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np

import impl.allocator
from fuzz.faults.fault import fault, replaced
from impl.allocator import Allocator
from impl.misuse import Misuse
from impl.numbers import Int64

Method = Callable[..., Any]


@fault("allocator", "bijection", "LMCache#5005")
def releasing_twice_is_taken() -> Iterator[None]:
    """A page is given up that is not alive, and nobody says so."""

    def careless(release: Method) -> Method:
        def patched(self: Any, *arguments: Any) -> None:
            with suppress(Misuse):
                release(self, *arguments)

        return patched

    with replaced(Allocator, "release", careless):
        yield


@fault("allocator", "holdings-kept", "mini-sglang#111")
def completing_twice_is_taken() -> Iterator[None]:
    """A ticket that has retired is completed again, and nobody says so."""

    def careless(complete: Method) -> Method:
        def patched(self: Any, ticket: int) -> None:
            if ticket in self._ledger.tickets or ticket not in range(self.next_ticket):
                complete(self, ticket)

        return patched

    with replaced(Allocator, "complete", careless):
        yield


@fault("allocator", "sole-writer", "trtllm#12306")
def shared_pages_may_be_written() -> Iterator[None]:
    """A ticket is given a shared page to write."""

    def careless(checked_ids: Method) -> Method:
        def patched(*arguments: Any) -> tuple[Int64, Int64]:
            ids, references = checked_ids(*arguments)
            return ids, np.minimum(references, 1) if holding[0] else references

        return patched

    def watched(hold: Method) -> Method:
        def patched(self: Any, *arguments: Any) -> Any:
            holding[0] = True
            try:
                return hold(self, *arguments)
            finally:
                holding[0] = False

        return patched

    holding = [False]
    with replaced(Allocator, "hold", watched), replaced(impl.allocator, "checked_ids", careless):
        yield


@fault("allocator", "outside-is-free", "vllm#42571")
def the_first_release_frees() -> Iterator[None]:
    """A shared page is freed by the first who gives it up."""

    def careless(release: Method) -> Method:
        def patched(self: Any, band: int, ids: Any) -> None:
            if len(set(ids)) < len(ids):
                release(self, band, ids)
                return
            references = self._bands[band].ids.references
            known = [vid for vid in ids if 0 <= vid < len(references)]
            before = references[known]
            references[known] = np.minimum(before, 1)
            try:
                release(self, band, ids)
            except Misuse:
                references[known] = before
                raise

        return patched

    with replaced(Allocator, "release", careless):
        yield


@fault("allocator", "holders-know-tenant", "sglang#31471")
def ids_are_taken_for_pages() -> Iterator[None]:
    """A ticket is given virtual ids where physical pages are asked for."""

    def careless(hold: Method) -> Method:
        def patched(self: Any, ticket: int, band: int, ids: Any, mode: str) -> Int64:
            hold(self, ticket, band, ids, mode)
            return np.array(ids, np.int64)

        return patched

    with replaced(Allocator, "hold", careless):
        yield
