"""The arena's bytes as the rows of a layer."""

from typing import Final

import torch

from impl.chain import BandGeometry
from impl.layout import DType, Row

TORCH_DTYPES: Final = {
    DType.FP32: torch.float32,
    DType.BF16: torch.bfloat16,
    DType.FP16: torch.float16,
    DType.FP8_E4M3: torch.float8_e4m3fn,
    DType.UINT8: torch.uint8,
}


def row_view(arena: torch.Tensor, band: BandGeometry, row: Row) -> torch.Tensor:
    """A row of every entry of a band: [entries, *row.shape] in the row's dtype, on the bytes of a flat uint8 arena."""
    itemsize = row.dtype.itemsize
    begin, stride = band.origin + row.offset, band.kind.entry_bytes
    assert begin % itemsize == stride % itemsize == 0, "rows are aligned for their dtype"
    strides = [1]
    for extent in reversed(row.shape[1:]):
        strides.append(strides[-1] * extent)
    typed = arena.view(TORCH_DTYPES[row.dtype])
    return typed.as_strided(
        (band.entries, *row.shape), (stride // itemsize, *reversed(strides[: len(row.shape)])), begin // itemsize
    )


def page_view(arena: torch.Tensor, band: BandGeometry) -> torch.Tensor:
    """Every page of a band as bytes: [pages, page_bytes], on the bytes of a flat uint8 arena."""
    return arena.as_strided((band.limit, band.page_bytes), (band.page_bytes, 1), band.origin)
