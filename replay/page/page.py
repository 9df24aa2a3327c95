"""The page. Every value that goes into it is escaped: names come from traces and models."""

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from plotly.offline import get_plotlyjs

from replay.advice import fewer_active, recommendation
from replay.comparison import Comparison
from replay.cost.device import DEVICES
from replay.cost.step import CONSTANTS
from replay.figures import FIGURES, GB, difference, gigabytes, outcomes_of, told
from replay.over_time import over_time_of


def write_page(comparison: Comparison, path: Path) -> None:
    """Write the page, plotting library included, so that nothing is fetched when it is read."""
    settings = comparison.settings
    outcomes = outcomes_of(comparison)
    rows = []
    for title, read, show in FIGURES:
        values = [read(outcome) for outcome in outcomes]
        against = [difference(values[0], value, show) for value in values[1:]]
        rows.append((title, list(map(show, values)), against))
    text = (
        _templates()
        .get_template("replay.html.jinja")
        .render(
            comparison=comparison,
            settings=settings,
            layout=settings.layout,
            outcomes=outcomes,
            rows=rows,
            told=list(map(told, outcomes)),
            arena=gigabytes(settings.arena_bytes),
            advice=recommendation(comparison),
            fewer=fewer_active(comparison),
            device=DEVICES[settings.device],
            weights=settings.costs.weights,
            constants={name: f"{getattr(settings.constants, name):.3g}" for name in CONSTANTS},
            data=_data(comparison),
            plotly=get_plotlyjs().replace("</script", "<\\/script"),
        )
    )
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


def _data(comparison: Comparison) -> dict[str, Any]:
    """What the page draws: of each memory the samples, with bytes in GB."""
    memories = []
    for outcome in outcomes_of(comparison):
        over_time = over_time_of(outcome)
        for name in ("used_bytes", "idle_bytes", "begins", "ends"):
            over_time[name] = {
                kind: [round(value / GB, 4) for value in values] for kind, values in over_time[name].items()
            }
        del over_time["shared_bytes"]
        memories.append(
            {"name": outcome.memory, "kinds": outcome.kinds, "capacity": outcome.capacity / GB, **over_time}
        )
    return {"memories": memories}


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("replay.page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["thousands"] = lambda number: f"{number:,}"
    return environment
