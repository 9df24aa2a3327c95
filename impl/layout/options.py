"""What is chosen when a model is served, as opposed to what its configuration says."""

from dataclasses import dataclass

from impl.layout.dtypes import DType
from impl.layout.errors import LayoutError

MAX_PAGE_TOKENS = 256
MAX_TP_SIZE = 1024
MAX_DRAFT_LAYERS = 64

# The one page size that FlashMLA's kernels take; windows of 128 tokens and up are multiples of it, and a page of a
# small model is already a megabyte, so that moves are bound by bandwidth and not by their number.
DEFAULT_PAGE_TOKENS = 64

KV_DTYPES = (DType.BF16, DType.FP8_E4M3)
DRAFT_DTYPES = (DType.BF16, DType.FP16, DType.FP8_E4M3)


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft model for speculative decoding whose layers are fused into the target's entries.

    What is None is as in the target: the KV dtype, the geometry of a full-attention layer, the lifetime `full`.
    """

    layers: int
    dtype: DType | None = None
    kv_heads: int | None = None
    """Of the whole draft model, before tensor parallelism; together with `head_dim`."""
    head_dim: int | None = None
    window: int | None = None
    """Tokens; a length that the target lacks becomes a kind of its own."""

    def __post_init__(self) -> None:
        """Raises LayoutError for a value outside its bounds."""
        _within("draft.layers", self.layers, 1, MAX_DRAFT_LAYERS)
        if self.dtype is not None and self.dtype not in DRAFT_DTYPES:
            raise LayoutError("draft.dtype", self.dtype.value, "no draft model keeps it", _one_of(DRAFT_DTYPES))
        if (self.kv_heads is None) != (self.head_dim is None):
            missing = "draft.kv_heads" if self.kv_heads is None else "draft.head_dim"
            raise LayoutError(missing, None, "is missing", "give both heads and head size, or neither")
        for name, value in (("kv_heads", self.kv_heads), ("head_dim", self.head_dim)):
            if value is not None:
                _within(f"draft.{name}", value, 1, 65_536)
        if self.window is not None:
            _within("draft.window", self.window, 1, 1 << 31)


@dataclass(frozen=True, slots=True)
class Options:
    """How a model is served."""

    page_tokens: int = DEFAULT_PAGE_TOKENS
    """Tokens in a page of every token kind, 1 to 256."""
    kv_dtype: DType = DType.BF16
    """Of K, V and latent rows: bf16, or fp8 with one scale per tensor, which takes no room in an entry."""
    tp_size: int = 1
    """Tensor-parallel ranks, 1 to 1024."""
    draft: Draft | None = None

    def __post_init__(self) -> None:
        """Raises LayoutError for a value outside its bounds."""
        _within("page_tokens", self.page_tokens, 1, MAX_PAGE_TOKENS)
        _within("tp_size", self.tp_size, 1, MAX_TP_SIZE)
        if self.kv_dtype not in KV_DTYPES:
            raise LayoutError("kv_dtype", self.kv_dtype.value, "no KV cache is kept in it", _one_of(KV_DTYPES))


def _within(field: str, value: int, least: int, most: int) -> None:
    if not least <= value <= most:
        raise LayoutError(field, value, f"must be {least} to {most}", "choose a number in that range")


def _one_of(dtypes: tuple[DType, ...]) -> str:
    return "choose " + " or ".join(dtype.value for dtype in dtypes)
