"""What happens around every verb: its result becomes an exit code, and so does whatever goes wrong."""

import functools
import os
import sys
import traceback
from collections.abc import Callable
from typing import ParamSpec

import typer
from rich.markup import escape

from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.output import err, print_json, visible

P = ParamSpec("P")


def answering(run: Callable[P, Exit]) -> Callable[P, None]:
    """Wraps a verb so that it ends in its exit code, whatever happens.

    Without this an unexpected exception would leave the process with 1, which means `violated`.
    """

    @functools.wraps(run)
    def answered(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            code = run(*args, **kwargs)
            sys.stdout.flush()
        except typer.Exit:
            raise
        except UsageError as error:
            code = _misused(error, as_json=bool(kwargs.get("as_json")))
        except KeyboardInterrupt:
            err().print("stopped before there was an answer")
            code = Exit.INCONCLUSIVE
        except BrokenPipeError:
            # The reader left. Python flushes stdout once more at exit, which must not fail again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            code = Exit.INCONCLUSIVE
        except Exception:
            traceback.print_exc()
            err().print("[bold red]broken[/]: this is a fault in bandgap, not in what you asked")
            code = Exit.MISUSED
        raise typer.Exit(int(code))

    return answered


def _misused(error: UsageError, *, as_json: bool) -> Exit:
    if as_json:
        named = {"field": error.field, "value": error.shown_value, "problem": error.problem, "remedy": error.remedy}
        print_json({"error": named})
    err().print(f"[bold red]error[/]: {escape(visible(error.message))}")
    return Exit.MISUSED
