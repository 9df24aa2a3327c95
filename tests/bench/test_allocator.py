"""`bandgap bench allocator`: every figure is there. How large it is depends on the machine, and no test asks."""

import json
import math
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from bandgap.bench_report import show_measured, shown, table_of
from bandgap.exits import Exit
from bench.rows import Row
from tests.cli.command import bandgap

NAMES = [
    "allocate+free 32 pages, page size 16",
    "allocate+free 32 pages, page size 1",
    "allocate, hold, free while held, complete",
    "cost per call from 1 thousand to 1 million pages",
    "compaction of 8,192 pages, index work, 1 million pages",
    "decode step 128 requests, called per request",
    "decode step 128 requests, one batch",
    "decode step 128 requests, one batch, writes held",
    "decode step 128 requests, one batch, all held",
    "admission decision at 1 million pages, 64 tickets",
    "admission decision at 1 million pages, 64 tickets, holes",
    "admission decision at 1 million pages, 64 tickets, refused: evict",
    "admission decision at 1 million pages, 64 tickets, refused: after release",
    "page moves on the CPU, one thread, 2 MiB",
    "page moves on the CPU, one thread, 64 KiB",
    "metadata for a 141 GB arena with page size 1, time to build",
    "metadata for a 141 GB arena with page size 1, host memory when built",
    "metadata for a 141 GB arena with page size 1, host memory when all used",
    "recorder, per call",
    "recorder, written, per call",
    "recorder, step of 128 requests",
]
COLUMNS = {"name", "value", "unit", "spread", "peer", "peer_value", "ratio", "note"}
BESIDE_A_PEER = {*NAMES[:2], *NAMES[3:7]}


def _bench(*options: str) -> subprocess.CompletedProcess[str]:
    return bandgap("bench", "allocator", *options)


def test_every_figure_is_there_and_absent_peers_are_excused(tmp_path: Path) -> None:
    # one test, since the figures take many seconds even when they are measured badly
    done = _bench("--rounds", "1", "--seconds", "0.001", "--peers", str(tmp_path), "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert {"cpu", "python", "numpy", "torch", "commit", "date"} <= set(document["surroundings"])
    assert [row["name"] for row in document["rows"]] == NAMES
    for row in document["rows"]:
        _check_figure(row)
        _check_peer(row)


def _check_figure(row: dict[str, Any]) -> None:
    assert set(row) == COLUMNS
    assert row["unit"]
    assert row["note"]
    assert math.isfinite(row["value"])
    # what recording adds is a difference, which noise may turn around
    assert row["value"] > 0 or row["name"].startswith("recorder")
    assert row["spread"] is None, "one round does not vary"


def _check_peer(row: dict[str, Any]) -> None:
    if row["name"].startswith("page moves"):
        assert row["peer"].startswith("torch ")
        assert row["peer_value"] > 0
        assert row["ratio"] > 0
    else:
        assert row["peer"] is row["peer_value"] is row["ratio"] is None
    excused = row["note"].endswith("was not measured: `make peers` builds its environment.")
    assert excused == (row["name"] in BESIDE_A_PEER)


@pytest.mark.parametrize("options", [("--rounds", "0"), ("--seconds", "0")])
def test_a_senseless_pace_is_exit_2(options: tuple[str, str]) -> None:
    done = _bench(*options)
    assert done.returncode == 2
    assert options[0] in done.stderr


ONE = Row("pairs", 1.0, "pairs/s", None, None, None, None, "")


def _measured_until(*rows: Row) -> Iterator[Row]:
    yield from rows
    raise KeyboardInterrupt


def test_what_was_measured_before_somebody_stopped_it_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert show_measured(_measured_until(ONE, ONE), as_json=True, planned=3) is Exit.INCONCLUSIVE
    said = capsys.readouterr()
    assert len(json.loads(said.out)["rows"]) == 2
    assert "stopped after 2 of 3 figures" in said.err
    assert show_measured(iter([ONE]), as_json=True) is Exit.HOLDS
    with pytest.raises(KeyboardInterrupt):
        show_measured(_measured_until(), as_json=True)


def test_a_row_is_printed_for_people(tmp_path: Path) -> None:
    console = Console(width=120, record=True, file=(tmp_path / "out").open("w"))
    row = Row("pairs [fast]", 12_345.6, "pairs/s", 0.1234, "Peer 1.0", 1_000.4, 12.3456, "How many [a note].")
    console.print(*table_of([row], {"cpu": "some [cpu]"}), sep="\n")
    text = console.export_text()
    for part in (
        "pairs [fast]",
        "12,346",
        "12.3%",
        "Peer 1.0",
        "1,000",
        "12.35x",
        "How many [a note].",
        "cpu: some [cpu]",
    ):
        assert part in text
    assert (shown(0.01234), shown(999.4), shown(-0.5)) == ("0.0123", "999", "-0.5")
