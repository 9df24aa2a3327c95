"""`bandgap judge` as it is typed."""

import array
import fcntl
import gzip
import json
import os
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from bandgap.cli import app
from events import records as r
from events.trace import Writer, seal
from tests.spec.situation import DONE, FAILED, STATE, UNPUBLISH, WINDOW, header, snapshot

LEGAL = (*UNPUBLISH, r.Compact(100), r.Moved(STATE, [0], [3]), DONE, r.Complete(99), FAILED, r.Share(WINDOW, [5]), DONE)
ILLEGAL = (*UNPUBLISH, r.Compact(100), r.Moved(STATE, [0], [2]))


def lines(*records: Any) -> list[bytes]:
    whole = [header(), snapshot(), *records]
    return list(seal([*whole, r.Close(len(whole))]))


def trace(path: Path, *records: Any) -> str:
    path.write_bytes(b"".join(lines(*records)))
    return str(path)


class Done(NamedTuple):
    """How a command ended, and what it said."""

    returncode: int
    stdout: str
    stderr: str


def judge(*arguments: str) -> Done:
    done = CliRunner(env={"COLUMNS": "100"}).invoke(app, ["judge", *arguments])
    return Done(done.exit_code, done.stdout, done.stderr)


def judge_given(given: bytes, *arguments: str) -> Done:
    """As it is typed, with something on stdin."""
    command = [sys.executable, "-m", "bandgap", "judge", "-", *arguments]
    done = subprocess.run(command, input=given, capture_output=True, check=False)
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


def document(*arguments: str) -> tuple[int, dict[str, Any]]:
    return parsed(judge(*arguments, "--json"))


def parsed(done: Done) -> tuple[int, dict[str, Any]]:
    loaded: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, loaded


def test_a_legal_trace_holds(tmp_path: Path) -> None:
    done = judge(trace(tmp_path / "a.trace", *LEGAL))
    assert (done.returncode, done.stderr) == (0, "")
    text = done.stdout
    assert f"{tmp_path}/a.trace: legal\n" in text
    assert "12 lines, 4 calls (1 misuse rejected), 3 page actions in " in text
    assert [line.split() for line in text.splitlines()[-3:]] == [["move", "1"], ["unpublish", "1"], ["share", "1"]]


def test_the_document_of_a_legal_trace(tmp_path: Path) -> None:
    code, said = document(trace(tmp_path / "a.trace", *LEGAL))
    assert code == 0
    assert said.pop("seconds") > 0
    assert said.pop("page_actions_per_second") > 0
    assert said == {
        "trace": f"{tmp_path}/a.trace",
        "goes_on_in": None,
        "outcome": "legal",
        "model": "tiny",
        "producer": "test",
        "bands": ["state", "window", "full"],
        "lines": 12,
        "calls": 4,
        "misuses": 1,
        "lost": 0,
        "page_actions": 3,
        "by_action": {"share": 1, "move": 1, "unpublish": 1},
        "finding": None,
    }


def test_an_illegal_trace_is_violated_with_line_record_property_blame_and_picture(tmp_path: Path) -> None:
    done = judge(trace(tmp_path / "a.trace", *ILLEGAL))
    assert (done.returncode, done.stderr) == (1, "")
    text = done.stdout
    for part in (
        "a.trace: illegal at line 6: ledger-gated-reuse",
        "A page that becomes live had no outstanding holder.",
        "the allocator moves page 0 of band 'state' to page 2",
        "move band 0, page 0, page 2: not so: the target is not withheld",
        "the allocator, or whatever writes its steps",
        "the arena there",
        "state   │",
        "''''",
        "as it would be",
        "^^^^",
        "ticket 3 (forward) holds page 2 of band 'state' to read, given for id 12",
    ):
        assert part in text, part


def test_the_document_of_an_illegal_trace(tmp_path: Path) -> None:
    code, said = document(trace(tmp_path / "a.trace", *ILLEGAL))
    assert code == 1
    assert said["outcome"] == "illegal"
    assert said["lines"] == 6
    history, code = said["finding"].pop("history"), said["finding"].pop("code")
    assert said["finding"] == {
        "line": 6,
        "check": "ledger-gated-reuse",
        "prose": "A page that becomes live had no outstanding holder.",
        "problem": "move band 0, page 0, page 2: not so: the target is not withheld",
        "blame": "allocator",
        "action": "move",
        "arguments": [
            {"sort": "band", "value": 0},
            {"sort": "page", "value": 0},
            {"sort": "page", "value": 2},
        ],
        "record": ["step.move", 0, [0], [2]],
        "record_in_words": "the allocator moves page 0 of band 'state' to page 2",
        "bytes": [
            "bytes 0 to 100, page 0 of band 'state': acted on",
            "bytes 200 to 300, page 2 of band 'state': acted on",
        ],
        "facts": ["ticket 3 (forward) holds page 2 of band 'state' to read, given for id 12"],
    }
    assert (history["line"], history["call"]) == (6, 2)
    assert history["tickets"] == ["ticket 3, a forward on stream 'main', outstanding since line 2"]
    assert [entry["line"] for entry in history["entries"]] == [2, 5, 6]
    with pytest.raises(AssertionError, match="line 6: ledger-gated-reuse"):
        exec(compile(code, "pasted", "exec"), {})


@pytest.mark.parametrize("how", ["gzip", "gzip without its name", "stdin", "gzip on stdin"])
def test_a_trace_may_be_compressed_or_piped(how: str, tmp_path: Path) -> None:
    data = b"".join(lines(*LEGAL))
    if "gzip" in how:
        data = gzip.compress(data)
    path = tmp_path / ("a.trace.gz" if how == "gzip" else "a.trace")
    path.write_bytes(data)
    code, said = parsed(judge_given(data, "--json")) if "stdin" in how else document(str(path))
    assert (code, said["outcome"], said["lines"]) == (0, "legal", 12)
    assert said["trace"] == ("stdin" if "stdin" in how else str(path))


def test_a_trace_that_is_still_written_needs_no_closing_line(tmp_path: Path) -> None:
    path = tmp_path / "a.trace"
    path.write_bytes(b"".join(lines(*LEGAL)[:-1]))
    code, said = document(str(path))
    assert (code, said["outcome"], said["finding"]["line"]) == (1, "damaged", 12)
    code, said = document(str(path), "--unfinished")
    assert (code, said["outcome"], said["lines"]) == (0, "legal", 11)


STORED = 15
"""Bytes before the data in a gzip file that stores it as it is."""


def damaged(how: str) -> bytes:
    whole = lines(*LEGAL)
    match how:
        case "empty":
            return b""
        case "binary":
            return bytes(range(256)) * 10
        case "edited":
            return b"".join(whole).replace(b'"step.move",0,[0]', b'"step.move",0,[1]')
        case "cut":
            return b"".join(whole)[:-9]
        case "half a gzip":
            return gzip.compress(b"".join(whole), compresslevel=0)[: STORED + len(b"".join(whole[:5])) + 9]
        case "no gzip":
            return b"\x1f\x8bnothing of the sort"
        case _:
            return b"".join(whole) + b"more\n"


@pytest.mark.parametrize(("how", "line"), [("edited", 6), ("cut", 12), ("half a gzip", 6), ("more", 13)])
def test_a_damaged_trace_is_violated_and_names_the_line(how: str, line: int, tmp_path: Path) -> None:
    path = tmp_path / "a.trace"
    path.write_bytes(damaged(how))
    code, said = document(str(path))
    assert (code, said["outcome"]) == (1, "damaged")
    assert (said["finding"]["line"], said["finding"]["check"], said["finding"]["blame"]) == (line, "trace", "trace")
    done = judge(str(path))
    assert (done.returncode, done.stderr) == (1, "")
    assert f"damaged at line {line}: trace" in done.stdout
    assert "the file, which is not as it was written" in done.stdout


@pytest.mark.parametrize("how", ["empty", "binary", "no gzip", "header cut", "no header", "another version"])
def test_what_is_no_trace_is_exit_2_in_one_line_with_file_line_and_remedy(how: str, tmp_path: Path) -> None:
    path = tmp_path / "a.trace"
    path.write_bytes(no_trace(how))
    done = judge(str(path))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(f"error: TRACE = '{path}': is no trace that can be judged: line 1: ")
    assert done.stderr.endswith("; give a file that a recorder wrote, from its first line on\n")
    code, said = document(str(path))
    assert (code, said["error"]["field"]) == (2, "TRACE")


def no_trace(how: str) -> bytes:
    whole = lines(*LEGAL)
    match how:
        case "header cut":
            return whole[0][:-9]
        case "no header":
            return b"".join(seal([snapshot(), r.Close(1)]))
        case "another version":
            return b"".join(seal([header(version=10**6), snapshot()]))
        case _:
            return damaged(how)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("none", "is not there; give a path, or - for stdin"),
        ("folder", "has no trace in it; give the folder that a recorder wrote to"),
        ("none/deeper", "is not there; give a path, or - for stdin"),
        ("folder/" + "x" * 300, "cannot be read: File name too long; check the path"),
    ],
)
def test_what_cannot_be_opened_is_exit_2(name: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    done = judge(str(tmp_path / name))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: TRACE = ")
    assert done.stderr.rstrip().endswith(problem)
    code, said = document(str(tmp_path / name))
    assert (code, said["error"]["field"]) == (2, "TRACE")


def test_hostile_names_reach_the_terminal_harmless(tmp_path: Path) -> None:
    evil = "\x1b[31m[bold]\u202e\x07"
    records: list[r.AnyRecord] = [header(model=evil, producer=evil), snapshot(publishers=[evil])]
    path = tmp_path / "[red]evil\x1b[0m.trace"
    path.write_bytes(b"".join(seal([*records, r.Unpublish(evil + "?"), DONE])))
    done = judge(str(path))
    assert done.returncode == 1
    text = done.stdout
    assert not set(text) & {"\x1b", "\u202e", "\x07"}
    assert "\\x1b[31m[bold]\\u202e\\x07?" in text
    assert "[red]evil\\x1b[0m.trace" in text


def test_an_arena_of_hostile_size_is_drawn_all_the_same(tmp_path: Path) -> None:
    bands = [r.Band("state", 1, 0, 1), r.Band("full", r.WIDEST, -r.WIDEST, 16)]
    opening: list[r.AnyRecord] = [
        r.Header(r.VERSION, "", "", bands, 0, r.WIDEST, 0, 2),
        r.Snapshot(
            [
                r.BandState(0, r.WIDEST, [], [], [], [], [], []),
                r.BandState(2, 2, [], [], [], [], [], []),
            ],
            [],
            {},
            0,
            [],
        ),
    ]
    path = tmp_path / "a.trace"
    path.write_bytes(b"".join(seal([*opening, r.Compact(0), r.GrewHigh(0, 1)])))
    done = judge(str(path))
    assert (done.returncode, done.stderr) == (1, "")
    assert "inside-arena" in done.stdout
    assert "as it would be" in done.stdout


@pytest.mark.parametrize("as_json", [False, True])
def test_an_interrupt_gives_what_there_is_and_is_inconclusive(as_json: bool, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    command = [sys.executable, "-m", "bandgap", "judge", str(pipe), *["--json"] * as_json]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with process, pipe.open("wb", buffering=0) as writing:
        # far more than fits into pipes and buffers, so that most of it is judged when the last of it is taken
        writing.write(b"".join(lines(*[r.Share(WINDOW, [5]), DONE] * 10_000)[:-1]))
        while _unread(writing.fileno()):
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    assert (process.returncode, err) == (3, b"")
    if as_json:
        said = json.loads(out)
        assert (said["outcome"], said["finding"]) == ("interrupted", None)
        # it may come in the middle of a call
        assert 9_000 < said["by_action"]["share"] <= said["calls"] <= said["by_action"]["share"] + 1 <= 10_001
    else:
        assert b"interrupted so far" in out
        assert b" calls, " in out


def _unread(pipe: int) -> int:
    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


def test_in_the_second_file_of_a_trace_it_is_told_from_that_file_alone(tmp_path: Path) -> None:
    with (tmp_path / "a.trace").open("wb") as file:
        first = Writer(file)
        for record in (header(), snapshot()):
            first(record)
        first.continue_in("a-2.trace")
    second = trace(tmp_path / "a-2.trace", *ILLEGAL)
    code, said = document(str(tmp_path / "a.trace"), "--follow")
    assert (code, said["trace"], said["finding"]["line"]) == (1, second, 6)
    assert [entry["line"] for entry in said["finding"]["history"]["entries"]] == [2, 5, 6]


def test_a_pipe_is_judged_without_being_read_twice(tmp_path: Path) -> None:
    code, said = parsed(judge_given(b"".join(lines(*ILLEGAL)), "--json"))
    assert (code, said["finding"]["line"]) == (1, 6)
    assert (said["finding"]["history"], said["finding"]["code"]) == (None, "")
