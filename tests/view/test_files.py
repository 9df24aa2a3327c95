"""A trace that lies in several files is drawn and judged as one, if they are all there."""

import gzip
import json
import pickle
import random
import re
import time
from pathlib import Path

import pytest

from bandgap.traces.files import files_of
from events import records as r
from events.files import numbered, numbers_of
from events.trace import Writer
from impl.allocator import Allocator
from impl.recording import RecordedAllocator
from impl.trace_file import TraceFile
from tests.impl.toys import Driver, random_layout
from tests.spec.situation import DONE, UNPUBLISH, header, snapshot
from tests.view.traces import ILLEGAL, document, judge, view, written


def in_files(folder: Path, name: str = "a.trace") -> list[Path]:
    """A trace that a recorder wrote into at least four files, in order."""
    folder.mkdir(parents=True, exist_ok=True)
    rnd = random.Random(7)
    with TraceFile(folder / name, rotate_records=60, every=0.0001) as trace:
        driver = Driver(RecordedAllocator(Allocator(random_layout(rnd, 3), 4_000), trace), rnd)
        number = 1
        while number < 4:
            driver.step()
            time.sleep(0.0005)
            number = len(list(folder.iterdir()))
    return [numbered(folder / name, each + 1) for each in range(len(list(folder.iterdir())))]


def lines_of(file: Path) -> int:
    return len(file.read_bytes().splitlines())


def continued(path: Path, *records: object, into: str | None = None, opening: object = None) -> Path:
    """A file of a trace, which goes on in another if one is named."""
    with path.open("wb") as file:
        write = Writer(file)
        for record in (opening or header(), snapshot(), *records):
            write(record)  # type: ignore[arg-type]  # they are records
        if into is None:
            write.close()
        else:
            write.continue_in(into)
    return path


@pytest.mark.parametrize("name", ["a.trace", "a.trace.gz"])
def test_files_are_drawn_as_one_however_they_are_given(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    files = in_files(folder, name)
    (folder / "notes.txt").write_text("no trace")
    shuffled = [*reversed(files[1:]), files[0]]
    pages = []
    for number, given in enumerate(([folder], shuffled, [folder / "a*.trace*"])):
        page = tmp_path / f"{number}.html"
        code, said = document(*given, "--out", page)
        assert (code, said["outcome"], said["goes_on_in"]) == (0, "legal", None)
        assert [each["file"] for each in said["files"]] == [str(file) for file in files]
        pages.append(page.read_text())
    assert pages[0] == pages[1] == pages[2]
    assert f"Lines are counted through all {len(files)} files" in pages[0]
    if name == "a.trace":
        assert said["lines"] == sum(map(lines_of, files))
        assert said["files"][1]["first_line"] == lines_of(files[0]) + 1


def test_a_row_of_files_begins_where_it_is_said_to(tmp_path: Path) -> None:
    files = in_files(tmp_path / "traces")
    code, said = document(*files[1:3], "--out", tmp_path / "a.html")
    assert (code, said["outcome"], said["lines"]) == (0, "legal", lines_of(files[1]) + lines_of(files[2]))
    assert said["goes_on_in"] == files[3].name
    assert f"it goes on in {files[3].name}, which was not given" in view(*files[1:3], "--out", tmp_path / "a.html").out
    assert f"goes on in <strong>{files[3].name}</strong>" in (tmp_path / "a.html").read_text()
    last = said["files"][1]["first_line"]
    code, said = document(*files[1:3], "--lines", f"{last}:", "--out", tmp_path / "a.html")
    assert (code, said["samples"][0]["line"] >= last) == (0, True)


def test_the_other_viewers_are_given_all_files(tmp_path: Path) -> None:
    files = in_files(tmp_path / "traces")
    perfetto, viewer = tmp_path / "a.json", tmp_path / "a.pickle"
    _, said = document(
        *files, "--out", tmp_path / "a.html", "--perfetto", perfetto, "--memory-viewer", viewer, "--lines", "3:"
    )
    events = json.loads(perfetto.read_bytes())["traceEvents"]
    begun = {event["name"]: event["ts"] for event in events if event["ph"] == "i"}
    assert begun == {f"{each['file']} begins": each["first_line"] for each in said["files"][1:]}
    assert max(event.get("ts", 0) for event in events) > said["files"][-2]["first_line"]
    (history,) = pickle.loads(viewer.read_bytes())["device_traces"]
    assert max(entry["time_us"] for entry in history) > said["files"][-2]["first_line"]


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (["a.trace", "a-3.trace", "a-4.trace"], "does not follow a.trace: .* number 2 of the trace, none was given"),
        (["a.trace", "a-4.trace"], "does not follow a.trace: .* 2 to 3 of the trace, none was given"),
        (["a.trace", "a-2.trace", "./a.trace"], "is given twice, also as a.trace"),
        ([".", "a-2.trace"], "is given twice, also as a-2.trace"),
        (["a.trace", "b/a.trace"], "has the same place in the trace as a.trace"),
        (["a.trace", "b/other.trace"], "are not files of one trace by their names"),
        (["a.trace", "-"], "is one trace by itself"),
        (["none-*.trace"], "matches no file"),
        (["b/c"], "has no trace in it; give the folder that a recorder wrote to"),
        (["renamed/a.trace", "renamed/a-2.trace"], "does not follow renamed/a.trace, .* goes on in 'b-2.trace'"),
        (["ended/a.trace", "ended/a-2.trace"], "does not follow ended/a.trace, with which its trace ends"),
    ],
)
def test_gaps_duplicates_and_strangers_are_told(
    given: list[str], problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for folder in ("b/c", "renamed", "ended"):
        Path(folder).mkdir(parents=True)
    for number in range(1, 5):
        continued(numbered(Path("a.trace"), number), into=None if number == 4 else f"a-{number + 1}.trace")
    continued(Path("b/a.trace"))
    continued(Path("b/other.trace"))
    continued(Path("renamed/a.trace"), into="b-2.trace")
    continued(Path("renamed/a-2.trace"))
    continued(Path("ended/a.trace"))
    continued(Path("ended/a-2.trace"))
    for done in (view(*given, "--out", "a.html"), judge(*given)):
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert re.search(problem, done.err), done.err
    assert not Path("a.html").exists()


def test_what_is_illegal_in_a_later_file_is_told_with_its_line_there(tmp_path: Path) -> None:
    first = continued(tmp_path / "a.trace", into="a-2.trace")
    second = written(tmp_path / "a-2.trace", *ILLEGAL)
    code, said = document(second, first, "--out", tmp_path / "a.html")
    assert (code, said["outcome"]) == (1, "illegal")
    assert {**said["finding"], "problem": ""} == {
        "line": 3 + 17,
        "file": str(second),
        "line_in_file": 17,
        "check": "bijection",
        "problem": "",
    }
    assert (
        f"illegal at line 20 (line 17 of {second}): bijection" in view(first, second, "--out", tmp_path / "a.html").out
    )
    told = judge(first, second)
    assert told.code == 1
    assert f"{second}: illegal at line 17: bijection" in told.out
    assert f"with trace_input('{second}') as source" in told.out


def test_each_file_must_begin_as_the_one_before_it_ended(tmp_path: Path) -> None:
    first = continued(tmp_path / "a.trace", *UNPUBLISH, into="a-2.trace")
    stale = continued(tmp_path / "a-2.trace")  # it names who has unpublished
    assert judge(first, stale).code == 1
    continued(tmp_path / "a-2.trace", opening=header(model="another"))
    code, said = document(first, stale, "--out", tmp_path / "a.html")
    assert (code, said["outcome"], said["finding"]["line_in_file"]) == (1, "damaged", 1)


def test_a_file_that_was_cut_ends_the_picture_there(tmp_path: Path) -> None:
    first = continued(tmp_path / "a.trace", r.Drain(), DONE, into="a-2.trace")
    second = continued(tmp_path / "a-2.trace", r.Drain(), DONE)
    first.write_bytes(first.read_bytes()[:-5])
    code, said = document(first, second, "--out", tmp_path / "a.html", "--unfinished")
    assert (code, said["outcome"], said["finding"]["line"], said["finding"]["file"]) == (1, "damaged", 5, str(first))


@pytest.mark.parametrize("first", ["a.trace", "a.trace.gz", "run-7.trace", "bare", "run-7", ".hidden"])
def test_every_file_of_a_row_is_known_by_its_name(first: str) -> None:
    plain = first.removesuffix(".gz")
    names = [numbered(Path(first), number).name for number in range(1, 13)]
    assert [numbers_of(name)[plain] for name in names] == list(range(1, 13))


def test_files_are_put_in_order_by_number_and_not_by_letter(tmp_path: Path) -> None:
    names = [str(numbered(tmp_path / "run-7.trace", number)) for number in range(2, 12)]
    assert list(files_of(sorted(names))) == names


def test_a_file_that_was_compressed_later_is_still_of_its_trace(tmp_path: Path) -> None:
    first = continued(tmp_path / "a.trace", into="a-2.trace")
    second = continued(tmp_path / "a-2.trace", into="a-3.trace")
    packed = tmp_path / "a-2.trace.gz"
    packed.write_bytes(gzip.compress(second.read_bytes()))
    third = continued(tmp_path / "a-3.trace")
    code, said = document(first, packed, third, "--out", tmp_path / "a.html", "--lines", ":5")
    assert (code, [each["first_line"] for each in said["files"]]) == (0, [1, 4])


def test_only_the_first_file_is_followed(tmp_path: Path) -> None:
    first = continued(tmp_path / "a.trace", into="a-2.trace")
    done = judge("--follow", first, continued(tmp_path / "a-2.trace"))
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "give the first alone: it says which comes next" in done.err
