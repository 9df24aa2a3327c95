"""Actions as straight lines of Python: the specification's own guards and effects, run once on terms and written down.

What is compiled takes many pages in one call. Why something is not legal it does not say: that is asked of the guard.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from functools import cache
from typing import Any, Final, NamedTuple, TypeAlias

from spec import words
from spec.catalog import Action, Guard
from spec.judge.indexes import Watch
from spec.judge.tables import MEANT_WITH, default_of
from spec.judge.terms import Code, Lines, Loop, Loops, Written, listed, said
from spec.judge.verdict import Arguments
from spec.logic import And, Not, Term, installed
from spec.ranges import Range, Word
from spec.state import CONSTANTS, FIELDS, State

Run: TypeAlias = Callable[[Iterable[Arguments]], tuple[int, Arguments | None]]
"""Takes the arguments of pages in turn: how many were legal, and the arguments of the first that are not."""

Key: TypeAlias = tuple[Term, ...]

VALUES: Final = [name for name, field in CONSTANTS.items() if not field.keys]
"""Of a state, besides its tables."""

WORDS: Final = [word for word in vars(words).values() if isinstance(word, Word)]


class Compiled(NamedTuple):
    """An action on one judged arena."""

    check: Run
    """Only asks the guard."""
    make: Run
    """Only has the effect."""
    take: Run
    """Does both, page by page."""


def compiled(action: Action, s: Any) -> Compiled:
    """The action on a judged arena."""
    its: Compiled | None = s.compiled.get(action.guard)
    if its is None:
        bind = _binding(action.guard, action.effect, action.sorts, s.watches)
        its = s.compiled[action.guard] = Compiled(*bind(s))
    return its


@cache
def _binding(*of: Any) -> Callable[[Any], tuple[Run, Run, Run]]:
    scope: dict[str, Any] = {}
    exec(source(*of), scope)
    bind: Callable[[Any], tuple[Run, Run, Run]] = scope["bind"]
    return bind


def source(
    guard: Callable[..., Guard], effect: Callable[..., State], sorts: tuple[str, ...], watches: tuple[Watch, ...]
) -> str:
    """The code of an action: a function `bind(s)` that returns the three functions for a judged arena.

    Raises:
        TypeError: the guard or the effect does with terms what cannot be written down.
    """
    arguments = tuple(Code(f"{sort}{place}") for place, sort in enumerate(sorts))
    code: list[str] = []
    with installed(Written()):
        for name, asks, acts in (("check", True, False), ("make", False, True), ("take", True, True)):
            lines = Lines()
            s = _any_state(lines, watches)
            with lines.under(f"def {name}(pages)"):
                lines.add("done = 0")
                with lines.under(f"for ({listed(arguments)}) in pages"):
                    for text, condition, _ in guard(s, *arguments) if asks else ():
                        lines.choose(condition, [], [f"return done, ({listed(arguments)})  # not so: {text}"])
                    if acts:
                        _act(lines, s, effect(s, *arguments), watches)
                    lines.add("done += 1")
                lines.add("return done, None")
            code += lines.lines
    used = set(re.findall(r"\w+", " ".join(code)))
    names = [f"{name} = {meaning}" for name, meaning in _names(watches) if name in used]
    return "\n    ".join(["def bind(s):", *names, *code, "return check, make, take"])


def _names(watches: Iterable[Watch]) -> Iterator[tuple[str, str]]:
    """The names that code may use, and what they mean."""
    for name in FIELDS:
        yield name, f"s.tables[{name!r}]"
        yield f"{name}_get", f"s.tables[{name!r}].get"
    for name in (*VALUES, "before", "is_transfer"):
        yield name, f"s.{name}"
    yield from (("origins", "s.address.origins"), ("sizes", "s.address.sizes"))
    for word in WORDS:
        yield word.name, f"s.listings[{word.name!r}]"
    for watch in watches:
        yield f"{watch.name}_learn", f"s.indexes[{watch.name!r}].learn"
        if watch.is_index:
            yield f"{watch.name}_members", f"s.indexes[{watch.name!r}].members"


# ------------------------------------------------------------------------------------------------- a state of terms


class Entries:
    """A table: how an entry is looked up."""

    def __init__(self, lines: Lines, look_up: Callable[[Key], Term]) -> None:
        self.lines, self.look_up = lines, look_up

    def __getitem__(self, key: Term) -> Term:
        return self.lines.named(self.look_up(_parts(key)))

    def set(self, key: Term, value: Term) -> "Changed":
        """The table with one entry changed."""
        return Changed().set(key, value)

    def where(self, among: Range, value: Any) -> "Changed":
        """The table with every entry of a range changed."""
        return Changed().where(among, value)


class Changed(list[tuple[Loops, Term]]):
    """A table with the entries of some ranges changed, each to a value."""

    def set(self, key: Term, value: Term) -> "Changed":
        return self.where(Loops((), _parts(key)), value)

    def where(self, among: Range, value: Any) -> "Changed":
        assert isinstance(among, Loops), "every word is listed"
        self.append((among, value(*among.members) if callable(value) else value))
        return self


def _parts(key: Term) -> Key:
    return key if isinstance(key, tuple) else (key,)


def _at(key: Key) -> Code:
    """The key of a table: one part is a key by itself."""
    return said(*key) if len(key) == 1 else said("(", listed(key), ")")


def _any_state(lines: Lines, watches: Iterable[Watch]) -> State:
    indexed = {watch.name for watch in watches if watch.is_index}

    def field(name: str) -> Entries:
        return Entries(lines, lambda key: said(f"{name}_get(", lines.named(_at(key)), f", {default_of(name)})"))

    def constant(name: str) -> Entries:
        return Entries(lines, lambda key: said(f"{name}[", _at(key), "]"))

    def listing(word: Word) -> Callable[..., Loops]:
        def members(*given: Term) -> Loops:
            if word is words.this_page:
                return Loops((), given)
            place = said("(", listed(given), ")")
            if word.name in indexed:
                source = said(f"{word.name}_members.get(", lines.named(place), ", ())")
            else:
                source = said(word.name, place)
            variables = tuple(Code(name, frozenset([name])) for name in [repr(lines.new()) for _ in word.sorts])
            return Loops((Loop(variables, lines.named(source)),), variables)

        return members

    return State(
        **{name: field(name) for name in FIELDS},
        **{name: Code(name) for name in VALUES},
        before=constant("before"),
        is_transfer=constant("is_transfer"),
        address=Entries(lines, lambda key: said("(origins[", key[0], "] + ", key[1], " * sizes[", key[0], "])")),
        listings={word.name: listing(word) for word in WORDS},
    )


# ---------------------------------------------------------------------------------------------------------- effects


class Put(NamedTuple):
    """What becomes of fields at one key, or at each that a loop comes to."""

    loop: str
    key: Key
    values: dict[str, Term]


def _act(lines: Lines, s: State, after: State, watches: Iterable[Watch]) -> None:
    """All values are worked out before any is put."""
    changed = {name: field for name, field in vars(after).items() if isinstance(field, Changed)}
    places: dict[str, tuple[Loops, dict[str, Term]]] = {}
    for name in sorted(changed, key=MEANT_WITH.__contains__):
        for among, value in changed[name]:
            places.setdefault(f"{among.members} {among.loops}", (among, {}))[1][name] = value
    for fields in (*[watch.fields for watch in watches], *[{leader} for leader in MEANT_WITH.values()]):
        if sum(not fields.isdisjoint(values) for _, values in places.values()) > 1:
            raise TypeError(f"an effect changes {' and '.join(sorted(fields))} in more than one place")
    for put in [_worked_out(lines, among, values) for among, values in places.values()]:
        with lines.under(put.loop) if put.loop else nullcontext():
            _put(lines, s, put, watches)


def _worked_out(lines: Lines, among: Loops, values: dict[str, Term]) -> Put:
    if not among.loops:
        return Put("", among.members, {name: lines.named(value) for name, value in values.items()})
    key = tuple(Code(repr(member)) for member in among.members)
    names = {name: lines.new() for name in values}
    rows = lines.new()
    lines.add(f"{rows} = [({listed([*key, *values.values()])}){''.join(repr(loop.head) for loop in among.loops)}]")
    known = {name: names[name] if isinstance(value, Code) else value for name, value in values.items()}
    return Put(f"for {listed([*key, *names.values()])} in {rows}", key, known)


def _put(lines: Lines, s: State, put: Put, watches: Iterable[Watch]) -> None:
    at = lines.named(_at(put.key))
    told = [watch for watch in watches if not watch.fields.isdisjoint(put.values)]
    before = [_said(lines, watch, s, put.key) for watch in told]
    for name in put.values:
        _keep(lines, name, at, put.values)
    known = {name: Entries(lines, _only(put.key, value)) for name, value in put.values.items()}
    for watch, was in zip(told, before, strict=True):
        now = _said(lines, watch, s.but(**known), put.key)
        if watch.is_index:
            _list(lines, f"{watch.name}_members", was, now)
        else:
            lines.choose(was != now, [f"{watch.name}_learn(({at},))"], [])


def _only(known: Key, value: Term) -> Callable[[Key], Term]:
    """How to look up the one entry that is known."""

    def look_up(key: Key) -> Term:
        if repr(key) != repr(known):
            raise TypeError(f"something is told of {known}, and looks at {key}")
        return value

    return look_up


def _keep(lines: Lines, name: str, at: Term, values: dict[str, Term]) -> None:
    """A table keeps what differs from its default and, where it is meant with another, what that one keeps, too."""
    kept = values[name] != default_of(name)
    leader = MEANT_WITH.get(name)
    if leader:
        kept = And(kept, values[leader] != default_of(leader) if leader in values else said("(", at, f" in {leader})"))
    followers = [other for other, its in MEANT_WITH.items() if its == name]
    lines.choose(kept, [f"{name}[{at}] = {values[name]}"], [f"{each}.pop({at}, None)" for each in (name, *followers)])


def _said(lines: Lines, watch: Watch, s: State, key: Key) -> Any:
    """What a watch says of the entries at a key."""
    if not watch.is_index:
        return lines.named(watch.says(s, *key))
    given, member, is_listed = watch.says(s, *key)
    return *[lines.named(said("(", listed(place), ")")) for place in (given, member)], lines.named(is_listed)


def _list(lines: Lines, members: str, was: tuple[Code, Code, Term], now: tuple[Code, Code, Term]) -> None:
    """An index lists the entries at a key where they belong now, and no longer where they did."""
    (given, member, was_listed), (its_given, its_member, is_listed) = was, now
    stays = repr(was[:2]) == repr(now[:2])
    leaves = [f"group = {members}[{given}]", f"group.discard({member})", f"if not group: del {members}[{given}]"]
    lines.choose(And(was_listed, Not(is_listed)) if stays else was_listed, leaves, [])
    enters = [f"{members}.setdefault({its_given}, set()).add({its_member})"]
    lines.choose(And(Not(was_listed), is_listed) if stays else is_listed, enters, [])
