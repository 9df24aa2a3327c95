"""The example of the documents as a file, and lives that real allocators have lived, told once more."""

from collections.abc import Iterator
from pathlib import Path

import msgspec

from fuzz.peers.process import Ended, Said

ROOT = Path(__file__).parents[2]
RECORDED = Path(__file__).parent / "recorded"


def example(folder: Path, **edits: str) -> Path:
    """The example of `docs/bring-your-own.md`, in a file of its own, with what `old` says replaced by `new`."""
    text = (ROOT / "docs/bring-your-own.md").read_text()
    code = text.split("```python\n")[1].split("```")[0]
    if edits:
        assert code.count(edits["old"]) == 1
        code = code.replace(edits["old"], edits["new"])
    path = folder / "two_bands.py"
    path.write_text(code)
    return path


def told(name: str) -> Iterator[Said | Ended]:
    """A recorded life, call by call."""
    for line in (RECORDED / f"{name}.jsonl").read_bytes().splitlines():
        ended = line.startswith(b'{"broken"')
        yield msgspec.json.decode(line, type=Ended) if ended else msgspec.json.decode(line, type=Said)
