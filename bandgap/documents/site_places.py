"""What is put into the pages that are written by hand: numbers, pictures, decisions and the life of a page."""

from collections.abc import Mapping

from jinja2 import Environment, StrictUndefined

from bandgap.documents.admitted import decision_blocks
from bandgap.documents.drawing import in_svg, of_scene
from bandgap.documents.formulas import promised
from bandgap.documents.markdown import bullets, fenced, joined, sentence
from bandgap.documents.numbers import numbers
from bandgap.documents.scenes.all import example_of
from bandgap.documents.site_style import PAGE, details, draw, legend, scroll
from bandgap.documents.stories import admission
from bandgap.documents.stories.admission import Case, decided
from bandgap.documents.stories.life import life_of_a_page
from bandgap.documents.stories.telling import Telling
from bandgap.pictures.wording import event

PICTURE_OF_AN_ARENA = """\
````{container} scroll
```{image} arena.svg
:alt: One arena in address order
:class: whole-arena
```
````"""


def places() -> Mapping[str, object]:
    """What each place is filled with, by its name."""
    arena = Telling().allocator.header()
    return {
        "picture_of_an_arena": PICTURE_OF_AN_ARENA,
        "numbers": numbers(),
        "arena_bytes": f"{arena.capacity:,}",
        "sink_bytes": f"{arena.base:,}",
        "life": _life(),
        "legal_layout": fenced(promised.legal_layout()),
        "in_place": _decision(admission.IN_PLACE_CASE),
        "compacted": _decision(admission.COMPACTED),
        "relaid": _decision(admission.RELAID),
        "refused": _decision(admission.HELD),
        "action": _action_example,
    }


def filled(text: str, places: Mapping[str, object]) -> str:
    """A page with its places filled; one that is not known is an error."""
    environment = Environment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True)
    return environment.from_string(text).render(places)


def _life() -> str:
    chapters = life_of_a_page()
    drawn = in_svg(*[chapter.moment.arena for chapter in chapters], said=[chapter.title for chapter in chapters])
    blocks = [legend(*[chapter.moment.arena for chapter in chapters])]
    for number, (chapter, picture) in enumerate(zip(chapters, drawn, strict=True), 1):
        said = bullets(sentence(line) for line in chapter.moment.said)
        blocks += [
            f"## {number}. {chapter.title}",
            chapter.text,
            scroll(picture),
            details("What was asked and done", said),
        ]
    return joined(blocks)


def _decision(case: Case) -> str:
    return joined(decision_blocks(decided(case), PAGE))


def _action_example(name: str) -> str:
    shown = example_of(name)
    before, after = of_scene(shown)
    return draw([("before", before), ("after", after)], event(shown.example))
