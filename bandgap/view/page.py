"""The page: one HTML file that needs nothing else. Every value in it is escaped, for names come from traces."""

import base64
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment

from bandgap.pictures.scale import UNITS
from bandgap.reports.templating import templates
from bandgap.view.viewing import Viewed
from spec.judge.checks import prose_of_check


def write_page(viewed: Viewed, path: Path) -> None:
    """Write the page; its folder is made if need be."""
    script = files("bandgap.view").joinpath("templates/view.js").read_text()
    # the template puts a newline on either side, and browsers hash what stands between the tags
    digest = base64.b64encode(sha256(f"\n{script}".encode()).digest()).decode()
    text = (
        _templates()
        .get_template("view.html.jinja")
        .render(
            viewed=viewed,
            data=viewed.data,
            grid=viewed.data["grid"] if viewed.data else None,
            outcome=outcome(viewed),
            prose=prose_of_check(viewed.finding.check) if viewed.finding else "",
            digest=digest,
        )
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8", errors="backslashreplace")


def outcome(viewed: Viewed) -> str:
    """One word for what the trace is."""
    if viewed.finding is not None:
        return "damaged" if viewed.finding.blame == "trace" else "illegal"
    return "interrupted" if viewed.interrupted else "inconclusive" if viewed.lost else "legal"


def size(amount: float) -> str:
    """Bytes in the largest binary unit of which there is one."""
    unit = 0
    while amount >= 1024 and unit + 1 < len(UNITS):
        amount, unit = amount / 1024, unit + 1
    return f"{amount:.4g} {UNITS[unit]}iB" if unit else f"{amount:,.0f} B"


@cache
def _templates() -> Environment:
    environment = templates("bandgap.view")
    environment.filters["size"] = size
    return environment
