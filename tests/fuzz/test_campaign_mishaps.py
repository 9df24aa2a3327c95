"""What befalls a campaign's folder: full disks, changed bytes, and files that are something else."""

import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from bandgap.campaigns.running import worked_off as asked_for
from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.verbs import fuzz
from fuzz.campaign.campaign import Head, Unfit, head_of, opened
from fuzz.campaign.journal import Damaged, Journal
from tests.fuzz.campaigns import Here, failures, head, journal, worked_off
from tests.peers.sample import example

UNITS = 4


def asked(folder: Path) -> Head:
    return head(folder / "corpus", units=UNITS)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("undisturbed")
    worked_off(folder, asked(folder))
    return folder


@pytest.mark.parametrize("written", [0, 1, 40, 2000])
def test_a_disk_that_is_full_costs_what_was_being_done_and_nothing_else(
    written: int, undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the third line of the journal there is room for so many bytes."""
    lines, write = [0], os.write

    def little(file: int, data: bytes) -> int:
        lines[0] += 1
        if lines[0] == 3 and written:
            return write(file, data[:written])
        if lines[0] >= 3:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(file, data)

    with monkeypatch.context() as patched:
        patched.setattr("fuzz.campaign.journal.os.write", little)
        with pytest.raises(Unfit, match="cannot be read or written: No space left on device") as caught:
            worked_off(tmp_path, asked(tmp_path))
    assert caught.value.remedy.startswith("make room or mend it, and the same command goes on")
    again = worked_off(tmp_path, asked(tmp_path))
    assert again.resumed == 2
    assert journal(tmp_path) == journal(undisturbed)
    assert failures(tmp_path) == failures(undisturbed)


def test_a_disk_that_is_full_when_a_failure_is_saved_loses_no_failure(
    undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sync = os.fsync

    def full(file: int) -> None:
        if os.readlink(f"/proc/self/fd/{file}").endswith(".json.new") and (tmp_path / "failures").exists():
            raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))
        sync(file)

    with monkeypatch.context() as patched:
        patched.setattr("fuzz.campaign.files.os.fsync", full)
        with pytest.raises(Unfit, match="Disk quota exceeded"):
            worked_off(tmp_path, asked(tmp_path))
    worked_off(tmp_path, asked(tmp_path))
    assert failures(tmp_path) == failures(undisturbed)


def _into_a_file(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    path.write_text("")


def _into_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("journal", _into_a_file),
        ("failures", _into_a_file),
        ("journal/lane-0000.jsonl", _into_a_folder),
        ("lock", _into_a_folder),
        ("campaign.json", _into_a_folder),
        ("snapshot.json", _into_a_folder),
        (".", _into_a_file),
    ],
)
def test_what_is_something_else_than_it_should_be_is_told_in_one_line(
    name: str, change: Any, undisturbed: Path, tmp_path: Path
) -> None:
    folder = shutil.copytree(undisturbed, tmp_path / "copy")
    change(folder / name)
    with pytest.raises(UsageError) as caught:
        asked_for(folder, msgspec.structs.replace(asked(undisturbed), units=UNITS), "local", None, lambda _: None)
    assert (caught.value.field, caught.value.message.count("\n")) == ("--out", 0)
    assert caught.value.remedy


def test_a_line_that_was_changed_anywhere_is_refused(undisturbed: Path, tmp_path: Path) -> None:
    rnd = random.Random(3)
    lane = "lane-0000.jsonl"
    whole = (undisturbed / "journal" / lane).read_bytes()
    ends = whole.index(b"\n")
    for at in (0, 1, ends - 1, *(rnd.randrange(ends) for _ in range(60))):
        changed = bytearray(whole)
        changed[at] = rnd.choice([byte for byte in b'0189-+eE.,:"\\[]{}x \x00\xff' if byte != whole[at]])
        (tmp_path / lane).write_bytes(changed)
        with pytest.raises(Damaged, match=r"line 1 of lane-0000\.jsonl is no record"):
            list(Journal(tmp_path, 1).records())


def test_a_tail_of_zeros_is_taken_for_what_was_cut(undisturbed: Path, tmp_path: Path) -> None:
    """As some disks leave it when the power goes."""
    folder = shutil.copytree(undisturbed, tmp_path / "copy")
    lane = folder / "journal" / "lane-0001.jsonl"
    lane.write_bytes(lane.read_bytes()[:-300] + bytes(4096))
    assert worked_off(folder, asked(undisturbed)).resumed == UNITS - 1
    assert journal(folder) == journal(undisturbed)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"lanes": 2', '"lanes": 0'),
        ('"lanes": 2', '"lanes": 99999999999'),
        ('"unit_calls": ', '"unit_calls": -'),
        ('"corpus": [', '"corpus": [], "corpora": ['),
    ],
)
def test_a_head_that_says_what_cannot_be_is_refused(old: str, new: str, undisturbed: Path, tmp_path: Path) -> None:
    said = (undisturbed / "campaign.json").read_text()
    assert said.count(old) == 1
    (tmp_path / "campaign.json").write_text(said.replace(old, new))
    with pytest.raises(Unfit, match=r"has a campaign\.json that cannot be read"):
        head_of(tmp_path)


def test_a_corpus_with_half_a_letter_is_read(undisturbed: Path, tmp_path: Path) -> None:
    corpus = shutil.copytree(undisturbed / "corpus", tmp_path / "corpus")
    for path in corpus.rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-1] + b"\xc3")
    with opened(tmp_path / "campaign", head(corpus, units=2)) as campaign:
        campaign.run(Here(campaign.work()))
    assert campaign.summary.calls > 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_whoever_stops_it_is_told_what_there_is(number: signal.Signals, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bandgap", "fuzz", "--out", str(tmp_path / "c"), "--corpus", str(tmp_path / "k")]
    process = subprocess.Popen(
        [*command, "--unit-calls", "300", "--minutes", "60"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    lane = tmp_path / "c" / "journal" / "lane-0000.jsonl"
    while not (lane.exists() and lane.stat().st_size):
        assert process.poll() is None, "it ended before it could be stopped"
        time.sleep(0.02)
    process.send_signal(number)
    said, _ = process.communicate(timeout=120)
    assert process.returncode == Exit.INCONCLUSIVE
    assert "it was stopped before it was over" in said
    assert "Go on: bandgap fuzz --resume" in said


def test_a_property_of_another_s_may_be_called_anything(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    driver = example(tmp_path)
    raising = "    raise Broken('../../read\\n/\\x00' + 'y' * 100, 'it is not so')\n"
    check = f"\n\nfrom fuzz.peers.inside.driver import Broken\n\n\ndef check(self):\n{raising}"
    driver.write_text(f"{driver.read_text()}{check}\n\nTwoBandsDriver.check = check\n")
    where: dict[str, Any] = {"folder": tmp_path / "campaign", "corpus": [str(tmp_path / "corpus")], "unit_calls": 30}
    assert fuzz.run(target=str(driver), units=1, as_json=True, **where) is Exit.VIOLATED
    saved = list((tmp_path / "campaign" / "failures").iterdir())
    assert saved
    assert all(file.name.startswith("-read-y") for file in saved)
    assert not list(tmp_path.parent.glob("read*"))
    capfd.readouterr()
    assert fuzz.run(target=str(driver), units=1, **where) is Exit.VIOLATED
    said = capfd.readouterr().out
    assert "breaks on small: it is not so" in said
    assert "\x00" not in said


@pytest.mark.parametrize("option", ["target", "corpus"])
def test_a_name_that_is_no_text_is_told_before_anything_is_done(option: str, tmp_path: Path) -> None:
    name = os.fsdecode(b"a\xff.py")
    wanted: dict[str, Any] = {option: name if option == "target" else [name]}
    with pytest.raises(UsageError, match="is no text that could be written down") as caught:
        fuzz.run(folder=tmp_path / "campaign", **wanted)
    assert caught.value.field == f"--{option}"
    assert not (tmp_path / "campaign").exists()


def test_clocks_that_jump_change_nothing(tmp_path: Path, undisturbed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The time of day is set back and forth, and a clock that never goes back stands still for a while."""
    rnd, really = random.Random(5), time.monotonic
    stands = [really()]
    monkeypatch.setattr(time, "time", lambda: rnd.uniform(0, 4e9))

    def monotonic() -> float:
        if rnd.random() < 0.3:
            stands[0] = max(stands[0], really())
        return stands[0]

    monkeypatch.setattr(time, "monotonic", monotonic)
    campaign = worked_off(tmp_path, asked(tmp_path))
    assert journal(tmp_path) == journal(undisturbed)
    assert all(record.seconds >= 0 for lane in journal(tmp_path).values() for record in lane)
    assert campaign.spent >= 0
