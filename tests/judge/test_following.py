"""A trace is judged while it is written, across its files, until it ends, breaks or is left alone."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner

from bandgap.cli import app
from bandgap.errors import UsageError
from bandgap.traces.following import Following, followed
from events import records as r
from events.trace import TraceError, Writer
from impl.allocator import Allocator
from impl.recording import RecordedAllocator
from impl.trace_file import TraceFile
from tests.impl.toys import Driver, random_layout
from tests.spec.situation import DONE, STATE, UNPUBLISH, header, snapshot


class Growing:
    """A file that is written piece by piece, each when its reader has nothing left to read."""

    def __init__(self, path: Path, *pieces: Callable[[], None]) -> None:
        path.touch()
        self.pieces = list(pieces)
        self.following = Following(path, wait=self.wait)

    def wait(self) -> None:
        if not self.pieces:
            raise KeyboardInterrupt
        self.pieces.pop(0)()


def appended(path: Path, data: bytes) -> Callable[[], None]:
    def append() -> None:
        with path.open("ab") as file:
            file.write(data)

    return append


def written(path: Path, *records: Any, ended: bool = True, following: str | None = None) -> bytes:
    with path.open("wb") as file:
        writer = Writer(file)
        for record in (header(), snapshot(), *records):
            writer(record)
        if following is not None:
            writer.continue_in(following)
        elif ended:
            writer.close()
    return path.read_bytes()


def test_lines_are_read_as_they_come_however_they_are_cut(tmp_path: Path) -> None:
    data = written(tmp_path / "whole", r.Drain(), DONE)
    rnd = Random(0)
    cuts = sorted(rnd.sample(range(1, len(data)), 12))
    path = tmp_path / "a.trace"
    pieces = [appended(path, data[one:other]) for one, other in zip([0, *cuts], [*cuts, len(data)], strict=True)]
    growing = Growing(path, *pieces)
    assert list(growing.following.records()) == [header(), snapshot(), r.Drain(), DONE, r.Close(4)]
    assert not growing.pieces


def test_the_next_file_is_followed_and_its_snapshot_must_agree(tmp_path: Path) -> None:
    written(tmp_path / "a.trace", *UNPUBLISH, following="a-2.trace")
    written(tmp_path / "a-2.trace", r.Drain(), DONE)
    said = followed(str(tmp_path / "a.trace"))
    assert said.outcome == "illegal"
    assert said.finding is not None
    # the snapshot of the second file still names who unpublished in the first
    assert (said.finding.check, said.finding.line, said.trace) == ("agreement", 2, str(tmp_path / "a-2.trace"))


def test_a_trace_in_several_files_is_judged_as_one(tmp_path: Path) -> None:
    rnd = Random(7)
    with TraceFile(tmp_path / "a.trace", rotate_records=60, every=0.001) as trace:
        driver = Driver(RecordedAllocator(Allocator(random_layout(rnd, 3), 4_000), trace), rnd)
        for _ in range(200):
            driver.step()
            time.sleep(0.0005)
    assert len(list(tmp_path.iterdir())) >= 3
    said = followed(str(tmp_path / "a.trace"))
    assert (said.outcome, said.verdict.lost) == ("legal", 0)
    assert said.trace == str(trace.path)
    assert said.verdict.calls > 150


def test_a_file_of_another_trace_is_found(tmp_path: Path) -> None:
    written(tmp_path / "a.trace", following="b.trace")
    with (tmp_path / "b.trace").open("wb") as file:
        Writer(file)(header(model="another"))
    finding = followed(str(tmp_path / "a.trace")).finding
    assert finding is not None
    assert (finding.check, finding.blame, finding.line) == ("trace", "trace", 1)


@pytest.mark.parametrize("name", ["../b.trace", "/etc/passwd", "", ".", ".."])
def test_a_trace_cannot_lead_elsewhere(tmp_path: Path, name: str) -> None:
    written(tmp_path / "a.trace", following=name)
    with pytest.raises(TraceError, match="no name of a file beside it"):
        list(Following(tmp_path / "a.trace").records())


def test_whoever_leaves_a_trace_alone_has_judged_what_there_was(tmp_path: Path) -> None:
    written(tmp_path / "a.trace", r.Drain(), DONE, ended=False)
    growing = Growing(tmp_path / "a.trace")
    with pytest.raises(KeyboardInterrupt):
        list(growing.following.records())
    assert growing.following.waiting


def test_a_compressed_trace_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a.trace").write_bytes(b"\x1f\x8b\x08")
    with pytest.raises(UsageError, match="is compressed"):
        followed(str(tmp_path / "a.trace"))
    with pytest.raises(UsageError, match="cannot be read"):
        followed(str(tmp_path / "b.trace"))


def test_lost_records_make_it_inconclusive(tmp_path: Path) -> None:
    written(tmp_path / "a.trace", r.Drain(), r.Lost(3), snapshot(), r.Drain(), DONE)
    for arguments in (["judge"], ["judge", "--follow"]):
        done = CliRunner().invoke(app, [*arguments, str(tmp_path / "a.trace")])
        assert done.exit_code == 3
        assert "inconclusive" in done.stdout
        assert "3 records lost: what happened until the next snapshot is not known" in done.stdout


def test_what_is_illegal_after_the_loss_is_still_found(tmp_path: Path) -> None:
    written(tmp_path / "a.trace", r.Lost(3), snapshot(), *UNPUBLISH, r.Compact(100), r.Moved(STATE, [0], [2]))
    said = followed(str(tmp_path / "a.trace"))
    assert said.finding is not None
    assert (said.outcome, said.finding.check) == ("illegal", "ledger-gated-reuse")


def test_the_command_follows_a_trace_until_it_is_interrupted(tmp_path: Path) -> None:
    path = tmp_path / "a.trace"
    data = written(path, r.Drain(), DONE, ended=False)
    path.write_bytes(data[:-5])
    command = [sys.executable, "-m", "bandgap", "judge", "--follow", str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as judging:
        while not os.path.samestat(os.stat(path), _waits_for(judging.pid, path)):
            time.sleep(0.05)
        appended(path, data[-5:])()
        time.sleep(1.0)
        judging.send_signal(signal.SIGINT)
        said, complained = judging.communicate(timeout=60)
    assert (judging.returncode, complained) == (0, "")
    assert "legal so far" in said
    assert "4 lines, 1 call" in said


def _waits_for(pid: int, path: Path) -> os.stat_result:
    """The file that a process has open, if it is this one yet; else some other."""
    for open_file in Path(f"/proc/{pid}/fd").iterdir():
        try:
            if open_file.resolve() == path.resolve():
                return os.stat(path)
        except OSError:
            continue
    return os.stat("/")
