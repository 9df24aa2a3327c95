"""`bandgap prove` at the command line."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from properties.admission import asking
from properties.known import weakenings
from properties.obligations import obligations
from properties.specification import AS_WRITTEN, SPECIFICATIONS
from tests.cli.command import bandgap

SENTENCE = "land.a-write-is-in-flight-to-the-page"


def prove(*arguments: str) -> subprocess.CompletedProcess[str]:
    return bandgap("prove", *arguments, columns=100)


def test_one_obligation_by_name_quoted_or_not() -> None:
    for arguments in (["allocate x bijection"], ["allocate", "x", "bijection"]):
        done = prove(*arguments)
        assert done.returncode == 0
        assert "1 of 1 obligations: 1 proved, 0 violated, 0 unknown" in done.stdout


def test_an_action_brings_what_it_must_keep_its_sentences_and_its_faults() -> None:
    done = prove("unshare", "--json")
    document = json.loads(done.stdout)
    assert done.returncode == 0
    assert document["obligations"] == len(AS_WRITTEN.invariants) + len(AS_WRITTEN.steps)
    assert [trial["name"] for trial in document["necessity"]] == ["unshare.another-reference-remains"]
    assert [trial["name"] for trial in document["faults"]] == ["unshare.counts-down-twice"]
    assert [witness["name"] for witness in document["vacuity"]] == ["unshare happens"]


def test_a_broken_guard_ends_in_a_drawn_counterexample() -> None:
    done = prove("--break", SENTENCE, "held-bytes-frozen")
    assert done.returncode == 1
    assert "violated land x held-bytes-frozen" in done.stdout
    assert "once changed: land without: a write is in flight to the page" in done.stdout
    before, after = done.stdout.split("\n  before\n")[1].split("\n  after\n")
    for part in (before, after):
        assert "├" in part
        assert "band 0" in part
    assert "^^" in after
    assert "→ garbage" in after
    assert "Judged again in plain values" in after
    assert all(len(line.rstrip()) <= 100 for line in done.stdout.splitlines())


def test_a_broken_guard_as_a_document() -> None:
    done = prove("--break", SENTENCE, "--json")
    assert done.returncode == 1
    document = json.loads(done.stdout)
    violated = [answer for answer in document["answers"] if answer["verdict"] == "violated"]
    assert {answer["property"] for answer in violated} == {"content", "held-bytes-frozen", "content-kept"}
    assert (document["violated"], document["weakening"]) == (3, SENTENCE)
    for answer in violated:
        found = answer["counterexample"]
        assert found["action"] == "land"
        assert found["false_of"]
        assert found["before"]["tables"] != found["after"]["tables"]


def test_a_rule_that_the_device_needs_is_dropped_and_the_race_is_told() -> None:
    done = prove("--break", "device/complete.all-its-accesses-are-over", "accesses-on-record")
    assert done.returncode == 1
    assert "violated device/complete x accesses-on-record" in done.stdout
    assert "pending: t0's " in done.stdout
    assert "ending[t0]: outstanding → completed" in done.stdout


def test_the_device_is_chosen_by_its_name() -> None:
    document = json.loads(prove("--list", "--json").stdout)
    of_device = [entry["name"] for entry in document["obligations"] if entry["name"].startswith("device/")]
    done = prove("device/drain", "race-free", "--json")
    proved = [answer["name"] for answer in json.loads(done.stdout)["answers"]]
    assert done.returncode == 0
    assert "device/look-up x race-free" in proved
    assert {name for name in of_device if name.startswith("device/drain x ")} < set(proved)
    assert {name for name in of_device if name.endswith(" x race-free")} < set(proved)


def test_what_cannot_be_decided_is_exit_3() -> None:
    done = prove("share x content", "--effort", "1", "--json")
    assert done.returncode == 3
    assert json.loads(done.stdout)["unknown"] == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["alocate"], "NAME = 'alocate': nothing has this name; did you mean 'allocate'"),
        (["zzzzz"], "NAME = 'zzzzz': nothing has this name; --list prints every name"),
        (["--break", "move.target"], "did you mean 'move.the-target-is-inside-its-bands-span'"),
        (["--break", SENTENCE, "share"], "NAME = 'share': the weakening does not touch it"),
        (["--effort", "0"], "--effort"),
    ],
)
def test_a_wrong_name_is_exit_2_and_near_names_are_told(arguments: list[str], told: str) -> None:
    done = prove(*arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_list_names_everything() -> None:
    text = prove("--list").stdout.splitlines()
    names = [o.name for o in (*[o for s in SPECIFICATIONS for o in obligations(s)], *asking.obligations())]
    assert {*names, *weakenings(), *asking.SEEDED} <= set(text)
    document = json.loads(prove("--list", "--json").stdout)
    groups = ("guard_sentences", "assumptions_of_theorems", "seeded_faults")
    assert [entry["name"] for group in groups for entry in document[group]] == [*weakenings(), *asking.SEEDED]
    assert [entry["name"] for entry in document["obligations"]] == names


def test_interrupted_it_says_what_it_has_and_leaves_no_process() -> None:
    command = [sys.executable, "-m", "bandgap", "prove"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        while "Necessity" not in running.stdout.readline():
            assert running.poll() is None
        children = _descendants(running.pid)
        running.send_signal(signal.SIGINT)
        rest, told = running.communicate(timeout=60)
    assert running.returncode == 3
    assert "inconclusive, stopped early" in rest
    assert told == ""
    assert children
    deadline = time.monotonic() + 30
    while any(os.path.exists(f"/proc/{pid}") for pid in children) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not [pid for pid in children if os.path.exists(f"/proc/{pid}")]


def _descendants(pid: int) -> set[int]:
    found: set[int] = set()
    new = {pid}
    while new:
        listed = subprocess.run(["ps", "-o", "pid=", "--ppid", ",".join(map(str, new))], capture_output=True, text=True)
        new = {int(child) for child in listed.stdout.split()} - found
        found |= new
    return found
