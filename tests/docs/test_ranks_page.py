"""What the page on ranks shows is so."""

import re

import pytest

from tests.house.walls import ROOT


def test_the_code_for_ranks_runs(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs/pages/ranks.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 5
    exec(compile("\n".join(blocks), "ranks.md", "exec"), {})
    assert capsys.readouterr().out.splitlines() == [
        "rank-agreement: the layout: ranks [0, 1] and ranks [2] differ",
        "['state', 'full'] {0, 1, 2, 3}",
        "['state', 'full'] {4, 5, 6, 7}",
    ]
