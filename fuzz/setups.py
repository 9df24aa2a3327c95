"""The layouts and arenas of runs: real models with few layers, and small chains whose page sizes do not divide."""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

from impl.chain import chain_for
from impl.layout import DType, Kind, Layout, Lifetime, Options, Stored, layout_of, with_fewer_layers
from impl.layout.rows import place

MODELS: dict[str, tuple[int, int, int]] = {
    "gpt-oss-20b": (4, 1, 40),
    "qwen3.5-4b": (32, 4, 60),
    "kimi-k3": (16, 32, 60),
    "gemma-4-31b": (2, 1, 60),
    "inkling-small": (4, 1, 40),
}
"""Of each model: tokens in a page, tensor-parallel ranks, and the pages of full attention that the arena could hold.

Pages of token kinds are large enough that a state slot is not worth thousands of them, and the arenas so small that
admission is always at its edge.
"""

TOYS: dict[str, tuple[int, dict[str, tuple[int, ...]], int]] = {
    "toy-state-full": (2, {"state": (80, 24), "full": (16,)}, 60),
    "toy-window-full": (3, {"window6": (48,), "full": (20, 32)}, 50),
    "toy-three": (1, {"state": (112,), "window3": (32,), "full": (48,)}, 40),
    "toy-four": (2, {"state": (208,), "window8": (24, 40), "window4": (16,), "full": (80,)}, 40),
    "toy-three-windows": (1, {"window9": (112,), "window5": (16,), "window3": (80,), "full": (48,)}, 36),
}
"""Of each: tokens in a page, the bytes of each kind's rows, and the pages of full attention that the arena could hold.

Rows whose bytes are no multiple of 16 leave padding between them.
"""

_DTYPES = (DType.BF16, DType.FP32, DType.FP8_E4M3, DType.FP16, DType.UINT8)


@dataclass(frozen=True)
class Setup:
    """What an allocator is built from, under a name."""

    name: str
    layout: Layout
    arena_bytes: int

    @cached_property
    def state_kinds(self) -> tuple[Kind, ...]:
        """The kinds of which a request has one page."""
        return tuple(kind for kind in self.layout.kinds if kind.lifetime is Lifetime.STATE)


SMALL_SIZES = (1, 2, 3)
"""Of the pages of each kind, in units of 16 bytes: all ratios of small numbers."""


def small_names() -> tuple[str, ...]:
    """Setups of a state, a float and full attention with pages of every small size, each beside every other."""
    return tuple("small-" + "-".join(map(str, sizes)) for sizes in product(SMALL_SIZES, repeat=3))


def setup_of(name: str) -> Setup:
    """The setup of a model or toy, or one of pages of small sizes; KeyError if there is none of that name."""
    if name in MODELS:
        page_tokens, ranks, pages = MODELS[name]
        layout = with_fewer_layers(layout_of(name, Options(page_tokens=page_tokens, tp_size=ranks)), divide_by=1000)
    else:
        page_tokens, kinds, pages = TOYS[name] if name in TOYS else _small(name)
        layout = Layout(name, "", _toy_kinds(kinds, page_tokens), page_tokens, DType.BF16, 1, None)
    return Setup(name, layout, _arena_bytes(layout, pages))


def _small(name: str) -> tuple[int, dict[str, tuple[int, ...]], int]:
    """As `TOYS` has it."""
    if name not in small_names():
        raise KeyError(name)
    state, window, full = (16 * int(size) for size in name.split("-")[1:])
    return 1, {"state": (state,), "window3": (window,), "full": (full,)}, 18


def setup_names() -> tuple[str, ...]:
    """Every setup there is: the toys, which are fast, come first."""
    return (*TOYS, *MODELS)


def _toy_kinds(kinds: dict[str, tuple[int, ...]], page_tokens: int) -> tuple[Kind, ...]:
    # no layer is in two kinds: a row is known by its layer
    made: list[Kind] = []
    for name, rows in kinds.items():
        made.append(_toy_kind(name, rows, page_tokens, sum(len(kind.rows) for kind in made)))
    return tuple(made)


def _toy_kind(name: str, row_bytes: tuple[int, ...], page_tokens: int, first_layer: int) -> Kind:
    lifetime = next(each for each in Lifetime if name.startswith(each.value))
    window = int(name.removeprefix("window")) if lifetime is Lifetime.WINDOW else None
    stored = [
        _toy_row(lifetime, window, first_layer + number, _DTYPES[(number + nbytes // 8) % len(_DTYPES)], nbytes)
        for number, nbytes in enumerate(row_bytes)
    ]
    rows, entry_bytes = place(stored)
    return Kind(name, lifetime, window, rows, entry_bytes, 1 if lifetime is Lifetime.STATE else page_tokens)


def _toy_row(lifetime: Lifetime, window: int | None, layer: int, dtype: DType, nbytes: int) -> Stored:
    # kinds and layers are of different dtypes, so that a view of the wrong type shows
    return Stored(layer, lifetime, window, "toy", (nbytes // dtype.itemsize,), dtype, False)


def _arena_bytes(layout: Layout, pages: int) -> int:
    full = layout.kinds[-1].page_bytes
    base = chain_for(layout, 1 << 40).base
    # a page more than a multiple, so that the top of the arena is no multiple of the other page sizes
    return base // full * full + (pages + 1) * full
