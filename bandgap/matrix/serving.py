"""Faults of the integrations that serve: each is declared beside the test that shows it, and tried by that test."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from xml.etree import ElementTree

import bandgap
from bandgap.matrix.row import Baseline, Row, Seeded, Settings, Source

ROOT: Final = Path(bandgap.__file__).parents[1]
FOLDER: Final = "tests/serving"
DECLARED: Final = frozenset({"fault", "shows"})
"""The decorators of a fault; their last two arguments are the check that must catch it, and the precedent."""

UNMODIFIED: Final = "nothing_shows"
"""Part of the names of the tests that plant no fault."""

SECONDS: Final = 600
"""What all faults of a file may take together."""


def _files() -> list[Path]:
    return sorted((ROOT / FOLDER).glob("test_*faults.py"))


@cache
def _faults_of(path: Path) -> tuple[Seeded, ...]:
    """What a file declares, without importing it: it may need what is not installed."""
    about = path.stem.removeprefix("test_").removesuffix("faults").strip("_") or "engine"
    found = []
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            for call in node.decorator_list:
                if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in DECLARED:
                    check, precedent = (ast.literal_eval(argument) for argument in call.args[-2:])
                    says = " ".join((ast.get_docstring(node) or "").split())
                    name = f"{about}/{node.name.strip('_').replace('_', '-')}"
                    found.append(Seeded(name, f"serving {about}", precedent, check, says))
    return tuple(found)


def _faults() -> Sequence[Seeded]:
    return [fault for path in _files() for fault in _faults_of(path)]


def _tried(names: Sequence[str], _settings: Settings) -> Iterator[Baseline | Row]:
    for path in _files():
        faults = [fault for fault in _faults_of(path) if fault.name in names]
        if faults:
            yield from _tried_in(path, faults)


def _tried_in(path: Path, faults: Sequence[Seeded]) -> Iterator[Baseline | Row]:
    """The tests of what has no fault come first; a fault that is not seen is a test that fails."""
    if find_spec("pytest") is None:
        why = "pytest is not installed; `make venv` installs it"
        yield from (Row(fault, "not run", problem=why) for fault in faults)
        return
    about = faults[0].name.split("/")[0]
    found = _run(path, UNMODIFIED)
    passed = [case for case in found.values() if case.problem is None]
    broken = next((case.problem for case in found.values() if case.problem is not None), None)
    if not found:
        broken = "none of its tests is there"
    yield Baseline(
        f"serving {about}",
        f"{len(passed)} of {len(found)} tests",
        0,
        "agreement" if broken else None,
        broken,
    )
    if broken:
        return
    cases = _run(path, " or ".join(_id(fault) for fault in faults))
    for fault in faults:
        case = cases.get(_id(fault))
        if case is None:
            yield Row(fault, "invalid", problem="no test tries it")
        elif case.problem is None:
            yield Row(fault, "caught", fault.property, None, round(case.seconds, 3))
        else:
            yield Row(fault, "survived", None, None, round(case.seconds, 3), problem=case.problem)


class _Case:
    """What came of a test."""

    def __init__(self, element: ElementTree.Element) -> None:
        self.seconds = float(element.get("time", "0"))
        bad = [each for tag in ("failure", "error", "skipped") for each in element.findall(tag)]
        self.problem = None if not bad else bad[0].get("message", "it failed").splitlines()[0]


def _run(path: Path, which: str) -> dict[str, _Case]:
    """The tests of a file that are called so, by what is between brackets in their names, or by their names."""
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", "-k", which]
        # tiny models are computed faster by one thread than by several
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        subprocess.run(
            [*command, str(path)], cwd=ROOT, env=environment, capture_output=True, check=False, timeout=SECONDS
        )
        if not report.exists():
            return {}
        cases = ElementTree.parse(report).getroot().iter("testcase")
        return {_between_brackets(case.get("name", "")): _Case(case) for case in cases}


def _between_brackets(name: str) -> str:
    return name.partition("[")[2].removesuffix("]") if UNMODIFIED not in name else name


def _id(fault: Seeded) -> str:
    return fault.name.split("/")[1].replace("-", "_")


SERVING = Source(_faults, _tried)
