"""On its way to a launch the host allocates nothing, and looks at nothing that is on the device."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any
from unittest.mock import patch

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from fuzz.kernels.arenas import ids, random_grid
from impl.kernels.canaries import Canary, check_canary, fill_canary
from impl.kernels.fills import zero_pages
from impl.kernels.launch import Launch
from impl.kernels.moves import move_pages
from impl.kernels.tables import update_table
from impl.kernels.translation import translate
from tests.kernels.lanes import LANES

LANE = LANES["interpreter"]
VIEWS = {"aten::view.dtype", "aten::slice.Tensor", "aten::as_strided", "aten::detach"}
"""What looks at the same bytes in another way."""


class _Views(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves it untyped
    """Fails at whatever torch is asked for that is no view."""

    def __torch_dispatch__(
        self, func: Any, types: Sequence[type], args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        name = func.name()
        assert name in VIEWS, f"{name} on the way to a launch"
        return func(*args, **(kwargs or {}))


def _only_views() -> AbstractContextManager[object]:
    mode: AbstractContextManager[object] = _Views()  # type: ignore[no-untyped-call]  # likewise
    return mode


GRID = random_grid(LANE, 16, 48, 8)
ONE, TWO = ids(LANE, [1]), ids(LANE, [2])
OUT, FOUND = torch.zeros(1, dtype=torch.int64), torch.zeros(1, 2, dtype=torch.int64)

CALLS: list[tuple[str, Callable[[], object]]] = [
    ("move", lambda: move_pages(GRID, ONE, TWO)),
    ("translate", lambda: translate(ONE, TWO, 64, out=OUT)),
    ("update", lambda: update_table(TWO, ONE, TWO)),
    ("fill canary", lambda: fill_canary(GRID, ONE, Canary(1, 1))),
    ("check canary", lambda: check_canary(GRID, ONE, Canary(1, 1), out=FOUND)),
    ("zero", lambda: zero_pages(GRID, ONE)),
]


@pytest.fixture
def launched() -> Iterator[list[Launch]]:
    """The launches that were asked for, none of which runs."""
    launches: list[Launch] = []
    with patch.object(Launch, "run", lambda launch: launches.append(launch)):
        yield launches


@pytest.mark.parametrize("call", [case[1] for case in CALLS], ids=[case[0] for case in CALLS])
def test_a_launch_that_is_given_its_result_takes_nothing_but_views(
    call: Callable[[], object], launched: list[Launch]
) -> None:
    with _only_views():
        call()
    assert len(launched) == 1


def test_an_allocation_and_a_look_at_the_device_would_be_seen(launched: list[Launch]) -> None:
    with pytest.raises(AssertionError, match="aten::empty"), _only_views():
        translate(ONE, TWO, 64)
    with pytest.raises(AssertionError, match="aten::_local_scalar_dense"), _only_views():
        ONE.item()
