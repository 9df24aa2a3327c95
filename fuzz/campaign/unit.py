"""One unit of work, whatever it is about."""

import time
from contextlib import nullcontext
from typing import Final

import msgspec
import torch

from fuzz.campaign.allocators import Allocators
from fuzz.campaign.engines import ENGINES, Engines
from fuzz.campaign.others import Others
from fuzz.campaign.plan import Plan, code_now
from fuzz.campaign.record import Record
from fuzz.campaign.work import Unit, Work
from fuzz.peers.environments import is_peer

_ALLOCATORS: Final = Allocators()
_ENGINES: Final = Engines()
_OTHERS: Final = Others()


class OtherCode(Exception):
    """The code here is not the code that the campaign is about."""


def work_of(target: str) -> Work:
    """What the units of a target do."""
    if is_peer(target):
        return _OTHERS
    return _ENGINES if target == ENGINES else _ALLOCATORS


def setup_for(plan: Plan, lane: int, index: int) -> str:
    """The setup of a unit: lanes begin with different ones; empty where each is about everything."""
    work = work_of(plan.target)
    return work.setups[(lane + index // len(work.kinds)) % len(work.setups)] if work.setups else ""


def kind_of(plan: Plan, index: int) -> str:
    """The kind of a unit: see `Work.kinds`."""
    kinds = work_of(plan.target).kinds
    return kinds[index % len(kinds)]


def is_of_machine(plan: Plan, index: int) -> bool:
    """Whether a unit is the state machine's."""
    return kind_of(plan, index) == "machine"


def is_first_of_setup(plan: Plan, index: int) -> bool:
    """Whether the lane has not had a unit of this kind on this setup before."""
    work = work_of(plan.target)
    return index // len(work.kinds) < len(work.setups)


def run_unit(plan: Plan, unit: Unit) -> Record:
    """Do one unit.

    Raises:
        OtherCode: the code here is other than the plan's.
        PeerFailed: a peer's driver failed.
    """
    here = code_now(plan.target, plan.checkout, plan.python)
    if here != plan.code:
        raise OtherCode(f"this machine has the code {here}, and the campaign is about {plan.code}")
    # the cores are shared out between processes, so a process needs no threads of its own
    torch.set_num_threads(1)
    begun, work = time.monotonic(), work_of(plan.target)
    with nullcontext() if plan.fault is None else work.under(plan.fault):
        record = work.do(plan, unit, setup_for(plan, unit.lane, unit.index), kind_of(plan, unit.index))
    return msgspec.structs.replace(record, seconds=round(time.monotonic() - begun, 3))
