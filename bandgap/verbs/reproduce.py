"""`bandgap reproduce`: one saved failure again."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.output import AsJson, harmless, out, print_json

if TYPE_CHECKING:
    from bandgap.gate.violation import Violation as Explained
    from fuzz.peers.lives import Broke
    from fuzz.peers.reproduction import Reproduction as PeerReproduction
    from fuzz.reproduction import Reproduction
    from fuzz.serving.reproduction import Reproduction as ServingReproduction
    from fuzz.violation import Violation

MOST_BYTES = 1 << 26
"""Bytes of a file that are read."""


def run(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A failure that was saved.")],
    target: Annotated[
        str | None,
        typer.Option(
            metavar="TARGET",
            help="What to try it on, if not the target in which it was found: bandgap, bandgap-simulated or, on a GPU, "
            "bandgap-streams; for another's allocator its release or a driver's file.",
        ),
    ] = None,
    path: Annotated[
        Path | None, typer.Option(metavar="DIR", help="For another's allocator: a checkout, instead of its release.")
    ] = None,
    python: Annotated[
        Path | None, typer.Option(metavar="EXE", help="For another's allocator: the Python in which it runs.")
    ] = None,
    as_json: AsJson = False,
) -> Exit:
    """Make the calls of a saved failure again: exit code 1 while they still break the same property, 0 if not."""
    from fuzz.peers.reproduction import is_reproduction

    try:
        with file.open("rb") as opened:
            data = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(
            "FILE", str(file), f"cannot be read ({error.strerror})", "give a failure that was saved"
        ) from error
    if is_reproduction(data):
        return _peer(file, data, target, path, python, as_json=as_json)
    for option, value in {"--path": path, "--python": python}.items():
        if value is not None:
            raise UsageError(option, str(value), "is for allocators of others", "this failure is Bandgap's own")
    from fuzz.serving.reproduction import is_reproduction as is_of_serving

    if is_of_serving(data):
        if target is not None:
            raise UsageError("--target", target, "is an allocator, and this failure is of engines", "leave it out")
        return _serving(file, data, as_json=as_json)
    return _own(file, data, target, as_json=as_json)


def _document(
    reproduction: "Reproduction | PeerReproduction | ServingReproduction", broken: "Violation | Broke | None"
) -> dict[str, str | int | bool | None]:
    return {
        "property": reproduction.property,
        "fails": broken is not None and broken.property == reproduction.property,
        "broken": broken.property if broken else None,
        "problem": broken.problem if broken else None,
        "calls": len(reproduction.script),
        "fault": reproduction.fault,
    }


def _shown(evidence: "Explained | None") -> dict[str, Any] | None:
    if evidence is None:
        return None
    return {name: getattr(evidence, name) for name in ("code", "history", "bytes", "facts")}


def _own(file: Path, data: bytes, target: str | None, *, as_json: bool) -> Exit:
    from bandgap.explaining import explained_again
    from bandgap.reproducing import broken_by, read

    reproduction = read(file, data)
    broken = broken_by(reproduction, target)
    # on the target where it was found, for the stages of others keep no records
    evidence = explained_again(reproduction, file=str(file)) if broken is not None and target is None else None
    return _told(reproduction, broken, evidence, as_json=as_json)


def _serving(file: Path, data: bytes, *, as_json: bool) -> Exit:
    """The same for a failure of engines."""
    from bandgap.explaining_serving import explained_again
    from fuzz.saving import BadFile
    from fuzz.serving.reproduction import decoded
    from fuzz.violation import Violation

    try:
        reproduction = decoded(data)
    except BadFile as error:
        raise UsageError("FILE", str(file), str(error), "give a failure that was saved") from error
    evidence = explained_again(reproduction, file=str(file))
    broken = Violation(evidence.check, evidence.problem) if evidence is not None else None
    return _told(reproduction, broken, evidence, as_json=as_json)


def _told(
    reproduction: "Reproduction | ServingReproduction",
    broken: "Violation | None",
    evidence: "Explained | None",
    *,
    as_json: bool,
) -> Exit:
    """Say what breaks now, and show why."""
    from bandgap.reports.terminal import show_evidence

    same = broken is not None and broken.property == reproduction.property
    if as_json:
        print_json({**_document(reproduction, broken), "evidence": _shown(evidence)})
    elif same:
        assert broken is not None  # it is the same
        out().print(f"[bold red]{harmless(broken.property)}[/] still breaks: {harmless(broken.problem)}")
    elif broken is not None:
        instead = f"[bold red]{harmless(broken.property)}[/] does instead: {harmless(broken.problem)}"
        out().print(f"{harmless(reproduction.property)} does not break any more; {instead}")
    else:
        was = harmless(f"it was {reproduction.property}: {reproduction.problem}")
        out().print(f"[green]nothing breaks[/] any more; {was}")
    if evidence is not None and not as_json:
        out().print()
        show_evidence(evidence, out())
        out().print(f"\n{evidence.code.rstrip()}", markup=False, soft_wrap=True)
    return Exit.VIOLATED if same else Exit.HOLDS


def _peer(
    file: Path, data: bytes, target: str | None, checkout: Path | None, python: Path | None, *, as_json: bool
) -> Exit:
    """The same for a failure of another's allocator."""
    from bandgap.peers.asking import driven_named
    from bandgap.peers.explaining import Driven, explained
    from bandgap.peers.telling import show_life
    from fuzz.peers.environments import is_peer, known_peers
    from fuzz.peers.hunting import Finding
    from fuzz.peers.process import PeerFailed, running
    from fuzz.peers.reproduction import decoded, played_again
    from fuzz.saving import BadFile

    try:
        reproduction = decoded(data)
        evidence = None
        elsewhere = checkout is not None or python is not None
        name = target or (reproduction.target if elsewhere else _release(reproduction.target, reproduction.version))
        if not is_peer(name):
            peers = ", ".join(known_peers())
            raise UsageError("--target", name, "is not known here", f"give --target one of {peers}, or a driver's file")
        with running(driven_named(name, checkout, python)) as process:
            life = played_again(reproduction, process)
            broken, version = life.broke, process.description.version
            if broken is not None:
                finding = Finding(
                    reproduction.setup, broken.property, broken.problem, tuple(life.script), reproduction.fault
                )
                evidence = explained(life, finding, process.description, Driven(name, checkout, python))
    except BadFile as error:
        raise UsageError("FILE", str(file), str(error), "give a failure that was saved") from error
    except PeerFailed as error:
        raise UsageError("FILE", str(file), f"has no answer: {error}", "nothing was learned from it") from error
    same = broken is not None and broken.property == reproduction.property
    if as_json:
        print_json({**_document(reproduction, broken), "version": version, "evidence": _shown(evidence)})
    elif broken is not None:
        still = "still breaks" if same else f"breaks, and {harmless(reproduction.property)} does not"
        out().print(f"[bold red]{harmless(broken.property)}[/] {still}: {harmless(broken.problem)}\n")
        show_life(life, evidence, out())
    else:
        was = harmless(f"it was {reproduction.property}: {reproduction.problem}")
        out().print(f"[green]nothing breaks[/]; {was}")
    return Exit.VIOLATED if same else Exit.HOLDS


def _release(target: str, version: str) -> str:
    """The target with the release in which a failure was found."""
    from fuzz.peers.environments import known_peers

    return f"{target}=={version}" if target in known_peers() and "==" not in target else target
