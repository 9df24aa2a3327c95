"""What broke in another's allocator is explained as far as the driver's trace shows it."""

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from bandgap.peers.explaining import Driven, calls_of, explained, pasted
from bandgap.peers.telling import show_life
from bandgap.pictures import Look
from bandgap.verbs.gate import run as gate
from bandgap.verbs.reproduce import run as reproduce
from fuzz.peers.hunting import Finding
from fuzz.peers.lives import Lived, judged
from fuzz.peers.process import Description, Ended, Said
from tests.peers.sample import ROOT, example, told

DESCRIPTION = Description("Theirs", "1", ["small"], {"references": "A block counts who refers to it."}, {}, [], {})


def lived(name: str, broken: tuple[str, str] | None = None) -> tuple[Lived, Finding]:
    """A recorded life and what broke in it; at the end of one that holds, something may be said to have broken."""
    life = [said for said in told(name) if isinstance(said, Said)] if broken else list(told(name))
    ended = judged([*life, Ended(broken)] if broken else life)
    assert ended.broke is not None
    return ended, Finding("small", ended.broke.property, ended.broke.problem, tuple(ended.script))


def test_a_move_under_a_writer_has_the_page_the_id_and_the_forward_that_writes() -> None:
    life, finding = lived("sglang-moves-under-a-writer")
    violation = explained(life, finding, DESCRIPTION, Driven("sglang==0.5.23"))
    assert violation.history is not None
    assert [entry.bears for entry in violation.history.entries] == [
        "id 7 is handed out",
        "ticket 1 is still outstanding",
        "ticket 1 holds page 6 from here on, to write",
        "id 7 ought to show this write; this write to page 6 is still in flight",
        "the call in which it breaks",
        "here writers-pin breaks: required is that no ticket holds the source for writing",
    ]
    assert violation.history.tickets == ("ticket 1, a forward on stream 'forward', outstanding since line 29",)
    assert violation.before is not None
    assert violation.after is not None
    assert {mark.look for mark in violation.after.marks} == {Look.WRONG}
    assert violation.bytes[0] == "bytes 576 to 672, page 6 of band 'window': wrong"


def test_what_a_driver_sees_of_a_block_has_the_block_s_story() -> None:
    life, finding = lived("vllm-frees-twice")
    violation = explained(life, finding, DESCRIPTION, Driven("vllm"))
    assert violation.prose == "A block counts who refers to it."
    assert (violation.call, violation.target) == ("stop", "vllm")
    assert violation.traits == (("layout", ("small",)), ("target", ("vllm",)), ("call", ("land", "start", "stop")))
    assert violation.history is not None
    assert [(entry.line, entry.bears) for entry in violation.history.entries] == [
        (4, "id 3 is handed out"),
        (16, "page 3 is in no use from here on; id 3 is gone from here on"),
        (17, "here references breaks: block 3 counts -1 references, and 0 refer to it"),
    ]
    assert violation.bytes == ("bytes 768 to 1,024, page 3 of band 'blocks': wrong",)
    assert violation.before is not None
    assert len(violation.before.bands[0].pages) == 6
    assert violation.after is not None
    assert violation.after.bands[0].pages == []


@pytest.mark.parametrize(
    ("life", "problem", "pages"),
    [
        ("sglang-holds", "full: pages [59, 58] are pending, and events will give [58] back", {59, 58}),
        ("vllm-holds", "block 7 with 0 references is not in the queue", {7}),
        ("vllm-holds", "request q1 writes blocks [5, 9], to which others refer too", {5, 9}),
        ("vllm-holds", "full: block 3 of request q1 is gone too early", None),
        ("vllm-holds", "3 blocks were counted for a request, and 4 were taken", None),
    ],
)
def test_pages_are_known_by_the_words_of_their_drivers(life: str, problem: str, pages: set[int] | None) -> None:
    ended, finding = lived(life, ("conservation", problem))
    header = ended.records[0]
    bands = [band.name for band in header.bands]  # type: ignore[union-attr]  # a trace begins with one
    violation = explained(ended, finding, DESCRIPTION, Driven("theirs"))
    assert violation.after is not None
    marked = {
        (
            mark.band,
            (mark.begin - violation.after.bands[mark.band].origin) // violation.after.bands[mark.band].page_bytes,
        )
        for mark in violation.after.marks
        if mark.look is Look.WRONG
    }
    number = bands.index("full") if "full" in bands else 0
    assert marked == {(number, page) for page in pages or ()}


def test_where_no_page_is_named_those_of_the_last_call_are_told() -> None:
    _, finding = lived("vllm-frees-twice")
    short = judged(
        [*list(told("vllm-frees-twice"))[:2], Ended(("admission-sound", "one was counted, and six were taken"))]
    )
    violation = explained(short, finding, DESCRIPTION, Driven("vllm"))
    assert violation.history is not None
    assert violation.history.entries[0].bears == "; ".join(f"id {each} is handed out" for each in range(1, 5))


def test_every_call_is_told_with_its_lines() -> None:
    life, finding = lived("vllm-frees-twice")
    assert [(each.call[0], each.outcome, each.first, each.last) for each in calls_of(life)] == [
        ("start", "fresh", 3, 11),
        ("land", "done", 12, 15),
        ("stop", "freed", 16, 17),
    ]
    console = Console(file=StringIO(), width=100)
    show_life(life, explained(life, finding, DESCRIPTION, Driven("vllm")), console)
    assert isinstance(console.file, StringIO)
    said = console.file.getvalue()
    assert "  3. ['stop', 'q1']: freed (lines 16 to 17 of the trace)\n" in said
    assert "    ['stop', 'q1'],  # freed, lines 16 to 17\n" in said
    for part in ("how it came to that", "before", "after", "with running(found('vllm')) as process:"):
        assert part in said


def test_what_the_gate_and_reproduce_say_of_an_example_has_its_history_and_runs_when_pasted(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    driver = example(tmp_path, old="strict=True)) > ARENA_BYTES:", new="strict=True)) > ARENA_BYTES + 64:")
    gate(str(driver), minutes=0.01, out_folder=tmp_path / "out", as_json=True)
    answer = json.loads(capfd.readouterr().out)
    finding = next(each for each in answer["findings"] if each["property"] == "band-order")
    assert finding["history"]["entries"][-1]["bears"].startswith("here band-order breaks")
    assert [len(finding["lines"]), finding["bytes"] != []] == [finding["calls"], True]
    done = subprocess.run(
        [sys.executable, "-c", finding["code"]], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, "AssertionError: Broke(property='band-order'" in done.stderr) == (1, True)
    capfd.readouterr()
    assert reproduce(Path(finding["file"]), target=str(driver), as_json=True) == 1
    evidence = json.loads(capfd.readouterr().out)["evidence"]
    assert {name: evidence[name] for name in ("code", "history", "bytes")} == {
        name: finding[name] for name in ("code", "history", "bytes")
    }


@pytest.mark.parametrize(
    ("driven", "where"),
    [
        (Driven("sglang"), "running(found('sglang'))"),
        (Driven("sglang", checkout="/src/sglang"), "running(found('sglang', checkout=Path('/src/sglang')))"),
        (Driven("a.py", python=Path("/bin/py")), "running(found('a.py', python=Path('/bin/py')))"),
    ],
)
def test_what_is_pasted_drives_what_was_driven(driven: Driven, where: str) -> None:
    finding = Finding("small", "crash", "it", (["alloc", "a'\"\n", 1],), fault="some-fault")
    code = pasted(finding, driven)
    assert where in code
    assert "script=script, fault='some-fault'" in code
    compile(code, "pasted", "exec")
