"""The files for Perfetto and for PyTorch's memory viewer are of their formats and say the same."""

import json
import pickle
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from torch.cuda import _memory_viz

from bandgap.view import memory_viewer
from tests.view.traces import ILLEGAL, LEGAL, document, written

torch_viewer: Any = _memory_viz  # it has no types
NEEDS = {
    "M": {"args"},
    "X": {"ts", "dur", "tid"},
    "C": {"ts", "args"},
    "b": {"ts", "id", "cat"},
    "e": {"ts", "id", "cat"},
}
"""What each sort of event must have, after the trace-event format's description."""


def perfetto(tmp_path: Path, *records: Any) -> list[dict[str, Any]]:
    file = tmp_path / "a.json"
    document(written(tmp_path / "a.trace", *records), "--out", tmp_path / "a.html", "--perfetto", file)
    loaded = json.loads(file.read_bytes())
    assert loaded["displayTimeUnit"] in ("ms", "ns")
    events: list[dict[str, Any]] = loaded["traceEvents"]
    return events


def test_perfetto_finds_what_its_format_asks_for(tmp_path: Path) -> None:
    events = perfetto(tmp_path, *LEGAL)
    assert {event["ph"] for event in events} == set(NEEDS)
    for event in events:
        assert NEEDS[event["ph"]] | {"pid", "name"} <= event.keys()
        assert event.get("ts", 0) >= 0
        if event["ph"] == "C":
            assert all(isinstance(value, int) and value >= 0 for value in event["args"].values())


def test_slices_in_perfetto_are_calls_with_their_steps_inside(tmp_path: Path) -> None:
    slices = [event for event in perfetto(tmp_path, *LEGAL) if event["ph"] == "X"]
    spans = sorted((event["ts"], -event["dur"], event["name"]) for event in slices)
    assert spans[1:3] == [(5, -3, "allocate"), (6, -1, "allocate")]
    ends: list[int] = []
    for begin, lasts, _ in spans:
        while ends and ends[-1] <= begin:
            ends.pop()
        assert not ends or begin - lasts <= ends[-1], "slices of one track must not cross"
        ends.append(begin - lasts)


def test_tickets_in_perfetto_begin_and_end_once(tmp_path: Path) -> None:
    events = perfetto(tmp_path, *LEGAL)
    begun = Counter((event["cat"], event["id"]) for event in events if event["ph"] == "b")
    ended = Counter((event["cat"], event["id"]) for event in events if event["ph"] == "e")
    assert set(begun.values()) == {1}
    assert ended == Counter({("copy on host", 6): 1})
    assert ended.keys() < begun.keys()


def test_counters_in_perfetto_add_up_to_the_spans(tmp_path: Path) -> None:
    counted = [event for event in perfetto(tmp_path, *LEGAL) if event["ph"] == "C" and event["name"] == "state, bytes"]
    assert [(event["ts"], event["args"]) for event in counted] == [
        (3, {"live": 200, "held": 0, "withheld": 100, "hole": 100}),
        (6, {"live": 300, "held": 0, "withheld": 100, "hole": 0}),
        (10, {"live": 200, "held": 100, "withheld": 100, "hole": 0}),
        (12, {"live": 200, "held": 0, "withheld": 200, "hole": 0}),
        (14, {"live": 200, "held": 0, "withheld": 100, "hole": 100}),
        (15, {"live": 200, "held": 0, "withheld": 100, "hole": 0}),
    ]


def test_perfetto_is_shown_where_it_breaks(tmp_path: Path) -> None:
    (mark,) = (event for event in perfetto(tmp_path, *ILLEGAL) if event["ph"] == "i")
    assert (mark["ts"], mark["name"], mark["s"]) == (17, "here bijection breaks", "g")


def snapshot_of(tmp_path: Path, *records: Any) -> dict[str, Any]:
    file = tmp_path / "a.pickle"
    document(written(tmp_path / "a.trace", *records), "--out", tmp_path / "a.html", "--memory-viewer", file)
    loaded: dict[str, Any] = pickle.loads(file.read_bytes())
    return loaded


def test_torch_reads_the_snapshot(tmp_path: Path) -> None:
    snapshot = snapshot_of(tmp_path, *LEGAL)
    assert "segments: 1" in torch_viewer.segsum(snapshot)
    assert "a = cudaMalloc" in torch_viewer.trace(snapshot)
    by_state = torch_viewer.memory(snapshot, format_flamegraph=lambda text: text)
    assert "stream_0;active_pending_free;state:3:page 2 as id 12 100" in by_state
    for plot in (torch_viewer.trace_plot(snapshot), torch_viewer.segment_plot(snapshot)):
        assert "<script" in plot


def test_the_blocks_of_the_snapshot_are_the_whole_arena(tmp_path: Path) -> None:
    (segment,) = snapshot_of(tmp_path, *LEGAL)["segments"]
    blocks = segment["blocks"]
    assert sum(block["size"] for block in blocks) == segment["total_size"] == 1000
    ends = [block["address"] + block["size"] for block in blocks]
    assert [block["address"] for block in blocks] == [segment["address"], *ends[:-1]]
    states = Counter(block["state"] for block in blocks)
    assert states["active_pending_free"] == 1
    assert states["active_allocated"] == 2 + 2 + 2


def test_the_history_of_the_snapshot_frees_what_it_allocated(tmp_path: Path) -> None:
    (history,) = snapshot_of(tmp_path, *LEGAL)["device_traces"]
    page = [(entry["action"], entry["time_us"]) for entry in history if entry["addr"] == memory_viewer.BEGINS + 300]
    assert page == [("alloc", 6), ("free_requested", 12), ("free_completed", 14)]


def test_of_a_long_history_the_last_part_is_kept_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_viewer, "MOST_ENTRIES", 3)
    file = tmp_path / "a.pickle"
    code, said = document(written(tmp_path / "a.trace", *LEGAL), "--out", tmp_path / "a.html", "--memory-viewer", file)
    (history,) = pickle.loads(file.read_bytes())["device_traces"]
    assert (code, len(history), said["memory_viewer_left_out"]) == (0, 3, 7)
