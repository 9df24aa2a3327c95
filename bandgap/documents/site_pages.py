"""The pages of the site that are generated: the actions, the properties, the words and the glossary."""

from collections.abc import Sequence

from bandgap.documents.admitted import PROSE, counted_blocks
from bandgap.documents.catalogue import ActionEntry, Catalogue, PropertyEntry
from bandgap.documents.entries import action_parts, property_parts, word_lines
from bandgap.documents.glossary import GLOSSARY
from bandgap.documents.markdown import code, fenced, joined, table
from bandgap.documents.precedents import MEANS
from bandgap.documents.semantics import KIND_TITLES, action_groups
from bandgap.documents.site_style import PAGE, slug
from spec.judge.checks import CHECKS

OF_ACTIONS = """\
Whatever an allocator does is a sequence of the actions of the arena. A trace tells of these, and the judge reads them:
they are what to implement.

The actions of the device are a second specification: of the same arena, with a device behind it whose accesses are
issued, pending and over one by one. It is there for the proofs, such as that of
[`race-free`](../properties/race-free.md); no allocator implements it, and no trace tells of it. Where the device adds
something to an action, that has a page of its own. Where it adds nothing there is one page for both; an obligation that
is named `device/grow-low` is about [`grow-low`](grow-low.md) with a device added."""


def action_page(entry: ActionEntry) -> str:
    """An action, on a page of its own."""
    return joined([f"# {entry.name}", *action_parts(entry, PAGE)])


def property_page(entry: PropertyEntry) -> str:
    """A property, on a page of its own."""
    counted = counted_blocks(PAGE) if entry.name == "conservation" else ()
    return joined([f"# {entry.name}", *property_parts(entry, PAGE), *counted])


def actions_page(whole: Catalogue) -> str:
    """All actions, by specification."""
    blocks = ["# Actions", OF_ACTIONS]
    for title, entries in action_groups(whole):
        rows = [(f"[{code(entry.name)}]({slug(entry.name)}.md)", _summary(entry)) for entry in entries]
        blocks += [f"## {title}", table(("action", "what happens"), rows)]
    return joined([*blocks, toctree([slug(e.name) for e in whole.actions.values() if not e.is_base])])


def _summary(entry: ActionEntry) -> str:
    """What an action says in a table; of one that adds to another, to which."""
    added_to = entry.name.removeprefix(entry.specification.prefix)
    if entry.specification.base is None or added_to not in entry.specification.base.actions:
        return entry.action.prose
    return f"{entry.action.prose} This adds to [{code(added_to)}]({slug(added_to)}.md)."


def properties_page(whole: Catalogue) -> str:
    """All properties and checks, by kind."""
    blocks = ["# Properties", "What is always true.", MEANS]
    for kind, title in KIND_TITLES.items():
        rows = [
            (f"[{code(name)}]({slug(name)}.md)", entry.claim.prose)
            for name, entry in whole.properties.items()
            if entry.kind == kind
        ]
        blocks += [f"## {title}", table(("property", "says"), rows)]
    of_admission = [(f"[{code(name)}]({slug(name)}.md)", prose) for name, prose in PROSE.items()]
    blocks += ["## Properties of admission", table(("property", "says"), of_admission)]
    checks = [(f"[{code(name)}]({slug(name)}.md)", prose) for name, prose in CHECKS.items()]
    blocks += ["## Checks of the judge", table(("check", "says"), checks)]
    return joined([*blocks, toctree([slug(name) for name in (*whole.properties, *PROSE, *CHECKS)])])


def words_page(whole: Catalogue) -> str:
    """The words in which formulas are written."""
    blocks = [
        "# Words",
        "The formulas of actions and properties are written in these. Each is a short name for what its formula says; "
        "of a range, such as `ticket in holders(band, page)`, the formula says what its members are. One more is used "
        "everywhere: `larger(a, b)` is the stronger of two ways to use a page, nothing < read < write.",
    ]
    for of in sorted({word.of for word in whole.words.values()}):
        blocks.append(f"## Words of the {of}")
        for word in whole.words.values():
            if word.of == of:
                blocks += [f"### {word.name}", fenced(word_lines(word.call, word.prose, word.formula)[:-1])]
    return joined(blocks)


def glossary_page() -> str:
    """The terms, each with what it says."""
    terms = [line for term, meaning in sorted(GLOSSARY.items()) for line in (term, f"  {meaning}", "")]
    said = "Where a page uses one of these for the first time, it links here."
    return joined(["# Glossary", said, "\n".join(["```{glossary}", *terms[:-1], "```"])])


def toctree(names: Sequence[str], caption: str = "") -> str:
    """What the side bar lists below a page, perhaps behind a caption."""
    options = [":hidden:", *([f":caption: {caption}"] if caption else [])]
    return "\n".join(["```{toctree}", *options, "", *names, "```"])
