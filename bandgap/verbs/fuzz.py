"""`bandgap fuzz`: drive an allocator for a while and see whether anything breaks."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from bandgap.exits import Exit
from bandgap.output import AsJson, err, out, print_json

if TYPE_CHECKING:
    from fuzz.seeded import Run

_SHOWN_EVERY = 5.0
"""Seconds between two lines of progress."""


def run(
    target: Annotated[str, typer.Option(help="The allocator that is driven.")] = "bandgap",
    minutes: Annotated[float, typer.Option(min=0.01, help="How long.")] = 1.0,
    seed: Annotated[int, typer.Option(help="Of all choices: the same seed does the same.")] = 1,
    folder: Annotated[Path, typer.Option("--out", help="Where a failure is saved.")] = Path(".bandgap/failures"),
    as_json: AsJson = False,
) -> Exit:
    """Drives an allocator as a serving engine would, judges every event, and reads every byte back."""
    from bandgap.gate.targets import target_named
    from fuzz.pasted import pasted
    from fuzz.reproduction import saved
    from fuzz.seeded import run_seeded
    from fuzz.setups import setup_names, setup_of

    driven = target_named(target)
    shown = [0.0]

    def told(so_far: "Run") -> None:
        if not as_json and so_far.seconds - shown[0] >= _SHOWN_EVERY:
            err().print(f"[dim]{so_far.seconds:.0f} s: {_rate(so_far)}[/]")
            shown[0] = so_far.seconds
        latest[:] = [so_far]

    latest: list[Run] = []
    setups = [setup_of(name) for name in setup_names()]
    try:
        done = run_seeded(setups, seed, target=driven, seconds=60 * minutes, progress=told)
        stopped = False
    except KeyboardInterrupt:
        if not latest:
            raise
        done, stopped = latest[0], True
    path = None if done.failure is None else saved(done.failure, folder)
    if as_json:
        print_json(_document(done, stopped, path))
    elif done.failure is not None:
        out().print(f"[bold red]{done.failure.property}[/] breaks: {escape(done.failure.problem)}\n")
        print(pasted(done.failure, driven))
        out().print(f"Again: bandgap reproduce {path}")
    _say_how_it_ended(done, stopped, as_json)
    return _exit(done, stopped)


def _rate(done: "Run") -> str:
    rate = done.calls / done.searching if done.searching else 0.0
    return (
        f"{done.calls:,} judged calls, {done.coverage.page_actions:,} page actions, {done.lives:,} allocators, "
        f"{rate:,.0f} calls/s"
    )


def _missing(done: "Run") -> tuple[str, ...]:
    from fuzz.floors import unexercised

    return unexercised(done.coverage)


def _exit(done: "Run", stopped: bool) -> Exit:
    if done.failure is not None:
        return Exit.VIOLATED
    return Exit.INCONCLUSIVE if stopped or _missing(done) else Exit.HOLDS


def _say_how_it_ended(done: "Run", stopped: bool, as_json: bool) -> None:
    if as_json:
        return
    out().print(_rate(done))
    if done.failure is None:
        if stopped:
            out().print("Stopped before the time was over; nothing had broken.")
        elif missing := _missing(done):
            out().print(f"Nothing broke, but too little was tried: {', '.join(missing)}")
        else:
            out().print("[green]Nothing broke.[/]")


def _document(done: "Run", stopped: bool, path: Path | None) -> dict[str, Any]:
    failure = done.failure
    return {
        "seed": done.seed,
        "stopped": stopped,
        "allocators": done.lives,
        "operations": done.operations,
        "calls": done.calls,
        "page_actions": done.coverage.page_actions,
        "seconds": round(done.seconds, 3),
        "calls_per_second": round(done.calls / done.searching, 1) if done.searching else 0.0,
        "coverage": {
            "actions": dict(sorted(done.coverage.actions.items())),
            "outcomes": {f"{call}: {how}": n for (call, how), n in sorted(done.coverage.outcomes.items())},
            "operations": {f"{name}: {how}": n for (name, how), n in sorted(done.coverage.operations.items())},
            "unexercised": list(_missing(done)),
        },
        "failure": None
        if failure is None
        else {
            "property": failure.property,
            "problem": failure.problem,
            "setup": failure.setup.name,
            "calls": len(failure.script),
            "file": str(path),
        },
    }
