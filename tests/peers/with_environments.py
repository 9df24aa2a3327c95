"""The real SGLang and vLLM in the environments that `make peers` builds, for `make test-peers`, not `make test`.

A missing environment is a failure here, not an excuse.
"""

import json
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pytest

from bandgap.peers.gate import judge_peer
from bandgap.peers.known import read_known
from bandgap.verbs.reproduce import run as reproduce
from fuzz.peers.environments import found
from fuzz.peers.hunting import catch, hunt
from fuzz.peers.lives import lived
from fuzz.peers.process import Life, PeerProcess, running
from fuzz.peers.reproduction import decoded, saved
from tests.peers.sample import ROOT

SECONDS = 60.0
"""After which a fault has survived."""

HUNTED = 40.0
"""Seconds for what is really there."""

FINDINGS = ROOT / "docs/findings"
PEERS = ("sglang", "vllm")
FAULTS = {"sglang": 17, "vllm": 9}
"""As many as `docs/comparison.md` says."""

SNIPPETS = {"sglang-0.5.19": 4, "vllm-0.33.0-external-hit": 1}
"""Pieces of Python on each page of a finding; before the first of several stands what all of them need."""


@dataclass(frozen=True)
class Change:
    """A line of a peer that is altered by hand, what breaks then, and how the setups that show it are named."""

    peer: str
    module: str
    old: str
    new: str
    breaks: str
    setups: str


CHANGES = (
    Change(
        "sglang",
        "srt/mem_cache/allocator/unified_sub_pool.py",
        "            if gate is not None and not gate():\n                return True",
        "            if gate is not None and not gate():\n                return False",
        "gate-holds",
        "three-4-lazy",
    ),
    Change(
        "vllm",
        "v1/core/single_type_kv_cache_manager.py",
        "num_computed_tokens - self.sliding_window + 1 - self.extra_retained_tokens",
        "num_computed_tokens - self.sliding_window + 17 - self.extra_retained_tokens",
        "window-retained",
        "full-window-cached",
    ),
)


@pytest.fixture(scope="module", params=PEERS)
def peer(request: pytest.FixtureRequest) -> Iterator[tuple[str, PeerProcess]]:
    """Its name, and its process."""
    with running(found(request.param)) as process:
        yield request.param, process


# each is caught in seconds, but they are many
@pytest.mark.timeout(600)
def test_every_fault_is_caught_by_the_property_that_it_names(peer: tuple[str, PeerProcess], tmp_path: Path) -> None:
    name, process = peer
    faults = process.description.faults
    assert len(faults) == FAULTS[name]
    for fault, text in faults.items():
        finding = catch(process, fault, 1, seconds=SECONDS)
        assert finding is not None, fault
        assert finding.property == text.property, fault
        assert finding.repeats
        assert len(finding.script) <= 20, fault
        saved(finding, name, process.description.version, tmp_path)
    assert len(list(tmp_path.iterdir())) == len(faults)
    assert reproduce(sorted(tmp_path.iterdir())[0]) == 1


def test_what_is_there_is_what_is_known(peer: tuple[str, PeerProcess], tmp_path: Path) -> None:
    name, process = peer
    result = judge_peer(
        process,
        name,
        seconds=HUNTED,
        seed=1,
        folder=tmp_path,
        known=read_known(FINDINGS / "known.toml", date(2026, 12, 1)),
    )
    assert result.reasons == ()
    assert result.hunt.calls > 3_000
    assert result.missing == ()
    assert [each.finding.property for each in result.found] == (["admission-sound"] if name == "vllm" else [])


def test_the_same_seed_does_the_same(peer: tuple[str, PeerProcess]) -> None:
    _, process = peer
    for setup in process.description.setups:
        life = Life(setup, seed="7/7", calls=60)
        once, again = lived(process, life), lived(process, life)
        assert once.script == again.script
        assert (once.outcomes, once.actions) == (again.outcomes, again.actions)


@pytest.mark.parametrize("path", sorted(FINDINGS.glob("*.json")), ids=lambda path: path.stem)
def test_a_finding_of_the_documents_still_breaks_the_release_in_which_it_was_found(path: Path) -> None:
    reproduction = decoded(path.read_bytes())
    assert len(reproduction.script) <= 8
    assert json.loads(path.read_text())["fault"] is None
    assert reproduce(path) == 1


def snippets(page: str) -> list[str]:
    """The pieces of Python on a page, each whole."""
    beginning, *rest = [code.split("```")[0] for code in (FINDINGS / f"{page}.md").read_text().split("```python\n")[1:]]
    return [beginning + each for each in rest] or [beginning]


@pytest.mark.parametrize(
    ("page", "number"), [(page, number) for page, count in SNIPPETS.items() for number in range(count)]
)
def test_a_finding_shows_in_the_peers_environment_alone(page: str, number: int, tmp_path: Path) -> None:
    codes = snippets(page)
    assert len(codes) == SNIPPETS[page]
    peer, release = page.split("-")[:2]
    # isolated: nothing of this project can be imported
    command = [str(found(f"{peer}=={release}").python), "-I", "-W", "ignore", "-c", codes[number]]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def checkout(peer: str, folder: Path) -> Path:
    """The sources of the release that is installed, laid out as its repository has them: nothing that was compiled."""
    package = next((ROOT / f".venv-{peer}").glob(f"lib/python*/site-packages/{peer}"))
    place = folder / "python" / peer if peer == "sglang" else folder / peer
    shutil.copytree(package, place, ignore=shutil.ignore_patterns("*.so", "__pycache__", "_version.py"))
    return place


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.peer)
def test_a_line_that_is_changed_in_a_checkout_is_found_there_and_not_in_the_release(
    change: Change, tmp_path: Path
) -> None:
    package = checkout(change.peer, tmp_path / "checkout")
    module = package / change.module
    text = module.read_text()
    assert text.count(change.old) == 1
    module.write_text(text.replace(change.old, change.new))
    with running(found(change.peer, checkout=tmp_path / "checkout")) as process:
        assert process.description.source == str(package)
        setups = [setup for setup in process.description.setups if setup.startswith(change.setups)]
        run = hunt(process, setups, 1, seconds=SECONDS, most_findings=1)
    (finding,) = run.findings.values()
    assert finding.property == change.breaks
    assert finding.repeats
    path = saved(finding, change.peer, process.description.version, tmp_path)
    assert reproduce(path) == 0


def test_a_run_of_this_file_makes_all_of_its_tests(request: pytest.FixtureRequest) -> None:
    some = request.config.getoption("keyword") or any("::" in each for each in request.config.args)
    tests = [item for item in request.session.items if item.path == Path(__file__)]
    files = len(list(FINDINGS.glob("*.json")))
    assert some or len(tests) == 3 * len(PEERS) + files + sum(SNIPPETS.values()) + len(CHANGES) + 1
    assert files == 5
