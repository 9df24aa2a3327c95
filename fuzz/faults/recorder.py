"""Faults of the recorder: a trace that leaves something out, and one that lies."""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from events import records as r
from fuzz.faults.fault import fault, replaced
from impl.recording import RecordedAllocator


def _written(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The recorder, where each record is changed before it is written, or left out."""

    def make(create: Callable[..., None]) -> Callable[..., None]:
        def patched(self: Any, allocator: Any, record: Callable[[Any], None]) -> None:
            def write(line: Any) -> None:
                changed = change(line)
                if changed is not None:
                    record(changed)

            create(self, allocator, write)

        return patched

    return make


@fault("recorder", "outside-is-free", "a trace that leaves out a step")
def recorder_omits_that_spans_grew() -> Iterator[None]:
    """The trace does not say that a span grew at its high side."""
    with replaced(RecordedAllocator, "__init__", _written(lambda line: None if isinstance(line, r.GrewHigh) else line)):
        yield


@fault("recorder", "agreement", "a trace that lies about a page")
def recorder_swaps_two_pages() -> Iterator[None]:
    """The trace says of two pages that were handed out that each is the home of the other's id."""

    def lie(line: Any) -> Any:
        if isinstance(line, r.Allocated) and len(line.pages) > 1:
            return replace(line, pages=[line.pages[1], line.pages[0], *line.pages[2:]])
        return line

    with replaced(RecordedAllocator, "__init__", _written(lie)):
        yield
