"""What the page on transfers shows is so."""

import re

import pytest

from tests.house.walls import ROOT


def test_the_code_for_transfers_runs(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs/pages/transfer.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 6
    exec(compile("\n".join(blocks), "transfer.md", "exec"), {})
    give, gate, withheld = capsys.readouterr().out.splitlines()
    assert give.startswith("Give(name='request 1', attempt='decode 1/1'")
    assert gate == "1 1"
    assert withheld == "[0, 0, 0]"
