"""Which allocators of others there are, and the Python that each is driven in."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
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


_RELEASES: Final = """
from importlib.metadata import distributions
print(*sorted({f"{each.name}=={each.version}" for each in distributions()}), sep="\\n")
"""

_PATIENCE: Final = 60.0
"""Seconds in which an interpreter must say what is installed in it."""


class NoEnvironment(Exception):
    """The Python in which a target would be driven is not there.

    Attributes:
        option: the one that asked for what is not there.
        value: what it said.
        remedy: what to do about it, a clause.
    """

    def __init__(self, option: str, value: object, problem: str, remedy: str) -> None:
        super().__init__(problem)
        self.option, self.value, self.remedy = option, str(value), remedy


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

    def releases(self) -> bytes:
        """What is installed where it is driven: a line for each release; nothing where the interpreter cannot say.

        Raises:
            NoEnvironment: the interpreter does not answer.
        """
        asked = [str(self.python), "-c", _RELEASES]
        try:
            return subprocess.run(
                asked, env=self.environment(), capture_output=True, check=False, timeout=_PATIENCE
            ).stdout
        except (OSError, subprocess.TimeoutExpired) as error:
            problem = f"does not say what is installed in it: {error}"
            raise NoEnvironment("--python", self.python, problem, "name an interpreter, as DIR/bin/python") from error


@dataclass(frozen=True)
class _Known:
    driver: str
    pinned: str
    gigabytes: float
    """Of the environment that `make peers` builds."""
    another: str
    """What another release takes beside it."""


_KNOWN: Final = {
    "sglang": _Known("fuzz.targets.sglang.driver", SGLANG_PINNED.version, 2.2, "190 MB"),
    "vllm": _Known("fuzz.targets.vllm.driver", VLLM_PINNED.version, 3.1, "900 MB"),
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
        python: the interpreter; the environment's, or for a driver's file this one, if left out.
        root: where environments lie.
        told: that something takes long.

    Raises:
        NoEnvironment: there is no such environment, and it cannot be made.
    """
    own = None if python is None else _interpreter(python)
    if name.endswith(".py"):
        if checkout is not None:
            raise NoEnvironment("--path", checkout, "is for sglang and vllm", "a driver imports what it drives")
        if not Path(name).is_file():
            raise NoEnvironment("--target", name, "there is no such file", "name a Python file that describes a target")
        return Driven(name, name, str(Path(name).resolve()), own or Path(sys.executable))
    key, _, version = name.partition("==")
    known = _KNOWN[key]
    if version and (checkout or own):
        option, value = ("--path", checkout) if checkout else ("--python", own)
        raise NoEnvironment(option, value, "says already what is driven", f"name {key} without a release")
    package = None if checkout is None else package_of(checkout, key)
    if own is not None:
        return Driven(name, key, known.driver, own, package)
    base = root / f".venv-{key}"
    if not (base / ".ready").exists():
        size = f"minutes, {known.gigabytes} GB for {key}"
        problem, remedy = f"the environment of {key} is not built", f"`make peers` builds it ({size}), or give --python"
        raise NoEnvironment("--target", name, problem, remedy)
    if version and version != known.pinned:
        return Driven(name, key, known.driver, _overlay(key, version, base, root, told) / "bin" / "python")
    return Driven(name, key, known.driver, base / "bin" / "python", package)


def _interpreter(python: Path) -> Path:
    """Where it is, absolute, and by the name it was called by, which is how it finds its packages."""
    where = shutil.which(str(python))
    if where is None:
        raise NoEnvironment(
            "--python", python, "is no program that can be run", "name an interpreter, as DIR/bin/python"
        )
    return Path(where).absolute()


def package_of(checkout: Path, key: str) -> Path:
    """The folder in a checkout that has a peer's package, for a driver to import it from.

    Raises:
        NoEnvironment: there is none.
    """
    for folder in (checkout / "python", checkout):
        if (folder / key / "__init__.py").exists():
            return folder.resolve()
    raise NoEnvironment(
        "--path", checkout, f"there is no package {key} in it", f"name a checkout of {key}'s repository"
    )


def _overlay(key: str, version: str, base: Path, root: Path, told: Callable[[str], None]) -> Path:
    """An environment that has this release alone, and everything else from the one that `make peers` built."""
    if not re.fullmatch(r"\d[A-Za-z0-9.+-]{0,40}", version):
        raise NoEnvironment(
            "--target", f"{key}=={version}", "is no release", f"name one, as {key}=={_KNOWN[key].pinned}"
        )
    place = root / f".venv-{key}-{version}"
    if (place / ".ready").exists():
        return place
    told(f"fetching {key} {version} into {place.name}, beside {base.name}: a minute, {_KNOWN[key].another}")
    shutil.rmtree(place, ignore_errors=True)
    base_python = str((base / "bin" / "python").resolve())
    # whatever it needs comes from beside
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "-qq", "--no-deps", f"{key}=={version}"]
    for command in ([base_python, "-m", "venv", str(place)], pip):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            shutil.rmtree(place, ignore_errors=True)
            last = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
            problem, remedy = f"cannot be fetched: {' '.join(last)}", "name a release that the package index has"
            raise NoEnvironment("--target", f"{key}=={version}", problem, remedy)
    packages = next(place.glob("lib/python*/site-packages"))
    (packages / "beside.pth").write_text(str(next(base.resolve().glob("lib/python*/site-packages"))) + "\n")
    (place / ".ready").touch()
    return place
