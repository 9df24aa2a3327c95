"""How heads are divided among tensor-parallel ranks."""

from impl.layout.errors import LayoutError


def divided(heads: int, tp_size: int, field: str) -> int:
    """Heads of one rank, where each head lies on one rank.

    Raises:
        LayoutError: the ranks do not divide the heads.
    """
    if heads % tp_size:
        raise LayoutError("tp_size", tp_size, f"does not divide {field} = {heads}", f"choose a divisor of {heads}")
    return heads // tp_size


def divided_or_replicated(heads: int, tp_size: int, field: str) -> int:
    """KV heads of one rank; with more ranks than heads, equally many ranks keep a copy of each.

    Raises:
        LayoutError: neither number divides the other.
    """
    if tp_size > heads and tp_size % heads == 0:
        return 1
    if heads % tp_size:
        remedy = f"choose a divisor or a multiple of {heads}"
        raise LayoutError("tp_size", tp_size, f"neither divides nor is a multiple of {field} = {heads}", remedy)
    return heads // tp_size
