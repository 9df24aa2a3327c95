"""What excuses a finding: an owner, a reason, and a day that is not over."""

from datetime import date
from pathlib import Path

import pytest

from bandgap.errors import UsageError
from bandgap.gate.verdict import Answer
from bandgap.peers.gate import Found, PeerResult
from bandgap.peers.known import Known, excuse, must_be_known, read_known
from fuzz.peers.hunting import Finding, Hunt
from fuzz.peers.process import Description

DESCRIPTION = Description("Ours", "1", ["small"], {"of-its-own": "It is."}, {}, [("alloc", "granted")], {})
FINDING = Finding("small", "content", "a byte is wrong", (["alloc", "a", 1], ["flush"]))
ENTRY = """
[[finding]]
target = "vllm"
property = "content"
owner = "cache team"
reason = "known upstream"
expires = 2027-01-31
"""


def known(tmp_path: Path, text: str = ENTRY, today: date = date(2026, 12, 1)) -> tuple[Known, ...]:
    path = tmp_path / "known.toml"
    path.write_text(text)
    return read_known(path, today)


def test_a_finding_is_excused_until_its_last_day(tmp_path: Path) -> None:
    entries = known(tmp_path, today=date(2027, 1, 31))
    assert excuse(FINDING.property, FINDING.last_call(), "vllm", "0.33.0", entries) == entries[0]


def test_a_file_with_an_entry_whose_last_day_is_over_is_misused(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        known(tmp_path, today=date(2027, 2, 1))
    assert "was the last day on which cache team excused content of vllm" in caught.value.message


def test_an_entry_for_what_cannot_break_is_misused_unless_it_is_for_another_target(tmp_path: Path) -> None:
    entries = known(tmp_path, ENTRY.replace('"content"', '"contents"'))
    must_be_known(entries, "sglang", DESCRIPTION)
    with pytest.raises(UsageError) as caught:
        must_be_known(entries, "vllm", DESCRIPTION)
    assert "did you mean content?" in caught.value.message
    must_be_known(known(tmp_path, ENTRY.replace('"content"', '"of-its-own"')), "vllm", DESCRIPTION)
    must_be_known(known(tmp_path), "vllm", DESCRIPTION)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"vllm"', '"sglang"'),
        ('"vllm"', '"vllm==0.32.0"'),
        ('"content"', '"bijection"'),
        ("owner", 'call = "alloc"\nowner'),
    ],
)
def test_an_entry_excuses_nothing_else(old: str, new: str, tmp_path: Path) -> None:
    entries = known(tmp_path, ENTRY.replace(old, new, 1))
    assert excuse(FINDING.property, FINDING.last_call(), "vllm", "0.33.0", entries) is None


@pytest.mark.parametrize("new", ['target = "vllm==0.33.0"', 'call = "flush"\ntarget = "vllm"'])
def test_an_entry_may_be_narrower(new: str, tmp_path: Path) -> None:
    entries = known(tmp_path, ENTRY.replace('target = "vllm"', new))
    assert excuse(FINDING.property, FINDING.last_call(), "vllm", "0.33.0", entries) == entries[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ENTRY.replace("owner", "author"), "owner"),
        (ENTRY.replace("2027-01-31", '"soon"'), "expires"),
        (ENTRY.replace("2027-01-31", "2027-01-31T10:00:00"), "expires"),
        (ENTRY.replace("known upstream", " "), "reason"),
        ("finding = [3]\n", "is no table"),
        (ENTRY + 'severity = "low"\n', "severity"),
        ("findings = 3\n", "more than [[finding]] tables"),
        ("[[finding", "is no TOML"),
    ],
)
def test_a_file_that_says_too_little_or_too_much_is_misused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        known(tmp_path, text)
    assert said in caught.value.message


def result(found: Found, *, stopped: bool = False) -> PeerResult:
    """A run that found one thing and exercised everything."""
    hunt = Hunt(1, 10, 1.0)
    hunt.outcomes["alloc", "granted"] = hunt.actions["allocate"] = 5
    return PeerResult("vllm", DESCRIPTION, 1, hunt, (found,), None, stopped)


def test_an_excused_finding_leaves_a_pass_and_no_other_does(tmp_path: Path) -> None:
    (entry,) = known(tmp_path)
    path = Path("finding.json")
    assert result(Found(FINDING, path, excused=entry)).answer is Answer.HOLDS
    assert result(Found(FINDING, path)).answer is Answer.VIOLATED


def test_an_interrupted_run_is_inconclusive_unless_it_found_something(tmp_path: Path) -> None:
    (entry,) = known(tmp_path)
    assert result(Found(FINDING, Path("f"), excused=entry), stopped=True).answer is Answer.INCONCLUSIVE
    assert result(Found(FINDING, Path("f")), stopped=True).answer is Answer.VIOLATED
