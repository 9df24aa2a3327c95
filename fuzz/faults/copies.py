"""Faults in copies: of pages that a request shares and is about to write."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

import impl.allocator
from fuzz.faults.fault import fault, replaced
from fuzz.targets.own import LandingDevice
from impl.band import Band
from impl.device.immediate import ImmediateDevice
from impl.holders import Holders
from impl.numbers import Int64
from impl.steps import Steps

Method = Callable[..., Any]


def _while_copying(name: str, owner: type, make: Callable[[Method], Method]) -> Callable[[Method], Method]:
    """The step that copies, during which another function is changed."""

    def changed(copy: Method) -> Method:
        def patched(self: Any, *arguments: Any) -> None:
            with replaced(owner, name, make):
                copy(self, *arguments)

        return patched

    return changed


@contextmanager
def _copying_with(name: str, owner: type, make: Callable[[Method], Method]) -> Iterator[None]:
    with replaced(Steps, "_copy", _while_copying(name, owner, make)):
        yield


@fault("device", "content", "sglang#38521 (b)")
def copies_are_not_made() -> Iterator[None]:
    """A page that should begin as a copy shows whatever was there."""
    with _copying_with("move_pages", ImmediateDevice, lambda _: lambda *_: None):
        yield


@fault("device", "content", "sglang#31218")
def copies_are_of_the_neighbour() -> Iterator[None]:
    """The page that is copied is the one below."""

    def careless(move: Method) -> Method:
        return lambda self, band, sources, targets: move(self, band, np.maximum(sources - 1, 0), targets)

    with _copying_with("move_pages", ImmediateDevice, careless):
        yield


@fault("device", "content", "vllm#45357")
def copies_do_not_wait_for_the_writer() -> Iterator[None]:
    """A page is copied before the ticket that writes it, and was settled for that, has written."""

    def late(wait_for: Method) -> Method:
        return lambda self, ticket: self.__dict__.setdefault("late", []).append((wait_for, ticket))

    def at_last(update_table: Method) -> Method:
        def patched(self: Any, *arguments: Any) -> None:
            for wait_for, ticket in self.__dict__.pop("late", []):
                wait_for(self, ticket)
            update_table(self, *arguments)

        return patched

    with replaced(LandingDevice, "wait_for", late), replaced(ImmediateDevice, "update_table", at_last):
        yield


@fault("allocator", "content", "sglang#36731")
def writers_of_originals_are_not_settled() -> Iterator[None]:
    """A page is copied while a ticket holds it for writing."""

    def unasserted(copy: Method) -> Method:
        def patched(self: Any, band: Band, *arguments: Any) -> None:
            writers, band.holders.writers = band.holders.writers, np.zeros_like(band.holders.writers)
            try:
                copy(self, band, *arguments)
            finally:
                band.holders.writers = writers

        return patched

    with replaced(impl.allocator, "still_written", lambda _: lambda *_: ()), replaced(Steps, "_copy", unasserted):
        yield


@fault("allocator", "bijection", "trtllm#12306")
def copies_share_the_page() -> Iterator[None]:
    """A new virtual page lives where its original lives, instead of in a page of its own."""

    def careless(copy: Method) -> Method:
        def patched(self: Any, band: Band, homes: Int64, ids: Int64, originals: Int64) -> None:
            homes[:] = band.ids.page_of[originals]
            band.ids.page_of[ids] = homes
            copy(self, band, homes, ids, originals)

        return patched

    with replaced(Steps, "_copy", careless):
        yield


@fault("allocator", "transfers-meet-nothing", "sglang#9821")
def copies_are_not_queued() -> Iterator[None]:
    """Nobody remembers that the allocator's stream may still copy."""
    with _copying_with("enqueue", Holders, lambda _: lambda *_: None):
        yield


@fault("allocator", "outside-is-free", "sglang#16067")
def copying_takes_the_original_away() -> Iterator[None]:
    """Whoever copies a shared page is taken to have given up its reference, although it did not say so."""

    def careless(copy: Method) -> Method:
        def patched(self: Any, band: Band, homes: Int64, ids: Int64, originals: Int64) -> None:
            copy(self, band, homes, ids, originals)
            references = band.ids.references
            references[originals] = np.maximum(references[originals] - 1, 1)

        return patched

    with replaced(Steps, "_copy", careless):
        yield
