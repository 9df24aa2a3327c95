"""Traces of the allocator that serves: they are legal as they are, and not when they are touched."""

import io
from collections import Counter
from random import Random
from typing import Any

import pytest

from events import records as r
from events.trace import Writer, seal
from impl.allocator import Allocator
from impl.recording import RecordedAllocator
from spec.judge.judge import judge_trace
from tests.impl.toys import Driver, random_layout


def recorded(seed: int, calls: int) -> tuple[bytes, list[Any], int]:
    """A trace as it was written, its records, and how many calls were rejected as misuses."""
    rnd = Random(seed)
    file = io.BytesIO()
    writer = Writer(file)
    records: list[Any] = []

    def record(what: r.AnyRecord) -> None:
        writer(what)
        records.append(what)

    allocator = RecordedAllocator(Allocator(random_layout(rnd, 3), 4_000), record)
    driver = Driver(allocator, rnd)
    for number in range(calls):
        driver.step()
        if number % 10 == 9:
            allocator.write_snapshot()
    writer.close()
    return file.getvalue(), [*records, r.Close(len(records))], driver.misuses


@pytest.mark.parametrize("seed", range(8))
def test_the_trace_of_an_allocator_is_legal(seed: int) -> None:
    data, records, misuses = recorded(seed, 150)
    verdict = judge_trace(io.BytesIO(data))
    assert verdict.finding is None
    assert verdict.lines == len(records)
    assert verdict.page_actions > 150
    assert {"allocate", "hold", "free", "complete"} <= set(verdict.by_action)
    assert misuses > 0


def found_at(records: list[Any]) -> int | None:
    """The line of what is found under a good seal."""
    again = [r.Close(at) if isinstance(record, r.Close) else record for at, record in enumerate(records)]
    finding = judge_trace(seal(again)).finding
    return None if finding is None else finding.line


def sort_of(record: Any) -> str:
    return "call" if isinstance(record, r.Call) else "step" if isinstance(record, r.Step) else type(record).__name__


@pytest.mark.parametrize("seed", range(2))
def test_a_touched_trace_is_not_legal_though_it_is_sealed_again(seed: int) -> None:
    _, records, _ = recorded(seed, 50)
    missed: Counter[tuple[str, str]] = Counter()
    tried: Counter[tuple[str, str]] = Counter()
    for at in range(2, len(records)):
        sort = sort_of(records[at])
        following = sort_of(records[at + 1]) if at + 1 < len(records) else ""
        touched = {
            ("dropped", sort): [*records[:at], *records[at + 1 :]],
            ("doubled", sort): [*records[: at + 1], *records[at:]],
            ("swapped", f"{sort} {following}"): [*records[:at], *records[at : at + 2][::-1], *records[at + 2 :]],
        }
        for how, others in touched.items():
            if others == records:
                continue
            tried[how] += 1
            line = found_at(others)
            missed[how] += line is None
            assert line is None or line > at - 1, (how, at)
    assert min(tried["dropped", sort] for sort in ("call", "step", "End", "Snapshot")) >= 5
    # a snapshot only says what is so, and steps of bands that do not meet may come in any order
    assert {how for how in missed if missed[how]} <= {
        ("dropped", "Snapshot"),
        ("doubled", "Snapshot"),
        ("swapped", "step step"),
    }
    assert missed["dropped", "Snapshot"] == tried["dropped", "Snapshot"]
