"""Where verbs print: tables for people on stdout, one JSON document with `--json`, and messages on stderr."""

import json
import sys
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.markup import escape

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
"""The option that every verb takes, as its parameter `as_json`."""


LONGEST_NAME = 24
"""Characters."""


def out() -> Console:
    """The console for answers. Made when asked for, so that it follows a redirected stdout."""
    return Console(highlight=False)


def err() -> Console:
    """The console for messages and progress: never part of an answer."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def print_json(document: object) -> None:
    """Prints one JSON document: anything that msgspec encodes, such as dicts, dataclasses and enums."""
    sys.stdout.write(json_of(document))


def json_of(document: object) -> str:
    """A JSON document as it is printed and written."""
    try:
        text = msgspec.json.format(msgspec.json.encode(document), indent=2).decode()
    except UnicodeEncodeError:
        # half a surrogate pair, as file names can have, is written as an escape
        text = json.dumps(msgspec.to_builtins(document), indent=2)
    return f"{text}\n"


def harmless(text: str) -> str:
    """Text from outside for a console that reads markup: nothing in it is obeyed by the console or the terminal."""
    return escape(printable(text))


def printable(text: str) -> str:
    """Text from outside, without anything that a terminal would obey."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def visible(text: str) -> str:
    """The same for text of several lines, such as code: lines and tabs stay."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else ascii(c)[1:-1] for c in text)


def short_name(text: str) -> str:
    """A name from outside where there is little room: printable, and cut in the middle where it is long."""
    text = printable(text)
    return text if len(text) <= LONGEST_NAME else f"{text[: LONGEST_NAME - 7]}…{text[-6:]}"
