"""`bandgap docs`: the documents, generated from the specification."""

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.output import AsJson, err, out, print_json

if TYPE_CHECKING:
    from bandgap.documents.writing import Drift


def run(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; say what is out of date, and exit with 1 if anything is.")
    ] = False,
    lock: Annotated[
        bool, typer.Option("--lock", help="Renew spec.lock instead, and say what changed in the specification.")
    ] = False,
    campaign: Annotated[
        Path | None,
        typer.Option(
            "--exercised", metavar="DIR", help="First put on record what the campaign of this folder exercised."
        ),
    ] = None,
    site: Annotated[Path, typer.Option(metavar="DIR", help="Where the site is built.")] = Path("build/docs"),
    as_json: AsJson = False,
) -> Exit:
    """Write what is generated in docs/, and the site, all of it from what the checkers themselves use."""
    # Everything that documents are made of is slow to import.
    from bandgap.documents.writing import ROOT, drifts, write_documents, write_lock

    if check:
        return _checked(drifts(ROOT), as_json=as_json)
    if lock:
        return _locked(write_lock(ROOT), as_json=as_json)
    if campaign is not None:
        from bandgap.documents.exercised import write_exercised

        write_exercised(campaign)
    documents = write_documents(ROOT)
    page, problem = _site(ROOT, site)
    if as_json:
        print_json(written_document(documents, page, problem))
    else:
        for path in documents:
            out().print(f"written  {path}", markup=False, soft_wrap=True)
        if page:
            out().print(f"site     {page}", markup=False, soft_wrap=True)
    if problem:
        err().print(problem, markup=False)
    return Exit.MISUSED if problem else Exit.HOLDS


def written_document(documents: Sequence[Path], page: Path | None, problem: str) -> dict[str, Any]:
    """What `bandgap docs --json` prints: the documents, the site's first page, and why there is no site."""
    return {"written": [str(path) for path in documents], "site": page and str(page), "problem": problem}


def _site(root: Path, folder: Path) -> tuple[Path | None, str]:
    """The site's first page, or why there is none."""
    from bandgap.documents.site import NoGenerator, build_site

    try:
        return build_site(root, folder.resolve()), ""
    except NoGenerator as missing:
        return None, f"the site needs {missing}: pip install -e '.[docs]', or make docs"
    except OSError as failed:
        problem = f"cannot be written ({failed.strerror})"
        raise UsageError("--site", str(folder), problem, "give a folder of yours") from failed
    except subprocess.CalledProcessError as failed:
        return None, f"Sphinx objects to the site:\n{failed.stderr}"


def _checked(found: tuple["Drift", ...], *, as_json: bool) -> Exit:
    if as_json:
        print_json({"current": not found, "drifts": found})
    else:
        for drift in found:
            out().print(f"{drift.file} {drift.problem}; run {drift.remedy}", markup=False, soft_wrap=True)
        if not found:
            out().print("[green]The documents and the lock are up to date.[/]")
    return Exit.VIOLATED if found else Exit.HOLDS


def _locked(changed: tuple[str, ...], *, as_json: bool) -> Exit:
    document: dict[str, Any] = {"changes": list(changed)}
    if as_json:
        print_json(document)
    else:
        for change in changed:
            out().print(change, markup=False, soft_wrap=True)
        if not changed:
            out().print("spec.lock was up to date.")
    return Exit.HOLDS
