"""Every verb answers with an exit code that means what it says."""

import inspect
import json
import subprocess
import sys

import pytest
import typer

from bandgap import verbs
from bandgap.discovery import modules_in
from bandgap.errors import UsageError
from bandgap.exits import Exit
from bandgap.verb import answering
from tests.cli.command import bandgap


def _code_of(run: object, **options: bool) -> int:
    with pytest.raises(typer.Exit) as stopped:
        answering(run)(**options)  # type: ignore[arg-type]  # any function stands in for a verb here
    return stopped.value.exit_code


def _raise(error: BaseException) -> object:
    def run(as_json: bool = False) -> Exit:
        raise error

    return run


@pytest.mark.parametrize("code", list(Exit))
def test_result_is_the_exit_code(code: Exit) -> None:
    assert _code_of(lambda: code) == int(code)


def test_bad_input_is_one_line_and_exit_2(capsys: pytest.CaptureFixture[str]) -> None:
    error = UsageError("--page-tokens", 0, "must be at least 1", "choose 1 to 256")
    assert _code_of(_raise(error)) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "error: --page-tokens = 0: must be at least 1; choose 1 to 256\n"


def test_bad_input_is_a_document_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert _code_of(_raise(UsageError("MODEL", "x", "is unknown")), as_json=True) == 2
    named = json.loads(capsys.readouterr().out)["error"]
    assert named == {"field": "MODEL", "value": "'x'", "problem": "is unknown", "remedy": ""}


def test_a_terminal_obeys_nothing_that_a_driver_or_a_trace_says(capsys: pytest.CaptureFixture[str]) -> None:
    error = UsageError("--target", "driver.py", "says \x1b[2J\x1b]0;mine\x07[red]", "do not load it")
    assert _code_of(_raise(error)) == 2
    said = r"error: --target = 'driver.py': says \x1b[2J\x1b]0;mine\x07[red]; do not load it"
    assert capsys.readouterr().err == said + "\n"


def test_a_long_value_is_shortened() -> None:
    assert len(UsageError("field", "x" * 10_000, "is long").message) < 300


def test_an_unexpected_exception_is_not_a_violation(capsys: pytest.CaptureFixture[str]) -> None:
    assert _code_of(_raise(RuntimeError("boom"))) == 2
    assert "RuntimeError: boom" in capsys.readouterr().err


def test_an_interrupt_is_inconclusive() -> None:
    assert _code_of(_raise(KeyboardInterrupt())) == 3


def test_every_verb_takes_json() -> None:
    found = [(name, module) for name, module, is_group in modules_in(verbs) if not is_group]
    found += [
        (f"{group} {name}", module)
        for group, package, is_group in modules_in(verbs)
        if is_group
        for name, module, _ in modules_in(package)
    ]
    assert found
    for name, module in found:
        assert "as_json" in inspect.signature(module.run).parameters, name
        assert module.run.__doc__, name


def test_help_names_every_verb_and_exit_code() -> None:
    printed = bandgap("--help", columns=200).stdout
    assert all(name in printed for name, _, _ in modules_in(verbs))
    assert "0 holds, 1 violated, 2 used wrongly or broken tool, 3 inconclusive" in printed


@pytest.mark.parametrize("arguments", [("nothing-like-it",), ("layout", "--nothing-like-it"), ("layout",)])
def test_a_wrong_command_line_is_exit_2(arguments: tuple[str, ...]) -> None:
    done = bandgap(*arguments, columns=200)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_help_imports_no_slow_room() -> None:
    code = "import sys, bandgap.cli; print(sorted({'torch', 'z3', 'hypothesis', 'numpy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_reader_that_leaves_early_is_not_a_violation() -> None:
    command = f"{sys.executable} -m bandgap layout gpt-oss-20b --json | head -c 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0].removeprefix("{") in {"0", "3"}
    assert done.stderr == ""
