"""What is installed is what lies in the rooms: no preset, template or marker is left behind."""

import subprocess
import tomllib
from pathlib import PurePath

from tests.house.walls import ROOT, rooms_with_code

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
# A test directory is run from the source and never installed.
INSTALLED = rooms_with_code() - {"gpu_tests"}


def test_every_room_is_packaged() -> None:
    included = PROJECT["tool"]["setuptools"]["packages"]["find"]["include"]
    assert {name for room in INSTALLED for name in (room, f"{room}.*")} <= set(included)


def test_every_tracked_file_that_is_no_module_is_package_data() -> None:
    patterns = PROJECT["tool"]["setuptools"]["package-data"]["*"]
    listed = subprocess.run(["git", "ls-files", *INSTALLED], cwd=ROOT, capture_output=True, text=True, check=True)
    data = [PurePath(name) for name in listed.stdout.splitlines() if not name.endswith(".py")]
    assert PurePath("impl/layout/presets/gpt-oss-20b.json") in data
    missed = [path for path in data if not any(path.match(pattern.removeprefix("**/")) for pattern in patterns)]
    assert not missed


def test_every_package_has_an_init() -> None:
    folders = {path.parent for room in INSTALLED for path in (ROOT / room).rglob("*.py")}
    assert not [folder for folder in folders if not (folder / "__init__.py").exists()]
