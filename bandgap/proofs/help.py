"""What helps with a violated obligation: how small an arena shows it, how it comes about, what mends it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from bandgap.pictures.wording import event
from properties import Answer
from properties.failing.helping import Found, Help, helps
from properties.failing.repairs import Repair
from properties.failing.routes import Route
from properties.failing.smallest import Smallest, used
from properties.judging import Counterexample
from properties.obligations import Obligation
from properties.report import Report
from properties.specification import written

CALLED = {"band": "band", "page": "page", "ticket": "ticket", "vid": "id", "publisher": "publisher", "access": "access"}


def helps_for(report: Report, jobs: int, console: Console | None) -> Mapping[Obligation, Help]:
    """Help with what a report says is violated, by obligation; on a terminal with a word of what is going on."""
    if not any(answer.counterexample or answer.found for answer in report.answers):
        return {}
    with _telling(console) as tell:
        found = helps(report.answers, report.weakening, jobs, tell)
    return {each.obligation: each for each in found}


@contextmanager
def _telling(console: Console | None) -> Iterator[Any]:
    if console is None or not console.is_terminal:
        yield lambda _: None
        return
    columns = SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as line:
        first = "looking for the smallest arena, how it comes about and what mends it (Ctrl-C: enough)"
        task = line.add_task(first)

        def tell(found: Found) -> None:
            of = found.obligation.name if isinstance(found, Help) else f"what mends {found[0]}"
            line.update(task, description=f"{first}; known: {of}")

        yield tell


def shown(answer: Answer, help_: Help | None) -> Counterexample | None:
    """The counterexample to be drawn."""
    better = None if help_ is None else help_.shown
    return answer.counterexample if better is None else better


def said(help_: Help) -> Iterator[tuple[str, str]]:
    """What helps, in sentences with a title each."""
    if help_.smallest is not None:
        yield "smallest", _smallest(help_.smallest)
    if help_.route is not None:
        yield "comes about", _route(help_.route, help_.obligation)
    if help_.repair is not None:
        yield "mended by", _repair(help_.repair, help_.obligation)
    if help_.apart:
        yield "no more", f"{help_.apart[:1].upper()}{help_.apart[1:]}."


def _smallest(found: Smallest) -> str:
    least = "nothing smaller refutes it" if found.is_least else "a smaller one may refute it: a limit was reached"
    return f"An arena of {_counted(_used(found.counterexample))}; {least}."


def _used(found: Counterexample) -> Mapping[str, int]:
    example = found.example
    sorts = () if example.action is None else written(example.action).actions[example.action].sorts
    return used(example, tuple(zip(sorts, example.arguments, strict=True)))


def _counted(counts: Mapping[str, int]) -> str:
    every = [_number(count, CALLED[sort]) for sort, count in counts.items() if count or sort == "page"]
    return " and ".join([", ".join(every[:-1]), every[-1]] if len(every) > 1 else every)


def _number(count: int, what: str) -> str:
    plural = f"{what}es" if what.endswith("s") else f"{what}s"
    return f"{count or 'no'} {what if count == 1 else plural}"


def _route(found: Route, obligation: Obligation) -> str:
    if found.found is not None:
        last = found.found.example
        steps = [event(step) for step in found.steps]
        end = f"then {event(last)} breaks {obligation.property}" if last.action else f"{obligation.property} is false"
        if not steps:
            return f"At once, in an empty arena: {end}."
        return f"Reachable in {_number(len(steps), 'action')} from an empty arena: {', '.join(steps)}; {end}."
    if not found.states:
        return "No arena like it may be at the start: no way was looked for."
    return (
        f"Not reached within {found.bound} actions from an empty arena ({found.states:,} states seen). It may be a "
        "state that never comes about, which no invariant excludes; that is not shown."
    )


def _repair(found: Repair, obligation: Obligation) -> str:
    if not found.sentence:
        rest = "" if found.is_whole else ", and not all that could be said was tried"
        return f"No single sentence of a guard does, of {found.tried:,} that were tried{rest}."
    of = [f"as in {found.action}"] if found.action else []
    where = ", ".join([*of, *[found.where] * bool(found.where)])
    return (
        f"“{found.sentence}”{f' ({where})' if where else ''} in the guard of {obligation.stage}: with it everything "
        f"that {obligation.stage} must keep is proved, and it can still happen."
    )


def help_document(help_: Help | None) -> dict[str, Any] | None:
    """The same as fields; what was not looked for is null."""
    if help_ is None:
        return None
    return {
        "action": help_.obligation.action,
        "property": help_.obligation.property,
        "smallest": _smallest_document(help_.smallest),
        "reached": _route_document(help_.route),
        "repair": _repair_document(help_.repair),
        "not_applicable": help_.apart,
    }


def _smallest_document(found: Smallest | None) -> dict[str, Any] | None:
    if found is None:
        return None
    counts = {f"{CALLED[sort]}s": count for sort, count in _used(found.counterexample).items() if sort != "access"}
    return {**counts, "page_bytes": found.counterexample.example.before.shape.sizes, "is_least": found.is_least}


def _route_document(found: Route | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "is_reached": found.found is not None,
        "actions": [event(step) for step in found.steps],
        "states_seen": found.states,
        "bound": found.bound,
    }


def _repair_document(found: Repair | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {
        "sentence": found.sentence,
        "as_in": found.action,
        "where": found.where,
        "tried": found.tried,
        "all_tried": found.is_whole,
        "still_happens": None if found.witness is None else event(found.witness),
    }
