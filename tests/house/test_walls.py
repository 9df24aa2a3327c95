"""The rooms import only what they may, and the check of that can fail."""

import ast
import subprocess
import sys

import pytest

from tests.house.walls import MAY_IMPORT, ROOMS, ROOT, breaches, modules_of, name_of, rooms_with_code

# Rooms that must be there, so that an empty or absent one is never taken for one that keeps its walls. A room that is
# built joins them; its walls are held from its first module on.
BUILT = {"spec", "events", "properties", "impl", "replay", "bandgap"}


def test_rooms_that_are_built_are_checked_and_no_room_is_unknown() -> None:
    assert rooms_with_code() >= BUILT
    assert rooms_with_code() <= ROOMS


@pytest.mark.parametrize("room", sorted(rooms_with_code()))
def test_room_keeps_its_walls(room: str) -> None:
    found = [
        breach
        for path in modules_of(room)
        for breach in breaches(name_of(path), path.read_text(), is_package=path.name == "__init__.py")
    ]
    assert not found


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("spec.state", "import msgspec"),
        ("spec.state", "import z3"),
        ("spec.judge.run", "from impl.layout import Kind"),
        ("events.records", "import spec"),
        ("events.records", "def read():\n    import numpy"),
        ("properties.prove", "import hypothesis"),
        ("properties.prove", "from impl import layout"),
        ("properties.prove", "import impl"),
        ("impl.arena", "from spec.actions import free"),
        ("impl.arena", "if TYPE_CHECKING:\n    import spec"),
        ("impl.arena", "import importlib\nimportlib.import_module('spec.judge')"),
        ("impl.arena", "__import__('spec')"),
        ("impl.arena", "import_module(name)"),
        ("impl.arena", "import_module('.spec', package)"),
        ("impl.arithmetic", "import torch"),
        ("impl.arithmetic.place", "import numpy"),
        ("impl.arithmetic.place", "from impl import bands"),
        ("impl.arithmetic.place", "from .. import bands"),
        ("fuzz.targets.own", "import z3"),
        ("fuzz.targets.own", "import triton"),
        ("fuzz.interpreter.guard", "import impl.kernels.moves"),
        ("replay.traffic", "import spec"),
        ("bench.judge", "import fuzz.machine"),
        ("bench.judge", "import vllm"),
        ("bench.peers.vllm_manager", "import impl.allocator"),
        ("gpu_tests.test_move", "import properties"),
    ],
)
def test_a_breach_is_found(module: str, source: str) -> None:
    assert [breach.module for breach in breaches(module, source)] == [module]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("spec.state", "import json, events.records\nfrom spec import words\nfrom . import words"),
        ("properties.prove", "from impl.arithmetic import place\nfrom impl import arithmetic\nimport z3.z3util"),
        ("impl.arena", "import torch.nn\nfrom impl.arithmetic.place import fits\nimport_module('numpy')"),
        ("impl.arithmetic.place", "import math\nfrom .span import Span\nfrom impl.arithmetic import span"),
        ("bandgap.verbs.prove", "import z3, spec, impl, fuzz\nimport_module(name)"),
    ],
)
def test_what_may_be_imported_is_no_breach(module: str, source: str) -> None:
    assert breaches(module, source) == []


def test_a_relative_import_is_resolved_from_its_package() -> None:
    assert breaches("impl.arithmetic", "from . import span", is_package=True) == []
    assert breaches("impl.arithmetic", "from . import bands", is_package=False) != []


def test_every_wall_belongs_to_a_room() -> None:
    assert {name.split(".")[0] for name in MAY_IMPORT} <= ROOMS


def test_impl_init_imports_nothing() -> None:
    tree = ast.parse((ROOT / "impl/__init__.py").read_text())
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom | ast.Call)]


def _import_without(blocked: set[str], *modules: str) -> subprocess.CompletedProcess[str]:
    code = f"import sys; sys.modules.update(dict.fromkeys({sorted(blocked)!r}))\n" + "\n".join(
        f"import {module}" for module in modules
    )
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("blocked", ["z3", "hypothesis"])
def test_impl_is_importable_without_the_checkers(blocked: str) -> None:
    names = [name_of(path) for path in modules_of("impl")]
    done = _import_without({blocked, "crosshair", "spec", "fuzz", "properties"}, *names)
    assert done.returncode == 0, done.stderr
    assert _import_without({blocked}, blocked).returncode != 0


def test_layout_is_importable_without_torch() -> None:
    names = [name_of(path) for path in modules_of("impl") if "layout" in path.parts]
    assert names
    done = _import_without({"torch", "numpy", "triton"}, "impl", *names)
    assert done.returncode == 0, done.stderr
