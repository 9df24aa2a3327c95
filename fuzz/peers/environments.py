"""Which allocators of others there are, and the Python that each is driven in."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from bench.peers.environments import ROOT
from bench.peers.environments import SGLANG as SGLANG_PINNED
from bench.peers.environments import VLLM as VLLM_PINNED

PLAIN: Final = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "CUDA_VISIBLE_DEVICES": "",
    "HF_HUB_OFFLINE": "1",
    # SGLang's paged calls are kernels, which a machine without a GPU interprets
    "TRITON_INTERPRET": "1",
    "VLLM_LOGGING_LEVEL": "ERROR",
    "VLLM_NO_USAGE_STATS": "1",
}
"""One thread, no GPU, and nothing is looked up or reported elsewhere."""


class NoEnvironment(Exception):
    """The Python in which a target would be driven is not there.

    Attributes:
        remedy: what to do about it, a clause.
    """

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.remedy = remedy


@dataclass(frozen=True)
class Driven:
    """A driver and the Python it runs in.

    Attributes:
        name: as a person chose it: `sglang`, `vllm==0.33.0`, a driver's file.
        key: the same without a version.
        driver: a module's name, or a Python file.
        python: the interpreter.
        checkout: a directory whose package is driven instead of the one that is installed.
    """

    name: str
    key: str
    driver: str
    python: Path
    checkout: Path | None = None

    def environment(self) -> dict[str, str]:
        """The variables that its process is given."""
        paths = [str(ROOT), *([str(self.checkout)] if self.checkout else [])]
        return {**os.environ, **PLAIN, "PYTHONPATH": os.pathsep.join(paths)}


@dataclass(frozen=True)
class _Known:
    driver: str
    pinned: str


_KNOWN: Final = {
    "sglang": _Known("fuzz.targets.sglang.driver", SGLANG_PINNED.version),
    "vllm": _Known("fuzz.targets.vllm.driver", VLLM_PINNED.version),
}


def known_peers() -> tuple[str, ...]:
    """The peers that have a driver here."""
    return tuple(_KNOWN)


def is_peer(name: str) -> bool:
    """It names an allocator that is driven in a process of its own: a peer, of any version, or a driver's file."""
    return name.split("==")[0] in _KNOWN or name.endswith(".py")


def found(
    name: str,
    *,
    checkout: Path | None = None,
    python: Path | None = None,
    root: Path = ROOT,
    told: Callable[[str], None] = lambda _: None,
) -> Driven:
    """The driver of that name, and its Python; a release that is not the pinned one is fetched if it is not there.

    Args:
        name: `sglang`, `vllm`, either with `==` and a release, or a driver's file.
        checkout: of the peer's sources, driven instead of the release.
        python: the interpreter; for a driver's file only, this one if left out.
        root: where environments lie.
        told: that something takes long.

    Raises:
        NoEnvironment: there is no such environment, and it cannot be made.
    """
    if name.endswith(".py"):
        if not Path(name).is_file():
            raise NoEnvironment("there is no such file", "name a Python file that describes a target")
        return Driven(name, name, str(Path(name).resolve()), python or Path(sys.executable))
    key, _, version = name.partition("==")
    known = _KNOWN[key]
    base = root / f".venv-{key}"
    if not (base / ".ready").exists():
        raise NoEnvironment(f"the environment of {key} is not built", "`make peers` builds it")
    driven = Driven(name, key, known.driver, base / "bin" / "python")
    if checkout is not None:
        return replace(driven, checkout=_package_of(checkout, key))
    if version and version != known.pinned:
        driven = replace(driven, python=_overlay(key, version, base, root, told) / "bin" / "python")
    return driven


def _package_of(checkout: Path, key: str) -> Path:
    for folder in (checkout / "python", checkout):
        if (folder / key / "__init__.py").exists():
            return folder.resolve()
    raise NoEnvironment(f"there is no package {key} in it", f"name a checkout of {key}'s repository")


def _overlay(key: str, version: str, base: Path, root: Path, told: Callable[[str], None]) -> Path:
    """An environment that has this release alone, and everything else from the one that `make peers` built."""
    if not re.fullmatch(r"\d[A-Za-z0-9.+-]{0,40}", version):
        raise NoEnvironment(f"{version!r} is no release", f"name one, as {key}=={_KNOWN[key].pinned}")
    place = root / f".venv-{key}-{version}"
    if (place / ".ready").exists():
        return place
    told(f"fetching {key} {version} into {place.name}, beside {base.name}: a minute, some 200 MB")
    shutil.rmtree(place, ignore_errors=True)
    base_python = str((base / "bin" / "python").resolve())
    _done([base_python, "-m", "venv", str(place)], f"{place.name} cannot be made")
    # whatever it needs comes from beside
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "-qq", "--no-deps", f"{key}=={version}"]
    try:
        _done(pip, f"{key} {version} cannot be fetched")
    except NoEnvironment:
        shutil.rmtree(place)
        raise
    packages = next(place.glob("lib/python*/site-packages"))
    (packages / "beside.pth").write_text(str(next(base.resolve().glob("lib/python*/site-packages"))) + "\n")
    (place / ".ready").touch()
    return place


def _done(command: list[str], problem: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise NoEnvironment(f"{problem}: {' '.join(last)}", "name a release that the package index has")
