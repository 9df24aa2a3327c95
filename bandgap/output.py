"""Where verbs print: tables for people on stdout, one JSON document with `--json`, and messages on stderr."""

import sys
from typing import Annotated

import msgspec
import typer
from rich.console import Console
from rich.markup import escape

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
"""The option that every verb takes, as its parameter `as_json`."""


def out() -> Console:
    """The console for answers. Made when asked for, so that it follows a redirected stdout."""
    return Console(highlight=False)


def err() -> Console:
    """The console for messages and progress: never part of an answer."""
    return Console(stderr=True, highlight=False, soft_wrap=True)


def print_json(document: object) -> None:
    """Prints one JSON document: anything that msgspec encodes, such as dicts, dataclasses and enums."""
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n")


def harmless(text: str) -> str:
    """Text from outside for a console that reads markup: nothing in it is obeyed by the console or the terminal."""
    return escape(printable(text))


def printable(text: str) -> str:
    """Text from outside, without anything that a terminal would obey."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
