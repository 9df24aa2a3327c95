"""What a layout is made of: rows in entries, entries in pages, pages in kinds, kinds in a chain."""

from dataclasses import dataclass
from enum import Enum
from math import prod

from impl.layout.dtypes import DType


class Lifetime(Enum):
    """How long an entry is needed."""

    FULL = "full"
    """As long as its request."""

    WINDOW = "window"
    """Until it is further back than the window."""

    STATE = "state"
    """As long as its request, which has exactly one and overwrites it."""


@dataclass(frozen=True, slots=True)
class Row:
    """What one part of one layer stores for one token, or for one state slot."""

    layer: int
    """From 0; a draft model's layers are numbered on after the target's."""
    part: str
    """Such as `k`, `v`, `latent`, `index_key`, `recurrent`, `conv_qkv`."""
    shape: tuple[int, ...]
    """Elements, on one tensor-parallel rank."""
    dtype: DType
    offset: int
    """Bytes from the beginning of the entry, a multiple of 16."""
    draft: bool = False
    """Whether it belongs to a draft model's layer fused into the target's entry."""

    @property
    def nbytes(self) -> int:
        """Bytes of the row, without what follows it for alignment."""
        return prod(self.shape) * self.dtype.itemsize


@dataclass(frozen=True, slots=True)
class Kind:
    """The parts of layers that share a lifetime and an allocation unit."""

    name: str
    """`full`, `window<W>` with W in tokens, or `state`."""
    lifetime: Lifetime
    window: int | None
    """Tokens; None but for a window."""
    rows: tuple[Row, ...]
    """By offset."""
    entry_bytes: int
    """Bytes of one token's rows, or of one state slot; a multiple of 16."""
    page_tokens: int
    """Entries in a page: the layout's page size for token kinds, 1 for state."""

    @property
    def page_bytes(self) -> int:
        """Bytes of one page."""
        return self.page_tokens * self.entry_bytes


@dataclass(frozen=True, slots=True)
class Layout:
    """A model's memory on one tensor-parallel rank."""

    model: str
    source: str
    """Where the configuration came from: a path, or the address a preset was taken from; may be empty."""
    kinds: tuple[Kind, ...]
    """In chain order, from low to high addresses: state, windows with the longest first, full."""
    page_tokens: int
    kv_dtype: DType
    """Of K, V and latent rows; draft, index and state rows have their own."""
    tp_size: int
    max_context: int | None
    """Tokens that the model takes; None where the configuration does not say."""

    def kind(self, name: str) -> Kind:
        """The kind of that name; KeyError if the model has none."""
        for kind in self.kinds:
            if kind.name == name:
                return kind
        raise KeyError(name)
