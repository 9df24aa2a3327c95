"""`bandgap gate`: proofs, fuzzing and seeded faults, and one verdict."""

import signal
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.gate.settings import DEFAULT_SEED, Settings
from bandgap.output import AsJson, err, out, print_json
from bandgap.target_options import Checkout, DriverPython, Known
from crew.processors import processors

if TYPE_CHECKING:
    from rich.console import Console

    from bandgap.gate.task import Task


def run(
    target: Annotated[
        str,
        typer.Option(
            help="The allocator to check: bandgap, sglang, vllm, either of these with ==RELEASE, or DRIVER.py."
        ),
    ] = "bandgap",
    quick: Annotated[bool, typer.Option("--quick", help="Less fuzzing: two and a half minutes on two cores.")] = False,
    seed: Annotated[int, typer.Option(help="All choices follow from it; the same seed does the same.")] = DEFAULT_SEED,
    out_folder: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where reports and failures are written.")
    ] = Path(".bandgap"),
    only: Annotated[
        list[str] | None,
        typer.Option("--only", metavar="LANE[/TASK]", help="Run this alone, which is never a pass; repeatable."),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(metavar="REV", help="Show how the specification changed since this revision; its lock must too."),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes at a time; one for each processor if left out.")
    ] = None,
    minutes: Annotated[
        float | None, typer.Option(min=0.01, help="How long another's allocator is driven; 1 if left out.")
    ] = None,
    path: Checkout = None,
    python: DriverPython = None,
    known: Known = None,
    as_json: AsJson = False,
) -> Exit:
    """Prove the specification, fuzz the allocator, plant faults that must be caught; one verdict and a report."""
    from fuzz.peers.environments import is_peer

    # a pipeline that cancels is answered like a person who presses Ctrl-C
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if is_peer(target):
        from bandgap.peers.asking import DEFAULT_MINUTES, answer

        return answer(
            target,
            minutes=minutes or DEFAULT_MINUTES,
            seed=seed,
            folder=_folder(out_folder),
            checkout=path,
            python=python,
            known=known,
            as_json=as_json,
        )
    for option, value in {"--minutes": minutes, "--path": path, "--python": python, "--known": known}.items():
        if value is not None:
            raise UsageError(
                option, str(value), "is for allocators of others", "name one with --target, or leave it out"
            )
    # The rooms behind the lanes are slow to import.
    from bandgap.gate.lanes import ALL
    from bandgap.gate.progress import watching
    from bandgap.gate.run import run_gate
    from bandgap.gate.targets import target_named
    from bandgap.reports.document import document
    from bandgap.reports.terminal import show
    from bandgap.reports.writing import exit_with, write_reports

    target_named(target)
    settings = Settings(target, quick, seed, workers or processors(), _folder(out_folder), since)
    _check_names(only or (), [task for lane in ALL for task in lane.tasks(settings)])
    if since is not None:
        _show_changes(since, err() if as_json else out())
    with watching(err(), ALL, settings, only or ()) as watch:
        result = run_gate(ALL, settings, watch, only or ())
    files, problem = write_reports(result)
    if as_json:
        print_json(document(result, files))
    else:
        show(result, files, out())
    return exit_with(result.answer.exit, problem)


def _show_changes(revision: str, console: "Console") -> None:
    """Prints them before anything else is done, since the rest takes long."""
    from bandgap.gate.lanes.locked import ROOT
    from bandgap.lock.history import NoRevision
    from bandgap.lock.history import since as changed_since

    try:
        found = changed_since(ROOT, revision)
    except NoRevision as why:
        raise UsageError("--since", revision, f"is no revision: {why}", "name a commit, such as origin/main") from why
    for change in found.changes:
        console.print(f"the specification since {revision}: {change}", markup=False, soft_wrap=True)
    if not found.changes:
        console.print(f"the specification says what it said at {revision}", markup=False, soft_wrap=True)


def _check_names(only: Collection[str], tasks: Collection["Task"]) -> None:
    known = [name for task in tasks for name in (task.lane, f"{task.lane}/{task.name}")]
    for name in only:
        if name not in known:
            raise UsageError("--only", name, "is no lane and no task", f"choose from {', '.join(dict.fromkeys(known))}")


def _folder(path: Path) -> Path:
    try:
        path.mkdir(parents=True, exist_ok=True)
        (path / ".gitignore").write_text("*\n")
    except OSError as error:
        raise UsageError(
            "--out", str(path), f"cannot be written to: {error.strerror}", "name another folder"
        ) from error
    return path
