"""`bandgap reproduce`: one saved failure again."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.output import AsJson, out, print_json


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A failure that was saved.")],
    as_json: AsJson = False,
) -> Exit:
    """Makes the calls of a saved failure again: exit code 1 while they still break the same property, 0 if not."""
    from contextlib import nullcontext

    from fuzz.faults.all import FAULTS
    from fuzz.reproduction import LARGEST_FILE, BadFile, decoded, played_again
    from fuzz.targets.all import TARGETS

    try:
        with file.open("rb") as opened:
            reproduction = decoded(opened.read(LARGEST_FILE + 1))
    except OSError as error:
        raise UsageError(
            "FILE", str(file), f"cannot be read ({error.strerror})", "give a failure that was saved"
        ) from error
    except BadFile as error:
        raise UsageError("FILE", str(file), str(error), "give a failure that was saved") from error
    target = TARGETS.get(reproduction.target)
    if target is None:
        raise UsageError("target", reproduction.target, "is not known here", f"the targets are {', '.join(TARGETS)}")
    if reproduction.fault is not None and reproduction.fault not in FAULTS:
        raise UsageError("fault", reproduction.fault, "is no seeded fault", "it may have been renamed since")
    with FAULTS[reproduction.fault].apply() if reproduction.fault else nullcontext():
        played = played_again(reproduction, target)
    broken = played.violation
    same = broken is not None and broken.property == reproduction.property
    if as_json:
        print_json(
            {
                "property": reproduction.property,
                "fails": same,
                "broken": broken.property if broken else None,
                "problem": broken.problem if broken else None,
                "calls": len(reproduction.script),
                "fault": reproduction.fault,
            }
        )
    elif same:
        assert broken is not None  # it is the same
        out().print(f"[bold red]{broken.property}[/] still breaks: {escape(broken.problem)}")
    elif broken is not None:
        out().print(
            f"{reproduction.property} does not break any more; [bold red]{broken.property}[/] does instead: "
            f"{escape(broken.problem)}"
        )
    else:
        out().print(
            f"[green]nothing breaks[/] any more; it was {reproduction.property}: {escape(reproduction.problem)}"
        )
    return Exit.VIOLATED if same else Exit.HOLDS
