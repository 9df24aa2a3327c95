"""The words in which reports speak, and of those the ones that a text uses."""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from bandgap.documents.glossary import GLOSSARY

OWN: Final[Mapping[str, str]] = {
    "driver": "Whoever calls the allocator: a serving engine, or here the fuzzer in its place. As the name of a lane: "
    "calls that are chosen by a seed and made fast.",
    "lane": "One claim of the gate and the tasks that check it. A lane has a verdict of its own, and the gate that of "
    "its worst.",
    "symptom": "Failures that break the same property, at the same call and in the same words, numbers aside. One "
    "cause may have several.",
    "life": "One allocator from when it is built until it is given up, and the calls between. In each life some kinds "
    "of operations are switched off, so that others meet more often.",
    "stream": "A queue of the device that does its work in order: a ticket runs after all that is before it on its "
    "stream.",
    "waits": "The tickets, mostly of other streams, that a ticket was told to run after when it was opened.",
    "runs after": "The device begins a ticket's work only when that of the other is done: both are on one stream, the "
    "one waits for the other, or this follows by way of tickets between them.",
    "next ticket of a stream": "Where a stream ends: the outstanding tickets that whatever is opened on it next will "
    "run after. These are the last on the stream and all that those run after.",
    "outstanding": "Said of a ticket that was opened and is neither completed nor settled.",
    "hold": "To give a ticket the page of an id, to read or to write; it keeps the page until it retires. `held` in "
    "pictures is a live page that a ticket holds.",
    "end": "The last line of a call in a trace: whether it was done, refused, or rejected as a misuse.",
    "misuse": "A call that breaks a rule of the interface. The allocator must reject it and change nothing; to reject "
    "a legal one is a fault.",
    "CLOSELY": "How a stage is watched: after every call everything is looked at, the allocator's own tables too.",
    "FROM_OUTSIDE": "How a stage is watched: by what a caller or a kernel can see, and not by the allocator's tables.",
    "stray": "A stream made for a ticket that does what it should not; `stray 0` is its name, and such a call must be "
    "rejected.",
    "seeded driver": "Makes calls as an engine would, all chosen from one seed.",
    "state machine": "The same operations, chosen by Hypothesis.",
}
"""Words that only reports use."""

WORDS: Final[Mapping[str, str]] = {**GLOSSARY, **OWN}

_PLAIN: Final = frozenset({"row", "entry", "free", "end", "float", "gate", "chain", "effect", "access", "theorem"})
"""These mean something else in most sentences; only where they are meant as terms are they marked as such."""

_MEANT: Final = {"end": re.compile(r"\bthe call ends\b|\bends\b|\bstream ends\b")}


def words_in(texts: Iterable[str]) -> tuple[str, ...]:
    """The words that these texts use, in alphabetical order."""
    text = " ".join(texts)
    return tuple(word for word in sorted(WORDS, key=str.lower) if _pattern(word).search(text))


def anchor(word: str) -> str:
    """What links to a word lead to."""
    return "word-" + word.lower().replace(" ", "-")


def _pattern(word: str) -> re.Pattern[str]:
    if word in _MEANT:
        return _MEANT[word]
    if word in _PLAIN:
        return re.compile(r"(?!)")
    plural = rf"{re.escape(word[:-1])}ies" if word.endswith("y") else rf"{re.escape(word)}(?:e?s|ed)?"
    case = 0 if word.isupper() else re.IGNORECASE
    return re.compile(rf"(?<![\w-])(?:{re.escape(word)}|{plural})(?![\w-])", case)
