"""`bandgap fuzz`: a campaign, for a minute or for days, which goes on whatever ended it."""

import signal
from datetime import date
from pathlib import Path
from typing import Annotated

import typer

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.output import AsJson, err, out, print_json
from bandgap.target_options import Checkout, DriverPython, Known


def run(
    target: Annotated[
        str,
        typer.Option(
            help="What is driven: the allocators bandgap, bandgap-simulated, sglang, vllm, either of these with "
            "==RELEASE, or DRIVER.py; or serving, which is tiny engines."
        ),
    ] = "bandgap",
    minutes: Annotated[
        float | None, typer.Option(min=0.0001, help="How long in all; 1 unless units are given.")
    ] = None,
    units: Annotated[int | None, typer.Option(min=1, help="How many units of work in all.")] = None,
    workers: Annotated[int, typer.Option(min=1, max=1024, help="Processes, each with a lane of units.")] = 1,
    seed: Annotated[int, typer.Option(help="The seed of all choices: the same seed does the same.")] = 1,
    engine: Annotated[str, typer.Option(help="Who does the work: local processes, or a ray cluster.")] = "local",
    address: Annotated[
        str | None, typer.Option(help="A Ray cluster that is there; one is started on this machine if left out.")
    ] = None,
    corpus: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLACE",
            help="What campaigns leave to each other: a folder, redis://HOST or github:OWNER/REPOSITORY. "
            "Of several the first is written, the others only read.",
        ),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option("--out", help="The folder of the campaign; one that is there goes on.")
    ] = None,
    resume: Annotated[Path | None, typer.Option(metavar="DIR", help="Go on with the campaign of this folder.")] = None,
    fault: Annotated[str | None, typer.Option(help="Plant a seeded fault, to see it found.")] = None,
    unit_calls: Annotated[
        int,
        typer.Option(
            min=1, help="About how many judged calls a unit of work has: the most that a kill costs a worker."
        ),
    ] = 10_000,
    path: Checkout = None,
    python: DriverPython = None,
    known: Known = None,
    as_json: AsJson = False,
) -> Exit:
    """Drive an allocator as a serving engine would, or engines themselves; judge every event, and compare every byte.

    Every unit of work that is over is written down at once: whatever ends it, the same command goes on where it was.
    """
    from bandgap.campaigns.asked import Asked, again, new_folder
    from bandgap.campaigns.running import worked_off
    from bandgap.campaigns.telling import Teller, document, reasons_of, show
    from bandgap.campaigns.terms import terms_of
    from bandgap.gate.verdict import answer_of
    from crew.engines import ENGINES

    if engine not in ENGINES:
        raise UsageError("--engine", engine, "is not an engine", f"choose one of {', '.join(ENGINES)}")
    if address is not None and engine != "ray":
        raise UsageError("--address", address, "is of a Ray cluster", "add --engine ray")
    if resume is not None and folder is not None:
        raise UsageError("--resume", str(resume), "names a folder, and so does --out", "give one of them")
    asked = Asked(target, seed, workers, unit_calls, fault, tuple(corpus or ()), minutes, units, path, python)
    if resume is not None:
        asked.must_be_left_out(Asked())
        place, head = resume, again(resume, minutes, units)
    else:
        place, head = folder or new_folder(target), asked.head()
    terms = terms_of(head, known, date.today())
    # a pipeline that cancels is answered like a person who presses Ctrl-C
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if not as_json:
        # whatever ends this process, its reader knows where to go on
        err().print(f"[dim]the campaign is in {place}[/]")
    ended = worked_off(place, head, engine, address, Teller(err(), terms, quiet=as_json).tell)
    if as_json:
        print_json(document(ended, terms))
    else:
        show(ended, terms, out())
    return answer_of(reasons_of(ended, terms)).exit
