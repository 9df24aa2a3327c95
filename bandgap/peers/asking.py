"""From what a person wrote to an answer about another's allocator."""

import time
from datetime import date
from pathlib import Path

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.output import err, out, print_json
from bandgap.peers.gate import judge_peer
from bandgap.peers.known import must_be_known, plain, read_known
from bandgap.peers.reporting import as_gate
from bandgap.peers.telling import document, show
from bandgap.reports.writing import exit_with, write_reports
from fuzz.peers.environments import Driven, NoEnvironment, found
from fuzz.peers.hunting import Hunt
from fuzz.peers.process import PeerFailed, running

DEFAULT_MINUTES = 1.0

_SHOWN_EVERY = 5.0
"""Seconds of hunting between two lines of progress."""


def driven_named(target: str, checkout: Path | None = None, python: Path | None = None) -> Driven:
    """The driver of a target, ready to run.

    Raises:
        UsageError: its environment is not there, and the remedy says what builds it; or it names no target.
    """
    try:
        return found(target, checkout=checkout, python=python, told=lambda text: err().print(f"[dim]{text}[/]"))
    except NoEnvironment as error:
        raise UsageError(error.option, error.value, str(error), error.remedy) from error


def answer(
    target: str,
    *,
    minutes: float,
    seed: int,
    folder: Path,
    checkout: Path | None,
    python: Path | None,
    known: Path | None,
    as_json: bool,
) -> Exit:
    """Judge a peer, and say what came of it."""
    begun = time.monotonic()
    excused = read_known(known, date.today()) if known else ()
    driven = driven_named(target, checkout, python)
    shown = [0.0]

    def told(so_far: Hunt) -> None:
        if so_far.seconds - shown[0] >= _SHOWN_EVERY:
            shown[0] = so_far.seconds
            err().print(f"[dim]{so_far.seconds:.0f} s: {so_far.calls:,} judged calls, {so_far.rate:,.0f} calls/s[/]")

    try:
        with running(driven) as process:
            must_be_known(excused, plain(target), process.description)
            result = judge_peer(
                process,
                target,
                seconds=60 * minutes,
                seed=seed,
                folder=folder / "failures",
                known=excused,
                checkout=checkout,
                python=python,
                told=told,
            )
    except PeerFailed as error:
        remedy = "nothing was learned about it; correct the driver, or give its Python with --python"
        raise UsageError("--target", target, f"gave no answer: {error}", remedy) from error
    files, problem = write_reports(as_gate(result, folder, time.monotonic() - begun))
    if as_json:
        print_json(document(result, files))
    else:
        show(result, out(), files)
    return exit_with(result.answer.exit, problem)
