"""Files that are whole at any moment, whatever ends this process."""

import os
from pathlib import Path


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
