"""What excuses a finding: an owner, a reason, and a day that is not over."""

from datetime import date
from pathlib import Path

import pytest

from bandgap.errors import UsageError
from bandgap.gate.verdict import Answer
from bandgap.peers.gate import Found, PeerResult
from bandgap.peers.known import Known, excuse, expired, read_known
from fuzz.peers.hunting import Finding, Hunt
from fuzz.peers.process import Description

FINDING = Finding("small", "content", "a byte is wrong", (["alloc", "a", 1], ["flush"]))
ENTRY = """
[[finding]]
target = "vllm"
property = "content"
owner = "cache team"
reason = "known upstream"
expires = 2027-01-31
"""


def known(tmp_path: Path, text: str = ENTRY) -> tuple[Known, ...]:
    path = tmp_path / "known.toml"
    path.write_text(text)
    return read_known(path)


def test_a_finding_is_excused_until_its_last_day_and_red_again_after_it(tmp_path: Path) -> None:
    entries = known(tmp_path)
    assert excuse(FINDING, "vllm", "0.33.0", entries, date(2027, 1, 31)) == entries[0]
    assert excuse(FINDING, "vllm", "0.33.0", entries, date(2027, 2, 1)) is None
    assert expired(FINDING, "vllm", "0.33.0", entries, date(2027, 2, 1)) == entries[0]


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
    assert excuse(FINDING, "vllm", "0.33.0", entries, date(2026, 12, 1)) is None


@pytest.mark.parametrize("new", ['target = "vllm==0.33.0"', 'call = "flush"\ntarget = "vllm"'])
def test_an_entry_may_be_narrower(new: str, tmp_path: Path) -> None:
    entries = known(tmp_path, ENTRY.replace('target = "vllm"', new))
    assert excuse(FINDING, "vllm", "0.33.0", entries, date(2026, 12, 1)) == entries[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ENTRY.replace("owner", "author"), "owner"),
        (ENTRY.replace("2027-01-31", '"soon"'), "expires"),
        (ENTRY.replace("known upstream", ""), "reason"),
        (ENTRY + 'severity = "low"\n', "severity"),
        ("findings = 3\n", "more than [[finding]] tables"),
        ("[[finding", "is no TOML"),
    ],
)
def test_a_file_that_says_too_little_or_too_much_is_misused(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        known(tmp_path, text)
    assert said in caught.value.message


def result(found: Found, **more: bool) -> PeerResult:
    """A run that found one thing and exercised everything."""
    description = Description("Ours", "1", ["small"], {}, {}, [("alloc", "granted")], {})
    hunt = Hunt(1, 10, 1.0)
    hunt.outcomes["alloc", "granted"] = hunt.actions["allocate"] = 5
    return PeerResult("vllm", description, 1, hunt, (found,), None, **more)


def test_an_excused_finding_leaves_a_pass_and_a_lapsed_one_says_who_excused_it(tmp_path: Path) -> None:
    (entry,) = known(tmp_path)
    path = Path("finding.json")
    assert result(Found(FINDING, path, excused=entry)).answer is Answer.HOLDS
    lapsed = result(Found(FINDING, path, lapsed=entry))
    assert lapsed.answer is Answer.VIOLATED
    assert "cache team excused it until 2027-01-31" in lapsed.reasons[0].text


def test_an_interrupted_run_is_inconclusive_unless_it_found_something(tmp_path: Path) -> None:
    (entry,) = known(tmp_path)
    assert result(Found(FINDING, Path("f"), excused=entry), stopped=True).answer is Answer.INCONCLUSIVE
    assert result(Found(FINDING, Path("f")), stopped=True).answer is Answer.VIOLATED
