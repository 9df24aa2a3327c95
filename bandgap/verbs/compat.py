"""`bandgap compat`: which models and features of serving go together."""

from pathlib import Path
from typing import Annotated

import typer

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.output import AsJson, out, print_json


def run(
    config: Annotated[
        Path | None,
        typer.Argument(metavar="[CONFIG]", help="TOML or JSON: model, features, page_tokens, kv_dtype."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(metavar="M", help="A preset, a config.json, or a sort of model such as full+window.")
    ] = None,
    feature: Annotated[list[str] | None, typer.Option(metavar="F", help="A feature; may be given again.")] = None,
    page_tokens: Annotated[int | None, typer.Option(help="Tokens in a page.")] = None,
    kv_dtype: Annotated[str | None, typer.Option(help="bf16 or fp8.")] = None,
    as_json: AsJson = False,
) -> Exit:
    """Whether a set-up is allowed (exit code 0), refused (2) or untested (3); without one, all that is known."""
    from bandgap.compatibility.cells import answer
    from bandgap.compatibility.reading import Setup, known, read_setup, with_options
    from bandgap.compatibility.telling import document, report, table_document, tables, tables_of
    from bandgap.compatibility.words import SORTS
    from impl.layout import UnsupportedModel

    told = Setup() if config is None else read_setup(config)
    setup = with_options(told, model, feature or [], page_tokens, kv_dtype)
    if config is None and setup == Setup():
        if as_json:
            print_json(table_document(SORTS))
        else:
            out().print(*tables(), sep="\n")
        return Exit.HOLDS
    try:
        asked = known(setup)
    except UnsupportedModel as refused:
        raise UsageError(f"model: {refused.field}", refused.value, refused.problem, refused.remedy) from refused
    found = answer(asked.sort, asked.features)
    name = setup.model or asked.sort
    if as_json:
        print_json(document(found, name))
    elif config is None and not asked.features and found.verdict != "refused":
        out().print(*tables_of(asked.sort), sep="\n")
    else:
        out().print(*report(found, name), sep="\n", soft_wrap=True)
    return {"allowed": Exit.HOLDS, "refused": Exit.MISUSED, "untested": Exit.INCONCLUSIVE}[found.verdict]
