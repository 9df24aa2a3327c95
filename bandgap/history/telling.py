"""A history in the terminal."""

from collections.abc import Iterator

from bandgap.history.chain import History
from bandgap.output import harmless


def lines(history: History) -> Iterator[str]:
    """Where it broke, whom it concerns and how it came to that: whole lines, with markup."""
    place = f"line {history.line:,}" + (f", in call {history.call:,}" if history.call else "")
    yield f"[dim]where  [/]  {place}" + (f": {harmless(history.request)}" if history.request else "")
    if history.event:
        yield f"[dim]event  [/]  {harmless(history.event)}"
    for number, ticket in enumerate(history.tickets):
        yield f"[dim]{'' if number else 'tickets':<7}[/]  {harmless(ticket)}"
    yield ""
    yield "[bold]how it came to that[/] [dim](line of the trace, call, what happened)[/]"
    widths = [max(len(f"{getattr(entry, name):,}") for entry in history.entries) for name in ("line", "call")]
    for entry in history.entries:
        margin = f"{entry.line:>{widths[0]},}  {entry.call or '':>{widths[1]}}"
        yield f"[dim]{margin}[/]  {harmless(entry.says)}"
        if entry.bears:
            bold = "bold red" if entry is history.entries[-1] else "dim"
            yield f"{'':{len(margin)}}  [{bold}]→ {harmless(entry.bears)}[/]"
