"""An allocator that does not return, or that ends its process, breaks a promise; a driver that does breaks the tool."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import fuzz.peers.hunting
import fuzz.peers.process
from bandgap.errors import UsageError
from bandgap.verbs.gate import run as gate
from fuzz.peers.environments import found
from fuzz.peers.hunting import hunt
from fuzz.peers.lives import lived
from fuzz.peers.process import Life, PeerFailed, PeerProcess, running, whereabouts
from tests.peers.sample import ROOT, example

FREE = "    def free(self, given: Sequence[Sequence[int]]) -> None:\n"
DEADLOCK = "        lock = threading.Lock()\n        lock.acquire()\n        lock.acquire()\n"
SCRIPT = (["alloc", "a", [1, 0]], ["alloc", "b", [0, 2]], ["free", "a"])


@contextmanager
def driven(folder: Path, old: str, new: str) -> Iterator[PeerProcess]:
    """The example, changed and with little patience."""
    path = example(folder, old=old, new=new)
    code = path.read_text().replace("    faults=FAULTS,\n)", "    faults=FAULTS,\n    patience=1.0,\n)")
    path.write_text("import os\nimport threading\nimport time\n" + code)
    with running(found(str(path))) as process:
        assert process.description.patience == 1.0
        yield process


@pytest.mark.parametrize("does", [DEADLOCK, "        while True:\n            pass\n"], ids=["deadlock", "loop"])
def test_a_call_that_does_not_return_is_a_finding_that_says_which_and_where(does: str, tmp_path: Path) -> None:
    with driven(tmp_path, FREE, FREE + does) as process:
        life = lived(process, Life("small", script=SCRIPT))
        after = lived(process, Life("small", script=SCRIPT[:2]))
    assert life.broke is not None
    assert (life.broke.property, life.broke.calls, life.broke.last_call) == ("hang", 3, "free")
    assert life.broke.problem.startswith('call ["free", "a"] did not return within 1 s; it is in free of two_bands.py')
    assert life.outcomes["free", "hang"] == 1
    assert after.broke is None
    assert len(after.script) == 2


def test_what_cannot_even_be_built_hangs_too(tmp_path: Path) -> None:
    old = "        self.yours = TwoBands()\n"
    with driven(tmp_path, old, "        time.sleep(60)\n" + old) as process:
        broke = lived(process, Life("small", script=SCRIPT)).broke
    assert broke is not None
    assert (broke.property, broke.calls, broke.last_call) == ("hang", 0, "build")


def test_a_call_that_ends_the_process_is_a_finding(tmp_path: Path) -> None:
    with driven(tmp_path, FREE, FREE + "        os.abort()\n") as process:
        broke = lived(process, Life("small", script=SCRIPT)).broke
        after = lived(process, Life("small", script=SCRIPT[:2])).broke
    assert broke is not None
    assert (broke.property, broke.calls) == ("crash", 3)
    assert broke.problem == 'call ["free", "a"]: its process ended with SIGABRT'
    assert after is None


def test_what_hangs_is_made_short_with_less_patience(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(fuzz.peers.hunting, "QUICK", 0.5)
    hangs = FREE + "        while self.sizes[0] > 3:\n            time.sleep(1)\n"
    with driven(tmp_path, FREE, hangs) as process:
        run = hunt(process, ["small"], 1, seconds=10, most_findings=1, shrink_seconds=3)
    (finding,) = run.findings.values()
    assert finding.property == "hang"
    assert "did not return within 1 s" in finding.problem
    assert len(finding.script) < 30
    assert finding.repeats


def test_a_driver_that_chooses_no_call_is_a_broken_tool(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    old = '        labels = list(self.given) or ["none"]\n'
    with driven(tmp_path, old, "        time.sleep(60)\n" + old) as process:
        monkeypatch.setattr(fuzz.peers.process, "PATIENCE", 0.5)
        with pytest.raises(PeerFailed, match="the driver has chosen no call for"):
            lived(process, Life("small", seed="1", calls=3))


@pytest.mark.parametrize(
    ("outcome", "said"),
    [("        return {1}", "is no JSON"), ('        return "launched", 1', "is no reply and no record")],
)
def test_a_process_that_says_what_it_should_not_is_a_broken_tool(outcome: str, said: str, tmp_path: Path) -> None:
    with driven(tmp_path, '        return "launched"', outcome) as process, pytest.raises(PeerFailed, match=said):
        lived(process, Life("small", script=(SCRIPT[0], ["use", "a"])))


@pytest.mark.parametrize(("line", "said"), [("import nothing_here", "nothing_here"), ("1 / 0", "ZeroDivisionError")])
def test_a_driver_that_raises_when_it_is_loaded_says_what_to_do(line: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "raises.py"
    path.write_text(line + "\n")
    with pytest.raises(UsageError) as caught:
        gate(str(path), out_folder=tmp_path)
    assert said in caught.value.message
    assert "--python" in caught.value.remedy


def test_a_driver_finds_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "beside_it.py").write_text("ARENA_BYTES = 30 * 64\n")
    path = example(tmp_path, old="ARENA_BYTES, TOP = 30 * 64, 30", new="from beside_it import ARENA_BYTES\n\nTOP = 30")
    with running(found(str(path))) as process:
        assert lived(process, Life("small", script=SCRIPT)).broke is None
        assert process.description.source == str(path)


@pytest.mark.parametrize("python", ["/nope", "/", "no-such-program"])
def test_a_python_that_cannot_be_run_is_misused(python: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is no program that can be run"):
        gate(str(example(tmp_path)), python=Path(python), out_folder=tmp_path)


def test_a_python_that_is_none_is_a_broken_tool(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="gave no answer: its process ended with exit code 1"):
        gate(str(example(tmp_path)), python=Path("/bin/false"), out_folder=tmp_path)


def dumped(*frames: tuple[str, str]) -> str:
    """What a process says of two threads, of which the last has these frames."""
    lines = [f'  File "{file}", line 7 in {name}' for file, name in frames]
    return "\n".join(["Thread 0x1:", '  File "/lib/threading.py", line 1 in wait', "", "Current thread 0x2:", *lines])


def test_where_a_process_is_tells_a_driver_of_ours_from_what_it_drives() -> None:
    main, driver = (f"{ROOT}/fuzz/peers/inside/__main__.py", "lived"), (f"{ROOT}/fuzz/targets/own.py", "make")
    theirs, runner = ("/lib/allocator.py", "flush"), ("/lib/runpy.py", "_run_code")
    assert whereabouts(dumped(driver, main, runner)) == ("; it is in make of own.py, line 7", True)
    assert whereabouts(dumped(theirs, driver, main, runner)) == ("; it is in flush of allocator.py, line 7", False)
    assert whereabouts(dumped(driver, theirs, driver, main)) == ("; it is in flush of allocator.py, line 7", False)
    assert whereabouts("") == ("", False)
