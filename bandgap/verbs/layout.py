"""`bandgap layout`: what a model's kinds, entries and pages look like in bytes."""

import re
from typing import Annotated

import typer

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.layout_report import document, tables
from bandgap.model_options import DTYPES, FLAGS, KvDtype, KvDtypeOption, PageTokens
from bandgap.output import AsJson, out, print_json
from bandgap.sizes import parse_bytes
from impl.layout import Draft, DType, LayoutError, Options, layout_of, preset_names
from impl.layout.options import DEFAULT_PAGE_TOKENS

_DRAFT_HELP = "Fuse a draft model's layers: LAYERS[:DTYPE][:HEADSxDIM][:windowTOKENS], such as 1:bf16:8x128."
_DRAFT_DTYPES = {"bf16": DType.BF16, "fp16": DType.FP16, "fp8": DType.FP8_E4M3, "fp8_e4m3": DType.FP8_E4M3}


def run(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help=f"A config.json, its folder, or one of: {', '.join(preset_names())}.")
    ],
    page_tokens: PageTokens = DEFAULT_PAGE_TOKENS,
    kv_dtype: KvDtypeOption = KvDtype.BF16,
    tp: Annotated[int, typer.Option(help="Tensor-parallel ranks; the bytes printed are of one.")] = 1,
    draft: Annotated[str | None, typer.Option(help=_DRAFT_HELP)] = None,
    memory: Annotated[str, typer.Option(help="What is to hold it, decimal (141GB) or binary (128GiB).")] = "141GB",
    as_json: AsJson = False,
) -> Exit:
    """What a model's kinds, entries and pages look like in bytes, and what fits."""
    memory_bytes = parse_bytes("--memory", memory)
    try:
        options = Options(page_tokens, DTYPES[kv_dtype], tp, None if draft is None else _parse_draft(draft))
        layout = layout_of(model, options)
    except LayoutError as error:
        raise UsageError(FLAGS.get(error.field, error.field), error.value, error.problem, error.remedy) from error
    if as_json:
        print_json(document(layout, memory_bytes))
    else:
        out().print(*tables(layout, memory_bytes), sep="\n")
    return Exit.HOLDS


def _parse_draft(text: str) -> Draft:
    """Reads `LAYERS[:DTYPE][:HEADSxDIM][:windowTOKENS]`."""
    dtypes = "|".join(_DRAFT_DTYPES)
    match = re.fullmatch(
        rf"(\d{{1,9}})(?::({dtypes}))?(?::(\d{{1,9}})x(\d{{1,9}}))?(?::window(\d{{1,9}}))?", text, re.A
    )
    if match is None:
        raise UsageError("--draft", text, "is no draft model", "write it as 1, 1:fp8, 1:bf16:8x128 or 1:bf16:window512")
    heads, dim, window = (None if number is None else int(number) for number in match.groups()[2:])
    return Draft(int(match[1]), _DRAFT_DTYPES[match[2]] if match[2] else None, heads, dim, window)
