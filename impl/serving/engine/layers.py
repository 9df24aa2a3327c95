"""What a layout says of each layer: its parts, and how far it looks back."""

from collections.abc import Mapping
from dataclasses import dataclass

from impl.layout import Layout, Row
from impl.misuse import Misuse


@dataclass(frozen=True, slots=True)
class Layer:
    """A layer of a model, known by what it stores.

    Attributes:
        number: from 0.
        rows: by part.
        window: tokens that it looks back on, itself included; None for all, or where it has no attention.
    """

    number: int
    rows: Mapping[str, Row]
    window: int | None


KNOWN = frozenset({"k", "v", "latent", "recurrent", "conv_qkv", "conv_k", "conv_v", "conv_attn_out", "conv_mlp_out"})
"""The parts that the engine computes."""


def layers_of(layout: Layout, *, draft: bool = False) -> tuple[Layer, ...]:
    """The layers of a model, or of the draft model that is fused into its entries.

    Raises:
        Misuse: a layer stores a part that the engine does not compute.
    """
    rows: dict[int, dict[str, Row]] = {}
    windows: dict[int, int | None] = {}
    for kind in layout.kinds:
        for row in kind.rows:
            if row.draft != draft:
                continue
            if row.part not in KNOWN:
                raise Misuse(
                    "layout",
                    row.part,
                    f"layer {row.layer} keeps it, and the engine computes no such part",
                    f"give a model whose layers keep {', '.join(sorted(KNOWN))}",
                )
            rows.setdefault(row.layer, {})[row.part] = row
            if kind.window is not None:
                windows[row.layer] = kind.window
    return tuple(Layer(number, rows[number], windows.get(number)) for number in sorted(rows))
