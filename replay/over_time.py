"""What a run looked like over time, as lists."""

from collections.abc import Callable, Sequence
from typing import Any

from replay.outcome import Outcome


def over_time_of(outcome: Outcome) -> dict[str, Any]:
    """The samples, one list for each figure."""
    samples = outcome.timeline

    def by_kind(read: Callable[[Any], Sequence[int]]) -> dict[str, list[int]]:
        return {name: [read(each.occupancy)[band] for each in samples] for band, name in enumerate(outcome.kinds)}

    return {
        "seconds": [round(sample.at, 6) for sample in samples],
        "running": [sample.running for sample in samples],
        "waiting": [sample.waiting for sample in samples],
        "used_bytes": by_kind(lambda occupancy: occupancy.used),
        "idle_bytes": by_kind(lambda occupancy: occupancy.idle),
        "begins": by_kind(lambda occupancy: occupancy.begins),
        "ends": by_kind(lambda occupancy: occupancy.ends),
        "shared_bytes": [sample.occupancy.shared for sample in samples],
        "fragmentation": [round(sample.occupancy.fragmentation, 4) for sample in samples],
    }
