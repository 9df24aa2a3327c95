"""Traces to be drawn, and the pages that they come to."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from typer.testing import CliRunner

from bandgap.cli import app
from events import records as r
from events.trace import seal
from tests.spec.situation import DONE, STATE, UNPUBLISH, WINDOW, header, snapshot

LEGAL = (
    *UNPUBLISH,  # lines 3 and 4
    r.Allocate([1, 0, 0]),
    r.Allocated(STATE, [3], [13]),  # line 6
    r.End(ids=[[13], [], []]),
    r.Open(6, "copy", "host"),  # line 8
    DONE,
    r.Hold(6, STATE, "read", [13]),  # line 10
    DONE,
    r.Release(STATE, [13]),  # line 12
    DONE,
    r.Complete(6),  # line 14
    r.AbsorbedHigh(STATE, 1),  # line 15
    DONE,
)
"""Page 3 of the state band is handed out, held, withheld, free, and then outside the span."""

ILLEGAL = (*LEGAL, r.Share(WINDOW, [99]), DONE)
HOSTILE = "</script></title></style><img src=x onerror=alert(1)>\"'&{{ 7*7 }}<!--"


class Done(NamedTuple):
    """How a command ended, and what it said."""

    code: int
    out: str
    err: str


def written(path: Path, *records: Any, opening: tuple[Any, Any] | None = None) -> Path:
    """A trace."""
    whole = [*(opening or (header(), snapshot())), *records]
    path.write_bytes(b"".join(seal([*whole, r.Close(len(whole))])))
    return path


def view(*arguments: object) -> Done:
    """The command."""
    return _done("view", arguments)


def judge(*arguments: object) -> Done:
    """The command that judges the same."""
    return _done("judge", arguments)


def _done(verb: str, arguments: tuple[object, ...]) -> Done:
    done = CliRunner(env={"COLUMNS": "100"}).invoke(app, [verb, *map(str, arguments)])
    return Done(done.exit_code, done.stdout, done.stderr)


def document(*arguments: object) -> tuple[int, dict[str, Any]]:
    """The command's exit code and its answer as JSON."""
    done = view(*arguments, "--json")
    loaded: dict[str, Any] = json.loads(done.out)
    return done.code, loaded
