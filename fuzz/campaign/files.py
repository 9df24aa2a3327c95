"""Files that are whole at any moment, whatever ends this process."""

import os
import re
from pathlib import Path
from typing import Final

_LONGEST_NAME: Final = 80
"""Characters."""


def in_a_name(text: str) -> str:
    """A text as it may be part of the name of a file, whoever wrote it: some letters and digits of it."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", text)[:_LONGEST_NAME] or "-"


def written(path: Path, data: bytes) -> None:
    """The file has this content, and at no moment a part of it."""
    beside = path.with_name(f".{path.name}.new")
    with beside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    on_disk(path.parent)


def on_disk(folder: Path) -> None:
    """The names in a folder are on the disk."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
