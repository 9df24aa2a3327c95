"""A request's memory in the arena, found through the device's page tables when the forward runs."""

from typing import Any

import torch

from impl.device.arena import ArenaDevice
from impl.device.views import TORCH_DTYPES
from impl.kernels.translation import translate
from impl.serving.engine.memory import Memory
from impl.serving.engine.places import Places
from impl.serving.engine.rounding import kept
from impl.serving.engine.share import Share


class PagedMemory(Memory):
    """Reads and writes rows through typed views; made by the forward that uses it, while it runs.

    Args:
        device: holds the bytes and the tables.
        places: of its chain.
        share: what is computed.
    """

    def __init__(self, device: ArenaDevice[Any], places: Places, share: Share) -> None:
        self._device, self._places, self._share = device, places, share
        self._rows = [
            translate(device.runtime.on_device(rows), device.table_for_work(band), geometry.kind.page_tokens)
            for band, (rows, geometry) in enumerate(zip(share.rows, device.chain.bands, strict=True))
        ]

    @property
    def start(self) -> int:
        """See `Memory.start`."""
        return self._share.start

    def append(self, layer: int, part: str, values: torch.Tensor) -> torch.Tensor:
        """See `Memory.append`: the rows of all pages that the request has."""
        view, rows, dtype = self._view(layer, part)
        view[rows[len(rows) - len(values) :]] = _plain(kept(values, dtype).reshape(len(values), *view.shape[1:]))
        return view[rows].view(dtype).double()

    def slot(self, layer: int, part: str) -> torch.Tensor:
        """See `Memory.slot`."""
        view, rows, dtype = self._view(layer, part)
        found = view[rows[0]].view(dtype).double()
        return found if self._share.start else torch.zeros_like(found)

    def put(self, layer: int, part: str, value: torch.Tensor) -> None:
        """See `Memory.put`."""
        view, rows, dtype = self._view(layer, part)
        view[rows[0]] = _plain(kept(value, dtype))

    def rounded(self, layer: int, part: str, value: torch.Tensor) -> torch.Tensor:
        """See `Memory.rounded`."""
        return kept(value, TORCH_DTYPES[self._places[layer, part].row.dtype]).double()

    def _view(self, layer: int, part: str) -> tuple[torch.Tensor, torch.Tensor, torch.dtype]:
        band, row = self._places[layer, part]
        return _plain(self._device.view(band, row)), self._rows[band], TORCH_DTYPES[row.dtype]


def _plain(values: torch.Tensor) -> torch.Tensor:
    """Without a dtype of one byte that torch cannot index by."""
    return values.view(torch.uint8) if values.dtype is torch.float8_e4m3fn else values
