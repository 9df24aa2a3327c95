"""Engines with any features at once, every record judged: what a run in one process and a rank have in common."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from bandgap.compatibility.runs import Run
from bandgap.compatibility.words import CHAINS
from fuzz.serving.hosting import judged
from fuzz.serving.speculating import Speculation
from impl.device.arena import ArenaDevice
from impl.layout import Draft, DType, Layout, Lifetime, Options
from impl.recording import RecordedAllocator
from impl.serving.engine.engine import Engine, EngineOf, Policy
from impl.serving.engine.job import Job
from impl.serving.engine.model import VOCABULARY, Model
from impl.serving.engine.tiny import PAGE_TOKENS
from impl.serving.host.cache import TieredCache, Write
from impl.serving.host.runtime import on_host
from impl.serving.parallel.witness import Witness
from impl.serving.prefix.cache import PrefixCache
from impl.serving.speculation.drafter import Drafter
from impl.serving.speculation.drafters import DRAFTERS
from impl.serving.speculation.engine import SpeculatingEngine
from spec.judge.judge import Judge
from spec.judge.verdict import Finding
from tests.serving.running import Served, Task, said_alone
from tests.serving.speculating import DRAFT_WINDOW

PAGES = {"pages-of-1": 1, "large-pages": 16}
POSITIONS = 96


def options_of(run: Run, **more: Any) -> Options:
    """How the tiny model of a run is served."""
    (page_tokens,) = [PAGES[feature] for feature in run.features if feature in PAGES] or [PAGE_TOKENS]
    dtype = DType.FP8_E4M3 if "fp8-kv" in run.features else DType.BF16
    draft = None
    if run.features & {*CHAINS}:
        window = DRAFT_WINDOW if "dspark" in run.features else None
        draft = Draft(1 if "eagle" in run.features else 2, kv_heads=2, head_dim=8, window=window)
    return Options(page_tokens=page_tokens, kv_dtype=dtype, draft=draft, **more)


def policy_of(run: Run, page_tokens: int) -> Policy:
    """How the engine of a run schedules."""
    interval = max(8, page_tokens) if "prefix-cache" in run.features else None
    return Policy(3, 7, in_flight=2 if "overlap" in run.features else 1, positions=POSITIONS, interval=interval)


def chain_in(run: Run) -> str | None:
    """The way in which a run speculates."""
    return next((feature for feature in run.features if feature in CHAINS), None)


@dataclass(eq=False)
class Assembled(Served):
    """A `Served`, and what it has besides.

    Attributes:
        host: the allocator of the host's arena, if there is one.
        tier: the prefix cache above it.
        speculation: what was guessed, if anything is.
        given: the allocator that the engine was given.
    """

    host: RecordedAllocator | None = None
    tier: TieredCache | None = None
    speculation: Speculation | None = None
    given: Any = None


@dataclass
class Parts:
    """Of what an engine is made.

    Attributes:
        layout: of its arena.
        arena_bytes: of it.
        host_bytes: of the host's arena; 0 for none.
        runtime: of the device.
        policy: of the engine.
        write: when pages go to the host's arena.
        chain: how it speculates.
        drafter: proposes, and need not be given where one process computes everything.
        whole: the layout of the model as it is on memory of its own; the arena's if left out.
        stage: said of what only the ranks of a stage have in common.
        join: makes the engine of it that one rank has; one that is alone if left out.
        right: of each prompt all that is right to say after it, for guesses.
    """

    layout: Layout
    arena_bytes: int
    runtime: Any
    policy: Policy
    host_bytes: int = 0
    write: Write = "back"
    chain: str | None = None
    drafter: Drafter | None = None
    whole: Layout | None = None
    stage: str = ""
    join: Callable[[EngineOf, RecordedAllocator, ArenaDevice[Any], Policy, list[Witness]], Engine] | None = None
    right: dict[tuple[int, ...], tuple[int, ...]] = field(default_factory=dict)


def assembled(parts: Parts) -> Assembled:
    """An engine of these."""
    layout, policy, findings = parts.layout, parts.policy, list[Finding]()
    allocator, device = judged(layout, parts.arena_bytes, lambda chain: ArenaDevice(chain, parts.runtime), findings)
    whole = parts.whole or layout
    tiers: list[TieredCache] = []
    engines_own: list[Any] = []
    host, host_device, others = None, None, list[Witness]()
    if parts.host_bytes:
        host, host_device = judged(layout, parts.host_bytes, on_host(parts.runtime), findings)
        others.append(Witness(host, layout=True, whose=f" of the host{parts.stage}"))

    def alone(
        engine_of: EngineOf, given: Any, device: ArenaDevice[Any], policy: Policy, others: list[Witness]
    ) -> Engine:
        return engine_of(Model(layout), given, device, policy)

    def engine_of(model: Model, given: Any, device: ArenaDevice[Any], policy: Policy | None) -> Engine:
        def tier(engine: Engine) -> PrefixCache:
            assert host_device is not None, "there is a host"
            interval = parts.policy.interval or 0
            tiers.append(
                TieredCache(engine, given, device, others[0], host_device, interval=interval, write=parts.write)
            )
            return tiers[-1]

        engines_own.append(given)
        cache = tier if others else None
        if parts.chain is None:
            return Engine(model, given, device, policy, cache)
        drafter = parts.drafter or DRAFTERS[parts.chain](layout)
        has_states = any(kind.lifetime is Lifetime.STATE for kind in whole.kinds)
        return SpeculatingEngine(model, drafter, given, device, policy, cache=cache, has_states=has_states)

    join = parts.join or alone
    engine = join(engine_of, allocator, device, policy, others)
    made = Assembled(
        engine,
        Model(whole),
        whole,
        allocator,
        device,
        parts.runtime,
        Judge(),
        findings,
        host,
        tiers[0] if tiers else None,
        given=engines_own[0],
    )
    if isinstance(engine, SpeculatingEngine) and parts.chain is not None:
        speculation = made.speculation = Speculation(replace(made), DRAFTERS[parts.chain](whole))
        engine.heard = lambda turn, accepted: speculation.heard.append((turn, accepted))
        engine.pick = lambda job, position, place, logits: guess(parts, job, position, place)
    return made


def guess(parts: Parts, job: Job, position: int, place: int) -> int:
    """A guess that is often right, and at times not."""
    text = (*job.prompt, *parts.right[tuple(job.prompt)])
    right = text[position + place + 1] if position + place + 1 < len(text) else 0
    return right if position % 5 else (right + 1) % VOCABULARY


def right_for(layout: Layout, asked: list[Task]) -> dict[tuple[int, ...], tuple[int, ...]]:
    """Of each prompt what is right to say."""
    return {task.prompt: said_alone(layout, task)[0] for task in asked}
