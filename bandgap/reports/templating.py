"""Templates of pages. Every value that goes into one is escaped: names come from traces and models."""

from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from bandgap.output import visible


def _visible(value: object) -> object:
    """Nothing in a page hides or turns round what stands beside it."""
    return type(value)(visible(value)) if isinstance(value, str) else value


@cache
def templates(package: str = "bandgap.reports") -> Environment:
    """The templates of a package; a name that is missing in one is an error, never an empty place."""
    environment = Environment(
        loader=PackageLoader(package),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_visible,
    )
    environment.filters["thousands"] = lambda number: f"{number:,}"
    return environment
