"""Pages in files, the level below the host's memory: each by itself, and taken for nothing unless it is whole."""

import hashlib
import os
import struct
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from impl.chain import BandGeometry
from impl.serving.host.digests import DIGEST_BYTES
from impl.serving.host.pages import Place

_MAGIC: Final = b"bandgap page 1\n\0"
_HEADER: Final = struct.Struct(f"<16s {DIGEST_BYTES}s {DIGEST_BYTES}s 32s Q")
"""The magic, the fingerprint, the digest of the text, the kind's name, and the bytes of the page."""
_CHECKSUM_BYTES: Final = 32


class Files:
    """A page is in a file by itself: a header that says what it is, the page's whole envelope, a checksum of both.

    A file appears under its name when all of it is written. One that is torn, changed, of another page or of another
    fingerprint is as good as none, and is removed. Nothing else is ever removed: how much is kept, and for how long,
    is for those who own the folder to say.

    Args:
        folder: is made if it is not there; several engines may have the same one.
        fingerprint: see `fingerprint_of`.
        bands: of the chain.
    """

    def __init__(self, folder: Path, fingerprint: bytes, bands: Sequence[BandGeometry]) -> None:
        self._fingerprint, self._bands = fingerprint, bands
        self._folder = folder / fingerprint.hex()
        self._folder.mkdir(parents=True, exist_ok=True)
        # whose file could not be read, or was not whole
        self._unusable: set[Place] = set()
        self.rejected = self.failed = 0

    def path_of(self, place: Place) -> Path:
        """Where a page is kept."""
        return self._folder / f"{self._bands[place.band].name}-{place.digest.hex()}"

    def has(self, place: Place) -> bool:
        """Whether there is a file of that name; whether it is whole shows when it is read."""
        return place not in self._unusable and self.path_of(place).exists()

    def get(self, place: Place) -> bytes | None:
        """The bytes of a page, or None if there is no whole file of it."""
        path = self.path_of(place)
        try:
            found = path.read_bytes()
        except OSError:
            self._unusable.add(place)
            return None
        header, whole = self._header(place), found[:-_CHECKSUM_BYTES]
        if not whole.startswith(header) or found != whole + _checksum(whole):
            self.rejected += 1
            self._unusable.add(place)
            with suppress(OSError):
                path.unlink(missing_ok=True)
            return None
        return whole[len(header) :]

    def put(self, place: Place, content: bytes) -> None:
        """Keep a page, unless it is kept already or the disk fails, which is counted: a page less is no harm."""
        path = self.path_of(place)
        if self.has(place):
            return
        whole = self._header(place) + content
        # a process may have several, and write the same page at once
        unfinished = self._folder / f".{path.name}-{os.getpid()}-{id(self)}"
        try:
            with unfinished.open("wb") as file:
                file.write(whole + _checksum(whole))
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(path)
            self._unusable.discard(place)
        except OSError:
            self.failed += 1
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)

    def _header(self, place: Place) -> bytes:
        band = self._bands[place.band]
        return _HEADER.pack(_MAGIC, self._fingerprint, place.digest, band.name.encode(), band.page_bytes)


def _checksum(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=_CHECKSUM_BYTES).digest()
