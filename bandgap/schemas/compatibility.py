"""What `bandgap compat` prints with `--json`."""

from typing import Literal

import msgspec


class CompatRefusal(msgspec.Struct):
    """What of a set-up is refused: the field, its value, the reason and the remedy."""

    field: str
    value: str
    problem: str
    remedy: str


class Compat(msgspec.Struct):
    """`bandgap compat CONFIG`; together: whether one run had all features at once."""

    verdict: Literal["allowed", "refused", "untested"]
    model: str
    sort: str
    features: list[str]
    together: bool
    refused: list[CompatRefusal]
    untested: list[list[str]]


class CompatCell(msgspec.Struct):
    """A sort of model with no, one or two features."""

    sort: str
    features: list[str]
    verdict: Literal["allowed", "refused", "untested"]
    reason: str
    remedy: str


class CompatTable(msgspec.Struct):
    """`bandgap compat`."""

    cells: list[CompatCell]
