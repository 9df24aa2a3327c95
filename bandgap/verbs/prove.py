"""`bandgap prove`: the proof obligations, vacuity and necessity."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.output import AsJson, err, out, print_json
from crew.processors import processors

if TYPE_CHECKING:
    from rich.console import RenderableType

    from properties import Limits, Selection

_NAMES = (
    "Only what bears this name or is about it: an action, a property, 'allocate x bijection', a guard sentence, a "
    "seeded fault; or vacuity, necessity, faults."
)
_EXPORT = "Write each obligation, and hypotheses alone, as SMT-LIB 2 files into this folder; any solver can check them."
_CHECK = "Ask Z3 with several seeds, and cvc5, about the files of an --export; all who decide must agree."
_CORES = "Which hypotheses each proof leans on, by its unsatisfiable core."
_BREAK = "Drop this guard sentence, or plant this fault, and prove what it puts in question."


def run(
    names: Annotated[list[str] | None, typer.Argument(metavar="[NAME]...", help=_NAMES)] = None,
    show_names: Annotated[bool, typer.Option("--list", help="Print every name there is, and prove nothing.")] = False,
    weakening: Annotated[str | None, typer.Option("--break", metavar="NAME", help=_BREAK)] = None,
    workers: Annotated[
        int | None, typer.Option(min=1, help="Processes at a time; one for each processor if left out.")
    ] = None,
    effort: Annotated[int | None, typer.Option(min=1, help="What Z3 may spend on a proof, in its own count.")] = None,
    export: Annotated[Path | None, typer.Option(metavar="DIR", help=_EXPORT)] = None,
    check: Annotated[Path | None, typer.Option(metavar="DIR", help=_CHECK)] = None,
    cores: Annotated[bool, typer.Option("--cores", help=_CORES)] = False,
    as_json: AsJson = False,
) -> Exit:
    """Prove the specification for any arena, and show that no proof is empty and no sentence of a guard is idle."""
    # Z3 is slow to import, and only this verb needs it.
    from bandgap.proofs.document import document
    from bandgap.proofs.help import helps_for
    from bandgap.proofs.names import names_document, names_text
    from bandgap.proofs.progress import listening
    from bandgap.proofs.report import outcome, show
    from properties import Verdict
    from properties import run as prove

    console = out()
    if show_names:
        if as_json:
            print_json(names_document())
        else:
            show(console, names_text())
        return Exit.HOLDS
    if check is not None:
        return _checked(check, workers, as_json)
    selection = _selection(_joined(names or []), weakening)
    if export is not None:
        return _exported(export, selection, weakening, workers, as_json)
    if cores:
        return _cores(selection, workers, as_json)
    with listening(selection, None if as_json else console) as on_result:
        report = prove(selection, weakening=weakening, limits=_limits(effort), jobs=workers, on_result=on_result)
    helps = helps_for(report, workers or processors(), err() if as_json else console)
    if as_json:
        print_json(document(report, helps))
    else:
        show(console, outcome(report, helps, console.width))
    exits = {Verdict.PROVED: Exit.HOLDS, Verdict.VIOLATED: Exit.VIOLATED, Verdict.UNKNOWN: Exit.INCONCLUSIVE}
    return exits[report.verdict]


def _checked(directory: Path, workers: int | None, as_json: bool) -> Exit:
    from bandgap.proofs.files import agreement, agreement_text
    from properties.export import exported

    try:
        files = exported(directory)
    except ValueError as error:
        raise UsageError("--check", str(directory), str(error), "give a folder of `bandgap prove --export`") from error
    found = agreement(directory, files, workers or processors())
    print_json(found.document()) if as_json else _show(agreement_text(found))
    return found.exit


def _exported(
    directory: Path, selection: "Selection", weakening: str | None, workers: int | None, as_json: bool
) -> Exit:
    from properties.export import export

    files = export(directory, selection, weakening, workers or processors())
    if not files:
        raise UsageError(
            "--export", str(directory), "what was chosen has no SMT-LIB", "contracts are CrossHair's alone"
        )
    if as_json:
        print_json({"directory": str(directory), "files": files})
    else:
        out().print(f"{len(files)} files, manifest.json and README.md in {directory}", soft_wrap=True)
    return Exit.HOLDS


def _cores(selection: "Selection", workers: int | None, as_json: bool) -> Exit:
    from bandgap.proofs.files import cores_document, cores_text
    from properties.cores import cores

    found = tuple(cores([o for o in selection.obligations if o.kind != "contract"], workers or processors()))
    print_json(cores_document(found)) if as_json else _show(cores_text(found))
    return Exit.HOLDS if found and all(each.leans_on is not None for each in found) else Exit.INCONCLUSIVE


def _show(parts: Iterable["RenderableType"]) -> None:
    """Print them one by one."""
    for part in parts:
        out().print(part, soft_wrap=isinstance(part, str))


def _selection(names: Sequence[str], weakening: str | None) -> "Selection":
    from properties import UnknownName, broken, selected

    try:
        return selected(names) if weakening is None else broken(weakening, names)
    except UnknownName as error:
        near = f"did you mean {' or '.join(map(repr, error.near))}?" if error.near else "--list prints every name"
        field = "--break" if error.name == weakening else "NAME"
        raise UsageError(field, error.name, error.problem, near) from error


def _joined(names: Sequence[str]) -> list[str]:
    """The names, with an obligation's that was not quoted, `allocate x bijection`, made one again."""
    joined: list[str] = []
    rest = list(names)
    while rest:
        words = 3 if rest[1:2] == ["x"] and len(rest) > 2 else 1
        joined.append(" ".join(rest[:words]))
        del rest[:words]
    return joined


def _limits(effort: int | None) -> "Limits":
    from dataclasses import replace

    from properties import USUAL

    return USUAL if effort is None else replace(USUAL, effort=effort)
