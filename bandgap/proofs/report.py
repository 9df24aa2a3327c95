"""What `bandgap prove` prints for people: a line for everything as it is known, then what is wrong, then the sum."""

from collections.abc import Iterable, Iterator, Mapping

from rich.console import Console, Group, RenderableType
from rich.markup import escape
from rich.padding import Padding
from rich.text import Text

from bandgap.pictures import legend, strips
from bandgap.pictures.examples import before_and_after
from bandgap.pictures.wording import changes, event, facts, members
from bandgap.proofs.help import said, shown
from properties import Answer, Report, Trial, Verdict, Witness
from properties.failing.helping import Help
from properties.judging import Counterexample
from properties.known import is_fault, weakenings
from properties.obligations import Obligation
from properties.specification import property_named, written
from properties.trials import REDUNDANT

COLOURS = {Verdict.PROVED: "green", Verdict.VIOLATED: "bold red", Verdict.UNKNOWN: "bold yellow"}
SAYS = {Verdict.PROVED: "holds", Verdict.VIOLATED: "violated", Verdict.UNKNOWN: "inconclusive"}
WIDEST = 110
"""A picture is not drawn wider than this, however wide the terminal is."""

MARGIN, COLUMNS = 10, 12
"""For the names of bands; for a byte at most, so that an arena of one page is not as wide as the terminal."""

DRAWN = 3
"""Counterexamples that are drawn; the JSON document has all of them."""

MEMBERS = 4
"""Members that are named of those of which a property is false."""

HEADINGS = {
    Answer: "Obligations, for any arena and any number of bands, pages and tickets",
    Trial: "Necessity: what breaks without a sentence of a guard, or with a seeded fault",
    Witness: "Vacuity: what must be able to happen, and where it was seen to",
}


def line(result: Answer | Trial | Witness) -> Text:
    """One result on one line."""
    match result:
        case Answer():
            return _line(result.obligation.name, result.verdict, result.verdict, result.seconds)
        case Trial():
            if result.name in REDUNDANT:
                return _line(result.name, "spare", trial_verdict(result), result.seconds, REDUNDANT[result.name])
            others = ", ".join(name for name in result.refuted if name != result.property)
            word = "caught" if is_fault(result.name) else "needed"
            breaks = result.property + (f" (also {others})" if others else "")
            return _line(result.name, word, trial_verdict(result), result.seconds, breaks)
        case Witness():
            more = f" and {len(result.seen_at) - 1} more" if len(result.seen_at) > 1 else ""
            seen = f"{result.seen_at[0]}{more}" if result.seen_at else ""
            return _line(result.name, "seen", witness_verdict(result), None, seen)


def show(console: Console, parts: Iterable[RenderableType]) -> None:
    """Print them one by one; what is one line stays one, however narrow the terminal."""
    for part in parts:
        console.print(part, soft_wrap=isinstance(part, Text | str))


def trial_verdict(trial: Trial) -> Verdict:
    """Proved if the weakening did what it must."""
    return Verdict.UNKNOWN if trial.undecided else Verdict.VIOLATED if trial.wrong else Verdict.PROVED


def witness_verdict(witness: Witness) -> Verdict:
    """Proved if it was seen."""
    return Verdict.PROVED if witness.example else Verdict.UNKNOWN if witness.reason else Verdict.VIOLATED


def outcome(report: Report, helps: Mapping[Obligation, Help], width: int) -> Iterator[RenderableType]:
    """What was seen, what is wrong, drawn where there is something to draw, with what helps, and the sum."""
    if report.witnesses:
        yield Text(f"\n{HEADINGS[Witness]}", style="bold")
        yield from map(line, report.witnesses)
    violated = [answer for answer in report.answers if answer.counterexample is not None]
    for answer in violated[:DRAWN]:
        help_ = helps.get(answer.obligation)
        counterexample = shown(answer, help_)
        if counterexample is not None:
            yield Group("", *drawn(counterexample, report.weakening, min(width, WIDEST)))
        if help_ is not None:
            yield Group("", *_helping(help_, min(width, WIDEST)))
    if violated:
        yield Group("", legend())
    if len(violated) > DRAWN:
        yield f"{len(violated) - DRAWN} more are not drawn: --json has all of them."
    yield ""
    yield from _complaints(report, helps)
    yield from _sum(report)


def drawn(counterexample: Counterexample, weakening: str | None, width: int) -> Iterator[RenderableType]:
    """The arena before and after, the event, what changed, and of what the property is false."""
    obligation, example = counterexample.obligation, counterexample.example
    before, after = before_and_after(example, counterexample.culprits)
    first, second = strips(before, after, width=min(width - 2, MARGIN + COLUMNS * (before.capacity - before.base)))
    yield Text.assemble(("violated ", "bold red"), (obligation.name, "bold"))
    if weakening is not None:
        yield _indented(f"once changed: {weakenings()[weakening].says}")
    yield _indented(f"{obligation.property}: {_prose(obligation.property)}")
    if example.action is None:
        yield from ("", _indented(second), _listed(facts(example.before)))
    else:
        yield from ("", _indented("before"), _indented(first), _listed(facts(example.before)), "")
        happened = written(example.action).actions[example.action].prose
        yield _indented(Text.assemble((event(example), "bold"), f"  {happened}"))
        yield from ("", _indented("after"), _indented(second), _listed(changes(example)))
    yield ""
    found = [members(member) for member in counterexample.culprits[:MEMBERS]]
    if found:
        more = len(counterexample.culprits) - len(found)
        yield _indented(f"It is false of {'; of '.join(found)}{f'; and of {more} more' if more else ''}.")
    yield _indented("Judged again in plain values: all that is given holds, and the property does not.")


def _helping(help_: Help, width: int) -> Iterator[RenderableType]:
    for title, sentence in said(help_):
        told = Text.assemble((f"{title}: ", "bold"), sentence)
        yield _indented(Group(*told.wrap(Console(width=width), width - 2)))


def _line(name: str, word: str, verdict: Verdict, seconds: float | None, rest: str = "") -> Text:
    said = word if verdict == Verdict.PROVED else str(verdict)
    time = " " * 8 if seconds is None else f"{seconds:6.2f} s"
    return Text.assemble(f"{name:<70} ", (f"{said:<8}", COLOURS[verdict]), f" {time}  {rest}".rstrip())


def _complaints(report: Report, helps: Mapping[Obligation, Help]) -> Iterator[RenderableType]:
    for answer in report.answers:
        if answer.verdict == Verdict.UNKNOWN:
            yield _complaint(Verdict.UNKNOWN, answer.obligation.name, answer.reason)
        elif answer.found:
            judged = f"it is false of a small case, judged again in plain values: {answer.found}"
            yield _complaint(Verdict.VIOLATED, answer.obligation.name, judged)
            help_ = helps.get(answer.obligation)
            yield from () if help_ is None else _helping(help_, WIDEST)
    for trial in report.failed_trials:
        yield _complaint(trial_verdict(trial), trial.name, trial.wrong)
    for witness in report.unseen:
        reason = witness.reason or "it cannot happen in small arenas, so what is said of it is empty"
        yield _complaint(witness_verdict(witness), witness.name, reason)
    for name in report.idle:
        yield _complaint(Verdict.VIOLATED, name, "nothing breaks it: nobody knows that it can fail")


def _complaint(verdict: Verdict, name: str, reason: str) -> Text:
    return Text.assemble((f"{verdict} ", COLOURS[verdict]), (name, "bold"), f": {reason}")


def _sum(report: Report) -> Iterator[RenderableType]:
    counts = ", ".join(f"{report.count(verdict)} {verdict}" for verdict in Verdict)
    if report.answers:
        yield f"{len(report.answers)} of {len(report.selection.obligations)} obligations: {counts}"
    if report.trials:
        caught = [trial for trial in report.trials if not trial.wrong]
        faults = sum(is_fault(trial.name) for trial in caught)
        tried = f"{len(report.trials)} of {len(report.selection.trials)} weakenings"
        yield f"{tried}: {len(caught) - faults} sentences and assumptions needed, {faults} seeded faults caught"
    if report.witnesses:
        seen = len(report.witnesses) - len(report.unseen)
        yield f"{len(report.witnesses)} things that must be able to happen: {seen} seen"
    stopped = "stopped early, " if report.interrupted else ""
    yield Text.assemble((SAYS[report.verdict], COLOURS[report.verdict]), f", {stopped}{report.seconds:.1f} s")


def _prose(name: str) -> str:
    return property_named(name).prose


def _listed(sentences: Iterator[str]) -> RenderableType:
    return _indented(Group(*[Text(f"- {sentence}") for sentence in sentences]))


def _indented(what: RenderableType) -> Padding:
    return Padding(escape(what) if isinstance(what, str) else what, (0, 0, 0, 2), expand=False)
