"""How a model's layout is asked for, the same for every verb that reads one."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Final

import typer

from impl.layout import DType


class KvDtype(StrEnum):
    """The dtypes of K, V and latent rows, as they are chosen."""

    BF16 = "bf16"
    FP8 = "fp8"


DTYPES: Final[Mapping[KvDtype, DType]] = {KvDtype.BF16: DType.BF16, KvDtype.FP8: DType.FP8_E4M3}
"""What they are in a layout."""

PageTokens = Annotated[int, typer.Option(help="Tokens in a page, 1 to 256.")]
"""As the parameter `page_tokens`."""

KvDtypeOption = Annotated[KvDtype, typer.Option(help="The dtype of K, V and latent rows.")]
"""As the parameter `kv_dtype`."""

FLAGS: Final[Mapping[str, str]] = {"page_tokens": "--page-tokens", "tp_size": "--tp", "kv_dtype": "--kv-dtype"}
"""The options, by the fields of a layout's options that they say."""
