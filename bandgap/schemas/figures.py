"""What the verbs that count bytes, measure and predict print with `--json`."""

from typing import Any

import msgspec


class Layout(msgspec.Struct):
    """`bandgap layout`; sizes are bytes of one rank."""

    model: str
    source: str
    page_tokens: int
    kv_dtype: str
    tp_size: int
    max_context: int | None
    chain: list[str]
    kinds: dict[str, dict[str, Any]]
    fits: dict[str, Any]


class Figure(msgspec.Struct):
    """A median of some rounds, beside a peer's."""

    name: str
    value: float
    unit: str
    spread: float | None
    peer: str | None
    peer_value: float | None
    ratio: float | None
    note: str


class Bench(msgspec.Struct):
    """`bandgap bench allocator`, `bandgap bench fuzz`, `bandgap bench judge`, `bandgap bench recorder`."""

    rows: list[Figure]
    surroundings: dict[str, str]


class Replay(msgspec.Struct):
    """`bandgap replay`; times are seconds, sizes bytes."""

    requests: int
    settings: dict[str, Any]
    outcomes: list[dict[str, Any]]
    interrupted: bool


class SweepPoint(msgspec.Struct):
    """What came of one set of values."""

    values: dict[str, Any]
    outcome: dict[str, Any]


class Sweep(msgspec.Struct):
    """`bandgap replay --sweep`; times are seconds, sizes bytes."""

    settings: dict[str, Any]
    points: list[SweepPoint]
