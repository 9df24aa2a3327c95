"""The allocator's checks on a device, each with what it came to in words."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import torch

from fuzz.kernels.agreeing import Disagreement
from fuzz.kernels.moving import check_twin_on_device
from fuzz.setups import MODELS, TOYS, setup_of
from gpu_tests.allocator.graphs import replay_while_pages_move
from gpu_tests.allocator.machine import Driven, drive
from gpu_tests.allocator.place import Place
from impl.kernels.lane import Lane


@dataclass(frozen=True)
class Amounts:
    """How much is done.

    Attributes:
        calls_toys: to allocators of small awkward chains.
        calls_models: to those of real models.
        seed: of both.
    """

    calls_toys: int = 12_000
    calls_models: int = 4_000
    seed: int = 1


FULL: Final = Amounts()


@dataclass(frozen=True)
class Check:
    """One check and its outcome."""

    name: str
    holds: bool
    said: str


def checks(place: Place, amounts: Amounts = FULL) -> Iterator[Check]:
    """The twin's moves, the driver on small chains and on models, then a captured graph while pages move."""
    yield _twin(place)
    for name, setups, calls in (("chains", TOYS, amounts.calls_toys), ("models", MODELS, amounts.calls_models)):
        driven = drive(place, [setup_of(setup) for setup in setups], amounts.seed, calls)
        yield Check(f"the driver on streams, {name}", driven.holds, _said(driven))
    replays = replay_while_pages_move(place)
    counted = f"{replays.replays} replays, {replays.moved} pages moved between them, {replays.wrong} entries wrong"
    yield Check("a captured graph while pages move", replays.holds, counted)


def _twin(place: Place) -> Check:
    name = "the twin's moves on tensors of the device"
    try:
        sizes = check_twin_on_device(_Twins(place.device))
    except Disagreement as error:
        return Check(name, False, str(error))
    return Check(name, sizes > 0, f"pages of {sizes} sizes arrived whole")


@dataclass(frozen=True)
class _Twins:
    """The kernels' twins on a device; see `fuzz.kernels.lane.Lane`."""

    device: torch.device
    takes: Lane = "twin"


def _said(driven: Driven) -> str:
    moved = driven.actions["move"]
    done = f"{driven.calls:,} calls judged in {driven.seconds:.0f} s, {moved:,} pages moved"
    if driven.violation is not None:
        return f"{done}; {driven.violation}"
    return f"{done}; never: {', '.join(driven.missing)}" if driven.missing else done
