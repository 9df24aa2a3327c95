"""Faults in the ledger: what tickets hold, and when they stop."""

from collections.abc import Callable, Iterator
from typing import Any

from fuzz.faults.fault import fault, replaced
from impl.numbers import Int64
from impl.steps import Steps


@fault("allocator", "outside-is-free", "sglang#35049")
def free_ignores_holders() -> Iterator[None]:
    """A page that is freed becomes a hole at once, although tickets still hold it."""

    def careless(free: Callable[..., None]) -> Callable[..., None]:
        def patched(self: Any, number: int, ids: Int64) -> None:
            holders = self._bands[number].holders
            entries, holders.entries = holders.entries, 0
            free(self, number, ids)
            holders.entries = entries

        return patched

    with replaced(Steps, "free", careless):
        yield
