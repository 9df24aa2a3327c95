"""The page on the host tier: its code runs."""

import re
from pathlib import Path

import pytest

from tests.house.walls import ROOT


def test_the_code_on_the_host_tier_runs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # it keeps files
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs/pages/host.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 4
    exec(compile("\n".join(blocks), "host.md", "exec"), {})
    assert re.fullmatch(r"\d+ pages went to the host\n\d+ pages are in files\n", capsys.readouterr().out)
