"""`docs/compatibility.md`: which models and features of serving go together."""

from collections.abc import Iterator

from bandgap.compatibility.cells import cell
from bandgap.compatibility.elsewhere import SGLANG, Elsewhere
from bandgap.compatibility.refusals import NEEDS, REFUSALS
from bandgap.compatibility.runs import RUNS
from bandgap.compatibility.telling import SIGNS
from bandgap.compatibility.words import FEATURES, SORTS
from bandgap.documents.markdown import bullets, code, joined, sentence, table
from bandgap.documents.semantics import NOTE
from bandgap.phrases import listed

INTRODUCTION = f"""\
A cell says *yes* if a tiny model of that sort was run with it and every logit was what the model says on memory of its
own. There are {len(RUNS)} such runs, each of many features at once, on a simulated device that does its work late, and
each fails unless every one of its features was seen to do something. What nobody has run is *untested*, however likely
it is to work; what cannot work is *refused*, with the reason.

`bandgap compat CONFIG` says it of a set-up, by its exit code: 0 allowed, 2 refused, 3 untested. CONFIG is TOML or
JSON:"""

EXAMPLE = """\
```toml
model = "inkling-small"     # a preset, a config.json, or a sort of model
features = ["prefix-cache", "overlap", "retraction"]
page_tokens = 16
kv_dtype = "fp8"
```"""

LEGEND = "*yes*: run, and every logit compared; *no*: refused; *?*: not tested."

LIMITS = """\
A set-up is allowed if each two of its features are; the answer says whether one run had all of them at once. The runs
are of models with a few layers and small heads, in real models' patterns; of weights that are random; in pages of 1, 4
and 16 tokens; and on CPUs. They say that no byte is mistaken for another. They say nothing of speed."""


def compatibility() -> str:
    """The text of the document."""
    return joined(_blocks())


def _blocks() -> Iterator[str]:
    yield "# Which features go together"
    yield NOTE
    yield INTRODUCTION
    yield EXAMPLE
    yield LIMITS
    yield "## Models"
    rows = [
        (code(name), sort.says, ", ".join(sort.presets), SIGNS[cell(name).verdict], cell(name).reason)
        for name, sort in SORTS.items()
    ]
    yield table(("sort", "keeps", "presets", "served", "because"), rows)
    yield "## Features on models"
    yield LEGEND
    served = [name for name in SORTS if cell(name).verdict != "refused"]
    yield table(
        ("feature", "is", *map(code, served)),
        [(code(name), says, *(SIGNS[cell(sort, name).verdict] for sort in served)) for name, says in FEATURES.items()],
    )
    alike: dict[str, list[str]] = {}
    for sort in served:
        alike.setdefault(_pairs(sort), []).append(sort)
    for pairs, sorts in alike.items():
        yield f"## Features with features: {listed(sorts)}"
        yield pairs
    yield "## What is refused"
    yield bullets(_refusals())
    yield "## What SGLang's unified memory refuses"
    yield (
        "SGLang's `--enable-unified-memory` does not serve these. Where our design has no reason to refuse, it is "
        "allowed if a run shows it, and else untested. Nothing of this was driven in SGLang."
    )
    yield table(("there refused", "here", "why"), [_elsewhere(each, served) for each in SGLANG])


def _pairs(sort: str) -> str:
    """A triangle: features by number across the top, and each with itself what it is alone."""
    names = list(FEATURES)
    rows = []
    for number, one in enumerate(names, 1):
        known = [
            SIGNS[(cell(sort, one) if one == other else cell(sort, one, other)).verdict] for other in names[:number]
        ]
        rows.append((f"{number} {code(one)}", *known, *[""] * (len(names) - number)))
    return table(("feature", *map(str, range(1, len(names) + 1))), rows)


def _refusals() -> Iterator[str]:
    for refusal in REFUSALS:
        yield f"{listed([code(word) for word in sorted(refusal.words)])}: {refusal.reason}; {refusal.remedy}."
    for feature, needed in NEEDS.items():
        yield f"{code(feature)} without {code(needed)}: it is of no use; add {code(needed)}."


def _elsewhere(each: Elsewhere, served: list[str]) -> tuple[str, str, str]:
    words = " with ".join(code(word) for word in each.words) + (f" {each.says}" if each.says else "")
    if each.words[0] in SORTS:
        verdicts = {cell(each.words[0]).verdict}
    else:
        verdicts = {cell(sort, *each.words).verdict for sort in served}
    return words, listed(sorted(verdicts)), sentence(each.here)
