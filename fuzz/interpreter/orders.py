"""One launch, with its programs in several orders."""

from collections.abc import Callable, Iterable, Sequence

import torch

from fuzz.interpreter.findings import OrderDependence
from fuzz.interpreter.guard import guarded


def in_every_order(launch: Callable[[], object], state: Sequence[torch.Tensor], seeds: Iterable[int]) -> None:
    """Launch on the same bytes in the ascending order and in one drawn from each seed; the last result stays.

    Whether programs race is left to `guarded`: atomics do not, and may depend on the order all the same.

    Args:
        launch: launches interpreted kernels.
        state: every tensor that they may write.
        seeds: of the other orders.

    Raises:
        OrderDependence: an order leaves other bytes behind than the ascending one.
        Finding: whatever else the guard finds.
    """
    before = [tensor.clone() for tensor in state]
    with guarded(races=False):
        launch()
    ascending = [tensor.clone() for tensor in state]
    for seed in seeds:
        for tensor, bytes_before in zip(state, before, strict=True):
            tensor.copy_(bytes_before)
        with guarded(order=seed, races=False):
            launch()
        for number, (tensor, expected) in enumerate(zip(state, ascending, strict=True)):
            if not torch.equal(tensor, expected):
                raise OrderDependence(f"tensor {number} ends up otherwise in the order of seed {seed}")
