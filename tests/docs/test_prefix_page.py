"""The page on the prefix cache: its code does what it says."""

import re

from tests.house.walls import ROOT


def test_the_code_on_the_page_runs() -> None:
    text = (ROOT / "docs/pages/prefix.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 4
    exec(compile("\n".join(blocks), "prefix.md", "exec"), {})
