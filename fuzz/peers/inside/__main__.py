"""`python -m fuzz.peers.inside DRIVER [STACK]`: loads a driver and lives the lives that it is asked for, one a line.

`DRIVER` is a module's name or a Python file, which describes an allocator in a variable `TARGET`. At SIGUSR1 the file
`STACK` is told where the process is.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import sys
import traceback
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from random import Random
from typing import Any, TextIO

from fuzz.peers.inside.driver import Broken, Call, Driver, Target
from fuzz.peers.inside.tape import Tape

_OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep


def main() -> None:
    """Load the driver, describe its target, and serve."""
    replies = _own_stdout()
    try:
        target = _loaded(sys.argv[1])
        description = _description(target)
    except Exception as error:
        _show(error)
        _say(replies, {"failed": f"does not load: {_told(error)}"})
        return
    if len(sys.argv) > 2:
        # in C, so that whatever hangs can be asked
        faulthandler.register(signal.SIGUSR1, file=open(sys.argv[2], "a"))  # noqa: SIM115  # for as long as it runs
    _say(replies, description)
    for line in sys.stdin:
        try:
            for reply in lived(target, json.loads(line)):
                _say(replies, reply)
        except (TypeError, ValueError) as error:
            _say(replies, {"failed": f"a call, an outcome or a record is no JSON: {error}"})


def lived(target: Target, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One life: for each call, that it is made, how it ended and what was written down; then how the life ended.

    Args:
        target: is built.
        request: `setup`; `script`, or `seed` and the number of `calls`; and perhaps `fault`.
    """
    fault = (target.faults or {})[request["fault"]] if request.get("fault") else None
    tape = Tape()
    broken: Broken | None = None
    with ExitStack() as force:
        if fault is not None:
            try:
                force.enter_context(fault.apply())
            except Exception as error:
                yield {"failed": f"the fault {request['fault']} cannot be put into force: {_told(error)}"}
                return
        call: Call | None = None
        outcome = "broken"
        try:
            driver = target.build(request["setup"], tape)
            yield {"call": None, "outcome": "built", "records": tape.take()}
            for call in _calls(driver, request):
                outcome = "broken"
                yield {"asked": call}
                outcome = driver.make(call)
                driver.check()
                yield {"call": call, "outcome": outcome, "records": tape.take()}
        except Broken as error:
            broken = error
        except Exception as error:
            if _is_ours(error):
                yield {"failed": f"{_told(error)} (call {call})"}
                return
            broken = Broken("crash", _told(error))
        if broken is not None:
            yield {"call": call, "outcome": outcome, "records": tape.take()}
    yield {"broken": None if broken is None else [broken.property, broken.problem]}


def _calls(driver: Driver, request: dict[str, Any]) -> Iterator[Call]:
    if "script" in request:
        yield from request["script"]
        return
    rnd = Random(request["seed"])
    for _ in range(request["calls"]):
        yield driver.next_call(rnd)


def _is_ours(error: Exception) -> bool:
    """It came from a driver of this project, and not from what is driven."""
    frames = traceback.extract_tb(error.__traceback__)
    return bool(frames) and os.path.abspath(frames[-1].filename).startswith(_OURS)


def _told(error: Exception) -> str:
    """Where an exception came from, and the beginning of what it says."""
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {frames[-1].name} of {os.path.basename(frames[-1].filename)}" if frames else ""
    said = " ".join(str(error).split())[:300]
    return f"{type(error).__name__}{where}: {said}"


def _show(error: Exception) -> None:
    """Show the way to an exception, from where it is no more ours."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [frame for frame in frames if not frame.filename.startswith((_OURS, "<frozen importlib"))]
    sys.stderr.writelines(traceback.format_list(theirs))


def _description(target: Target) -> dict[str, Any]:
    faults = {
        name: {"property": each.property, "prose": each.prose, "precedent": each.precedent, "setups": list(each.setups)}
        for name, each in (target.faults or {}).items()
    }
    return {
        "title": target.title,
        "version": target.version,
        "setups": list(target.setups),
        "promises": dict(target.promises),
        "leaves_out": dict(target.leaves_out),
        "expects": [list(each) for each in target.expects],
        "faults": faults,
        "patience": target.patience,
        "source": _source(target),
    }


def _source(target: Target) -> str:
    """The folder that a package was loaded from, or the driver's file."""
    module = sys.modules.get(target.package) if target.package else None
    if module is None or not module.__file__:
        return sys.argv[1]
    return os.path.dirname(os.path.abspath(module.__file__))


def _loaded(name: str) -> Target:
    is_file = name.endswith(".py")
    if is_file:
        # as for any script, what lies beside it can be imported
        sys.path.insert(0, os.path.dirname(name))
    spec = spec_from_file_location("driver_in_a_file", name) if is_file else find_spec(name)
    if spec is None or spec.loader is None:
        raise ImportError(f"there is no driver {name}")
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    target = getattr(module, "TARGET", None)
    if not isinstance(target, Target):
        raise ImportError("there is no Target in a variable TARGET")
    return target


def _own_stdout() -> TextIO:
    """Stdout for replies alone: what an allocator prints meanwhile goes to stderr."""
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return replies


def _say(replies: TextIO, reply: dict[str, Any]) -> None:
    print(json.dumps(reply, separators=(",", ":")), file=replies, flush=True)


if __name__ == "__main__":
    main()
