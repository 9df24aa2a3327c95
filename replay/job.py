"""One run, described so that any process can do it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import BinaryIO, Final

from events.files import created
from events.trace import Writer
from impl.layout import Layout, Options, layout_of
from replay.cost.device import DEVICES
from replay.cost.model import ModelCost, model_cost
from replay.cost.step import Constants, StepCost
from replay.engine.engine import Engine
from replay.engine.policy import Policy
from replay.errors import ReplayError
from replay.memory.ratios import Ratios, pages_by_ratios, ratios_of
from replay.memory.split import SplitMemory
from replay.memory.unified import UnifiedMemory
from replay.outcome import Outcome, outcome_of
from replay.traffic.traffic import Traffic

UNIFIED: Final = "unified"
SPLIT: Final = "split"
BEST: Final = "best static"


@dataclass(frozen=True, slots=True)
class Settings:
    """What is the same for every memory."""

    model: str
    options: Options
    arena_bytes: int
    """Bytes of the arena, or of all pools together."""
    device: str = "h200"
    weight_bytes: int | None = None
    active: float | None = None
    constants: Constants = field(default_factory=Constants)
    policy: Policy = field(default_factory=Policy)

    @property
    def layout(self) -> Layout:
        """The layout of one rank."""
        return layout_of(self.model, self.options)

    @property
    def costs(self) -> ModelCost:
        """The costs of one rank."""
        return model_cost(self.model, self.layout, self.weight_bytes, self.active)


@dataclass(frozen=True, slots=True)
class Job:
    """Settings with one memory."""

    name: str
    settings: Settings
    pools: tuple[int, ...] = ()
    """Pages of each; () for the arena."""
    record: Path | None = None
    """Where the calls and steps of the arena's allocator are written, as a trace; compressed if it ends in `.gz`."""
    eager: bool = False


def unified_job(settings: Settings, record: Path | None = None) -> Job:
    """The job of the arena."""
    return Job(UNIFIED, settings, record=record)


def split_job(settings: Settings, ratios: Ratios) -> Job:
    """Pools by the ratios that an engine takes."""
    return Job(SPLIT, settings, pages_by_ratios(settings.layout, settings.arena_bytes, ratios))


def run_job(job: Job, traffic: Traffic, report: Callable[[int], bool] = lambda done: True) -> Outcome:
    """Replay traffic; see `Engine` for `report`.

    Raises:
        ReplayError: the traffic or the settings do not fit each other, or no trace can be called that.
        ArenaTooSmall: the arena has no room for one page of each kind.
        BrokenLaw: the replay itself is at fault.
    """
    if job.record is None:
        return _run(job, traffic, report, None)
    with _created(job.record) as file:
        writer = Writer(file)
        outcome = _run(job, traffic, report, writer)
        writer.close()
    return outcome


def _created(path: Path) -> BinaryIO:
    try:
        return created(path)
    except ValueError as error:
        raise ReplayError("--record", str(path), f"cannot be written: {error}", "leave that ending out") from error


def _run(job: Job, traffic: Traffic, report: Callable[[int], bool], writer: Writer | None) -> Outcome:
    settings, layout = job.settings, job.settings.layout
    memory: UnifiedMemory | SplitMemory
    if job.pools:
        memory = SplitMemory(layout, job.pools)
    else:
        memory = UnifiedMemory(layout, settings.arena_bytes, writer, eager=job.eager)
    cost = StepCost(settings.costs, DEVICES[settings.device], settings.constants)
    engine = Engine(traffic, memory, cost, settings.policy, report)
    begun = perf_counter()
    engine.run()
    ratios = ratios_of(layout, job.pools) if job.pools else {}
    return outcome_of(job.name, engine, memory, len(traffic), job.pools, ratios, perf_counter() - begun)
