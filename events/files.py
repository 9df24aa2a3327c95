"""Where traces lie: plain files and compressed ones, and several of them in a row."""

import gzip
import re
from pathlib import Path
from typing import BinaryIO, cast

GZIP = ".gz"
OTHER_COMPRESSIONS = frozenset({".bz2", ".lz4", ".xz", ".zip", ".zst"})


def created(path: Path) -> BinaryIO:
    """A new file to write a trace to, compressed if its name ends in `.gz`; whatever was there is gone.

    Raises:
        ValueError: the name promises another compression.
        OSError: it cannot be written.
    """
    if path.suffix.lower() in OTHER_COMPRESSIONS:
        raise ValueError(f"a trace is written plainly, or compressed as {GZIP}, and not as {path.suffix}")
    # compressed without name and time: the same trace is the same file
    # `gzip` does not say that its files are binary ones
    return cast(BinaryIO, _Compressed(path)) if path.suffix.lower() == GZIP else path.open("wb")


def numbered(path: Path, number: int) -> Path:
    """The file of that number in a row, from 1: `a.trace`, `a-2.trace`, `a-3.trace` or `a.trace.gz`, `a-2.trace.gz`."""
    if number == 1:
        return path
    packed = path.suffix if path.suffix.lower() == GZIP else ""
    plain = path.with_name(path.name.removesuffix(packed))
    return path.with_name(f"{plain.stem}-{number}{plain.suffix}{packed}")


def numbers_of(name: str) -> dict[str, int]:
    """What number a file of this name may have in a row, by the plain name of the row's first file.

    `a-2.trace` may be the second file of `a.trace`, or the first of its own row; so may `a-2.trace.gz`, for whoever has
    compressed a file has not made another trace of it.
    """
    plain = Path(name.removesuffix(GZIP) or name)
    found = {plain.name: 1}
    ends = re.fullmatch(r"(.+)-(\d{1,9})", plain.stem)
    if ends and ends[2] == str(int(ends[2])) and int(ends[2]) > 1:
        found[f"{ends[1]}{plain.suffix}"] = int(ends[2])
    return found


class _Compressed(gzip.GzipFile):
    """A compressed file that does not hold its name or the time, and that closes the file it is written to."""

    def __init__(self, path: Path) -> None:
        self._raw = path.open("wb")
        super().__init__("", "wb", compresslevel=6, fileobj=self._raw, mtime=0)

    def close(self) -> None:
        try:
            super().close()
        finally:
            self._raw.close()
