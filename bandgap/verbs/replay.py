"""`bandgap replay`: what unified memory would buy on somebody's own traffic."""

import re
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.model_options import DTYPES, FLAGS, KvDtype, KvDtypeOption, PageTokens
from bandgap.output import AsJson, err, out, print_json
from bandgap.replays.options import given, refuse_contradictions, refuse_idle_ratios, refuse_overridden
from bandgap.sizes import parse_bytes
from crew.processors import processors
from impl.layout import LayoutError, Options
from impl.layout.options import DEFAULT_PAGE_TOKENS
from replay.traffic.mixes import MIXES

if TYPE_CHECKING:
    from replay.comparison import Comparison
    from replay.errors import ReplayError
    from replay.job import Settings
    from replay.memory.ratios import Ratios
    from replay.traffic.traffic import Traffic
    from replay.workers import Stop, Workers


class Engines(StrEnum):
    """Who does the runs of a sweep, as it is chosen."""

    LOCAL = "local"
    RAY = "ray"


def run(
    context: typer.Context,
    traffic: Annotated[
        str,
        typer.Argument(
            metavar="TRAFFIC",
            help="A file (Azure CSV, Mooncake JSON lines, bench_serving output, or a CSV with arrival_s, "
            f"prompt_tokens, output_tokens), or a mix: {', '.join(MIXES)}.",
        ),
    ],
    model: Annotated[str, typer.Option(help="A preset, a config.json or its folder; see `bandgap layout`.")],
    hbm: Annotated[str, typer.Option(help="Memory of the device; the arena is what the weights leave of it.")] = "",
    arena: Annotated[str, typer.Option(help="Bytes of the arena, or of all pools together, instead of --hbm.")] = "",
    memory_fraction: Annotated[float, typer.Option(help="The share of --hbm for weights and arena together.")] = 0.88,
    device: Annotated[str, typer.Option(help="The device that is modelled: h200 or h100.")] = "h200",
    weights: Annotated[str, typer.Option(help="Bytes of the model's weights, where Bandgap does not know them.")] = "",
    active: Annotated[float | None, typer.Option(help="Parameters that are active for a token, such as 3.6e9.")] = None,
    page_tokens: PageTokens = DEFAULT_PAGE_TOKENS,
    kv_dtype: KvDtypeOption = KvDtype.BF16,
    tp: Annotated[int, typer.Option(help="Tensor-parallel ranks; all bytes are of one.")] = 1,
    swa_ratio: Annotated[
        float, typer.Option(help="Split pools: tokens of a window pool for each of the full pool.")
    ] = 0.8,
    mamba_ratio: Annotated[
        float, typer.Option(help="Split pools: bytes for states for each byte of the others.")
    ] = 0.9,
    search: Annotated[bool, typer.Option(help="Search the best static split in hindsight, the fair opponent.")] = True,
    requests: Annotated[int | None, typer.Option(help="At most so many requests.")] = None,
    sample: Annotated[float, typer.Option(help="A share of the requests, drawn by --seed.")] = 1.0,
    speed: Annotated[float, typer.Option(help="Let them arrive so many times as fast.")] = 1.0,
    rate: Annotated[float | None, typer.Option(help="For a mix: requests per second, instead of its clients.")] = None,
    concurrency: Annotated[
        int | None, typer.Option(help="So many clients, each of which waits for its answer before it asks again.")
    ] = None,
    chunk_tokens: Annotated[int, typer.Option(help="Prompt tokens in a step.")] = 8_192,
    max_running: Annotated[int, typer.Option(help="The most requests that run at once.")] = 4_096,
    overlap: Annotated[bool, typer.Option(help="Prepare a step while the one before it runs.")] = True,
    prefix_cache: Annotated[bool, typer.Option(help="Keep and share the prefixes that the traffic names.")] = True,
    calibrate: Annotated[
        Path | None,
        typer.Option(help="Fit the cost model to measured steps: a CSV of decode_requests, context_tokens, ..."),
    ] = None,
    sweep: Annotated[
        list[str] | None,
        typer.Option(help="A grid instead: swa=0.1,0.8 or mamba=..., arena=40GB,80GB, page=16,64; may be repeated."),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(help="Write the arena's calls and steps as a trace to judge, packed if it ends in .gz."),
    ] = None,
    html: Annotated[
        Path | None, typer.Option(help="Write a page with interactive plots that needs nothing else.")
    ] = None,
    png: Annotated[Path | None, typer.Option(help="Write the pictures as PNG files into this folder.")] = None,
    seed: Annotated[int, typer.Option(help="For mixes and samples: the same seed gives the same answer.")] = 1,
    workers: Annotated[int | None, typer.Option(help="Runs at once; one for each processor if left out.")] = None,
    engine: Annotated[
        Engines, typer.Option(help="For a sweep: processes of this machine, or a Ray cluster (bandgap[cluster]).")
    ] = Engines.LOCAL,
    address: Annotated[
        str | None, typer.Option(help="A Ray cluster that is there; one is started on this machine if left out.")
    ] = None,
    as_json: AsJson = False,
) -> Exit:
    """Unified against split pools on TRAFFIC: the real allocator under a simulated engine; only time is modelled."""
    from bandgap.replays.report import document, tables
    from crew.words import NoCrew
    from impl.chain import ArenaTooSmall
    from replay.engine.policy import Policy
    from replay.errors import ReplayError
    from replay.memory.ratios import Ratios
    from replay.sweep import MOST
    from replay.workers import OnRay, stoppable

    options = given(context)
    refuse_contradictions(options, traffic)
    axes = dict(map(_axis, sweep or ()))
    refuse_overridden(options, [text.partition("=")[0] for text in sweep or ()])
    if workers is not None and workers < 1:
        raise UsageError("--workers", workers, "is no number of processes", "give 1 or more")
    for option, value in (("--chunk-tokens", chunk_tokens), ("--max-running", max_running)):
        if value < 1:
            raise UsageError(option, value, "must be at least 1", "give a count")
    for option, ratio in (("--swa-ratio", swa_ratio), ("--mamba-ratio", mamba_ratio)):
        if not 0 < ratio < 1000:
            raise UsageError(option, ratio, "is no ratio", "give a number above 0")
    if seed < 0:
        raise UsageError("--seed", seed, "is negative", "give 0 or more")
    policy = Policy(chunk_tokens=chunk_tokens, max_running=max_running, overlap=overlap, prefix_cache=prefix_cache)
    try:
        requested = _traffic(traffic, seed, requests, rate).sampled(sample, seed).faster(speed)
        if concurrency is not None:
            requested = requested.as_closed_loop(concurrency)
        pages = Options(page_tokens, DTYPES[kv_dtype], tp)
        settings = _settings(model, pages, device, weights, active, hbm, arena, memory_fraction)
        settings = replace(settings, policy=policy)
        refuse_idle_ratios(options, list(axes), settings.layout)
        if calibrate is not None:
            settings = _calibrated(settings, calibrate)
        ratios = Ratios(swa_ratio, mamba_ratio)
        with stoppable() as stop:
            if axes:
                crew = (
                    OnRay(workers or (MOST if address else processors()), address) if engine is Engines.RAY else workers
                )
                return _sweep(settings, requested, ratios, axes, crew or processors(), stop, as_json=as_json)
            answer = _compare(settings, requested, ratios, workers or processors(), stop, search=search, record=record)
        _write(answer, html, png)
        _print(as_json, lambda: document(answer), lambda: out().print(*tables(answer), sep="\n"))
        return _exit(interrupted=answer.interrupted)
    except ReplayError as error:
        raise _misused(error, traffic) from error
    except LayoutError as error:
        option = {**FLAGS, "MODEL": "--model"}.get(error.field, error.field)
        raise UsageError(option, error.value, error.problem, error.remedy) from error
    except NoCrew as error:
        raise UsageError("--engine", str(engine), str(error), error.remedy) from error
    except ArenaTooSmall as error:
        raise UsageError("--arena", settings.arena_bytes, str(error), "give more memory") from error


def _traffic(name: str, seed: int, requests: int | None, rate: float | None) -> "Traffic":
    from replay.errors import ReplayError
    from replay.traffic.drawn import traffic_of
    from replay.traffic.reading import read_traffic

    if name in MIXES:
        return traffic_of(name, seed, requests, rate)
    if rate is not None:
        raise ReplayError("--rate", rate, "is for mixes, and a file has its own arrivals", "use --speed")
    if not Path(name).exists() and not re.search(r"[./]", name):
        raise ReplayError("TRAFFIC", name, "is neither a file nor a mix", f"mixes: {', '.join(MIXES)}")
    traffic = read_traffic(Path(name))
    if requests is not None and requests < 1:
        raise ReplayError("--requests", requests, "is no number of requests", "give 1 or more")
    return traffic if requests is None else traffic.first(requests)


def _settings(
    model: str, options: Options, device: str, weights: str, active: float | None, hbm: str, arena: str, share: float
) -> "Settings":
    from replay.cost.device import DEVICES
    from replay.job import Settings

    if device not in DEVICES:
        raise UsageError("--device", device, "is no device that is known", f"choose {' or '.join(DEVICES)}")
    if not 0 < share <= 1:
        raise UsageError("--memory-fraction", share, "is no share", "give a number above 0 and up to 1")
    if active is not None and not active > 0:
        raise UsageError("--active", active, "is no number of parameters", "give a number such as 3.6e9")
    weight_bytes = parse_bytes("--weights", weights) if weights else None
    settings = Settings(model, options, 1, device, weight_bytes, active)
    of_weights = settings.costs.weight_bytes
    if arena:
        return replace(settings, arena_bytes=parse_bytes("--arena", arena))
    memory = parse_bytes("--hbm", hbm) if hbm else DEVICES[device].memory_bytes
    left = int(memory * share - of_weights)
    if left <= 0:
        problem = f"leaves nothing: the weights have {of_weights / 1e9:.1f} GB"
        raise UsageError("--hbm", hbm or f"{memory}", problem, "raise --tp or --memory-fraction, or give --weights")
    return replace(settings, arena_bytes=left)


def _calibrated(settings: "Settings", path: Path) -> "Settings":
    from replay.cost.calibration import fitted, read_measured
    from replay.cost.device import DEVICES
    from replay.errors import ReplayError

    try:
        steps = read_measured(path)
    except ReplayError as error:
        raise _misused(error, str(path)) from error
    return replace(settings, constants=fitted(settings.costs, DEVICES[settings.device], settings.constants, steps))


def _misused(error: "ReplayError", file: str) -> UsageError:
    """What is wrong with an option, or with a line of a file."""
    where = "" if error.line is None else f"{file} line {error.line}, "
    return UsageError(f"{where}{error.field}", error.value, error.problem, error.remedy)


def _compare(
    settings: "Settings",
    traffic: "Traffic",
    ratios: "Ratios",
    workers: int,
    stop: "Stop",
    *,
    search: bool,
    record: Path | None,
) -> "Comparison":
    from bandgap.replays.progress import shown
    from replay.comparison import compared
    from replay.job import unified_job

    try:
        with shown() as report:
            first = unified_job(settings, record)
            return compared(settings, traffic, ratios, workers, stop, search=search, first=first, report=report)
    except OSError as error:
        if record is None:
            raise
        raise UsageError("--record", str(record), f"cannot be written ({error})", "give another path") from error


def _write(answer: "Comparison", html: Path | None, png: Path | None) -> None:
    from replay.page.page import write_page
    from replay.page.pictures import write_pictures

    for option, path, write in (("--html", html, write_page), ("--png", png, write_pictures)):
        if path is None:
            continue
        try:
            write(answer, path)
        except OSError as error:
            raise UsageError(option, str(path), f"cannot be written ({error})", "give another path") from error


def _sweep(
    settings: "Settings",
    traffic: "Traffic",
    ratios: "Ratios",
    axes: dict[str, list[float]],
    workers: "Workers",
    stop: "Stop",
    *,
    as_json: bool,
) -> Exit:
    from bandgap.replays.progress import shown
    from bandgap.replays.report import sweep_document, sweep_table
    from replay.sweep import swept

    with shown() as report:
        points = swept(settings, traffic, ratios, axes, workers, stop, lambda progress: report("sweep", progress))
    _print(as_json, lambda: sweep_document(settings, points), lambda: out().print(sweep_table(points)))
    return _exit(interrupted=stop.asked)


def _axis(text: str) -> tuple[str, list[float]]:
    from replay.sweep import AXES

    name, _, values = text.partition("=")
    if name not in AXES or not values:
        raise UsageError("--sweep", text, "is no axis", f"write NAME=VALUE,VALUE with NAME one of {', '.join(AXES)}")
    if name == "arena":
        return name, [float(parse_bytes("--sweep", value)) for value in values.split(",")]
    try:
        found = [float(value) for value in values.split(",")]
    except ValueError:
        raise UsageError("--sweep", text, "has a value that is no number", "write NAME=VALUE,VALUE") from None
    if not all(0 < value < 1000 for value in found):
        raise UsageError("--sweep", text, "has a value out of range", "give numbers above 0")
    return name, found


def _print(as_json: bool, document: Callable[[], object], show: Callable[[], None]) -> None:
    if as_json:
        print_json(document())
    else:
        show()


def _exit(*, interrupted: bool) -> Exit:
    if interrupted:
        err().print("stopped: what is printed is of the part that was run")
    return Exit.INCONCLUSIVE if interrupted else Exit.HOLDS
