"""The bytes that stand for a value: finite numbers in every row's dtype, different for each value, row and token."""

from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch

from impl.chain import BandGeometry
from impl.layout import DType, Kind, Row
from spec.judge.page_actions import ZERO

Image = npt.NDArray[np.uint64]
"""The bytes of a page, eight at a time."""

DTYPES: Final = {
    DType.FP32: torch.float32,
    DType.BF16: torch.bfloat16,
    DType.FP16: torch.float16,
    DType.FP8_E4M3: torch.float8_e4m3fn,
    DType.UINT8: torch.uint8,
}

_INTEGERS: Final = {1: torch.uint8, 2: torch.int16, 4: torch.int32}
"""Of the same sizes, which numpy knows as well."""

# One bit of the exponent is kept 0 in every dtype, so that no pattern is infinite or a NaN. It is bit 6 of the most
# significant byte in all of them.
_FINITE = 0xBF

_CACHED_BYTES = 1 << 25


class Patterns:
    """The images of values in the pages of one band."""

    def __init__(self, band: BandGeometry, write_rows: Callable[[Row], torch.Tensor]) -> None:
        self.band = band
        self._template, self._mask = _template(band.number, band.page_bytes), _mask(band.kind, band.page_tokens)
        # leaves out what lies between rows: nobody writes there
        self.care = _care(band.kind, band.page_tokens)
        self.padded = 0 in self.care.tobytes()
        self._staged: Image = np.zeros(band.page_bytes // 8, np.uint64)
        self.take_views(write_rows)
        self._images: dict[int, bytes] = {}
        self._most_images = max(16, _CACHED_BYTES // band.page_bytes)

    def take_views(self, write_rows: Callable[[Row], torch.Tensor]) -> None:
        """Write through these views from now on."""
        staged = torch.from_numpy(self._staged.view(np.uint8)).view(self.band.page_tokens, self.band.kind.entry_bytes)
        self._pairs = [_pair(write_rows(row), _row_of(staged, row)) for row in self.band.kind.rows]

    def image(self, value: int) -> bytes:
        """The bytes of a page that shows a value; 0 between rows."""
        image = self._images.get(value)
        if image is None:
            if len(self._images) >= self._most_images:
                self._images.clear()
            image = self._images[value] = self._made(value).tobytes()
        return image

    def _made(self, value: int) -> Image:
        if value == ZERO:
            return np.zeros_like(self._template)
        made: Image = (self._template ^ _scattered(value)) & self._mask
        return made

    def write(self, page: int, value: int) -> None:
        """Write a value to a physical page through the typed views, row by row, as a kernel would."""
        self._staged[:] = np.frombuffer(self.image(value), np.uint64)
        tokens = self.band.page_tokens
        begin, end = page * tokens, (page + 1) * tokens
        for view, row in self._pairs:
            view[begin:end] = row


def _pair(view: torch.Tensor, row: torch.Tensor) -> tuple[Any, Any]:
    """Where a row of every entry is written, and that of the staged page.

    As numpy sees them where the two are alike, since it is quicker to begin a copy than torch; what is copied is the
    same, bit by bit. A view of another dtype or shape makes of numbers what torch makes of them.
    """
    if view.dtype != row.dtype or view.shape[1:] != row.shape[1:] or view.device != row.device:
        return view, row
    integers = _INTEGERS[view.itemsize]
    return view.view(integers).numpy(), row.view(integers).numpy()


def _row_of(staged: torch.Tensor, row: Row) -> torch.Tensor:
    """The staged bytes of a row of every entry, in the row's dtype and shape."""
    cut = staged[:, row.offset : row.offset + row.nbytes]
    typed = cut.view(DTYPES[row.dtype])
    strides = [prod(row.shape[axis + 1 :]) for axis in range(len(row.shape))]
    return typed.as_strided((len(staged), *row.shape), (typed.stride(0), *strides), typed.storage_offset())


# The same for every arena of a layout.


@lru_cache(64)
def _template(number: int, page_bytes: int) -> Image:
    return _kept(np.random.default_rng(number + 1).integers(0, 1 << 64, page_bytes // 8, np.uint64))


@lru_cache(64)
def _mask(kind: Kind, page_tokens: int) -> Image:
    entry = np.zeros(kind.entry_bytes, np.uint8)
    for row in kind.rows:
        cut = entry[row.offset : row.offset + row.nbytes]
        cut[:] = 0xFF
        if row.dtype is not DType.UINT8:
            # little-endian: the last byte of an element is its most significant one
            cut[row.dtype.itemsize - 1 :: row.dtype.itemsize] = _FINITE
    return _kept(np.tile(entry, page_tokens).view(np.uint64))


@lru_cache(64)
def _care(kind: Kind, page_tokens: int) -> Image:
    return _kept(np.where(_mask(kind, page_tokens).view(np.uint8) > 0, 0xFF, 0).astype(np.uint8).view(np.uint64))


def _kept(image: Image) -> Image:
    image.flags.writeable = False
    return image


def _scattered(value: int) -> np.uint64:
    """A value's own 64 bits, in which neighbours have nothing in common."""
    mixed = (value + 1) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 & 0xFFFFFFFFFFFFFFFF
    return np.uint64(mixed ^ mixed >> 27)
