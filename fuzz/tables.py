"""Whether the tables of an allocator say what the judge's state says."""

import torch

from events.records import Snapshot
from fuzz.targets.protocol import Driven
from fuzz.violation import Violation
from spec.judge.agreement import first_difference
from spec.judge.arena import JudgedArena
from spec.judge.opening import broken_invariants, opened, snapshot_problem


def check_tables(allocator: Driven, s: JudgedArena) -> None:
    """Raise Violation where the allocator's tables differ from the judge's state, or from each other.

    The property is the invariant that the allocator's own tables break, or `agreement` if they break none.
    """
    snapshot = allocator.snapshot()
    difference = first_difference(s, snapshot)
    if difference:
        raise Violation(_broken_by(allocator, snapshot), difference)
    try:
        allocator.check()
    except AssertionError as error:
        raise Violation("agreement", f"the allocator's own check of its tables fails: {error}") from error


def _broken_by(allocator: Driven, snapshot: Snapshot) -> str:
    header = allocator.header()
    if snapshot_problem(header, snapshot):
        return "agreement"
    return next((broken.name for broken in broken_invariants(opened(header, snapshot))), "agreement")


def check_replica(allocator: Driven, s: JudgedArena) -> None:
    """Raise Violation where the page table that kernels read sends a living id to a page where it does not live."""
    tables = [_in_host_memory(allocator.page_table(band)) for band in range(s.bands)]
    page_of = s.page_of
    for place in s.refs:
        band, vid = place
        if tables[band][vid] != page_of[place]:
            raise _wrong_page(allocator, band, vid, page_of[place], tables[band][vid])


def _in_host_memory(table: torch.Tensor) -> memoryview:
    """A page table's numbers, one by one."""
    return (table if table.is_cpu else table.cpu()).numpy().data


def _wrong_page(allocator: Driven, band: int, vid: int, judged: int, found: int) -> Violation:
    """What it means that a kernel finds a living id at another page than the trace says.

    If the allocator's own table says the same as the kernel's, it is the trace that is wrong.
    """
    if int(allocator.translate(band, [vid])[0]) == found:
        problem = f"the trace says that id {vid} of band {band} lives at page {judged}, and it lives at page {found}"
        return Violation("agreement", problem)
    problem = f"id {vid} of band {band} lives at page {judged}; a kernel finds page {found} in the page table"
    return Violation("content", problem)
