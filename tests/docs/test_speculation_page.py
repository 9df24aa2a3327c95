"""The page on speculation: its code runs, and it names as many faults as are tested."""

import re

import pytest

from impl.serving.speculation.drafters import DRAFTERS
from tests.house.walls import ROOT
from tests.serving.test_speculation_faults import FAULTS


def _page() -> str:
    return (ROOT / "docs/pages/speculation.md").read_text()


def test_the_code_on_speculation_runs(capsys: pytest.CaptureFixture[str]) -> None:
    blocks = re.findall(r"```python\n(.*?)```", _page(), re.DOTALL)
    assert len(blocks) == 2
    exec(compile("\n".join(blocks), "speculation.md", "exec"), {})
    said = capsys.readouterr().out
    assert "['state', 'window10', 'window6', 'full']" in said
    accepted = re.search(r"(\d+) of (\d+) guesses were right", said)
    assert accepted is not None
    assert 0 < int(accepted[1]) < int(accepted[2])


def test_every_sort_of_draft_has_a_row_and_every_fault_is_told() -> None:
    assert re.findall(r"^\| `(\w+)` \|", _page(), re.MULTILINE) == list(DRAFTERS)
    # one line tells of three
    assert len(re.findall(r"^- ", _page(), re.MULTILINE)) + 2 == len(FAULTS)
