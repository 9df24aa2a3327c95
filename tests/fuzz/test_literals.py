"""What the state machine tries follows from its seed, whatever modules are loaded."""

import sys
from pathlib import Path
from types import ModuleType

import hypothesis
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.literals import no_literals

LITERAL = b"0123456789"


def _drawn() -> list[bytes]:
    seen: list[bytes] = []

    @hypothesis.seed(7)
    @settings(max_examples=200, database=None, deadline=None)
    @given(st.binary(min_size=10, max_size=10))
    def draws(value: bytes) -> None:
        seen.append(value)

    draws()
    return seen


def test_a_literal_of_another_module_is_never_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with no_literals():
        before = _drawn()
    module = ModuleType("of_the_project")
    module.__file__ = str(tmp_path / "of_the_project.py")
    Path(module.__file__).write_text(f"OPERATION = {LITERAL!r}\n")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert LITERAL in _drawn(), "Hypothesis tries literals no more: fuzz.literals can go"
    with no_literals():
        assert _drawn() == before
