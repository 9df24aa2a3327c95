"""The real SGLang and vLLM in the environments that `make peers` builds, for `make test-peers`, not `make test`.

A missing environment is a failure here, not an excuse.
"""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from bandgap.peers.gate import judge_peer
from bandgap.peers.known import read_known
from bandgap.verbs.reproduce import run as reproduce
from fuzz.peers.environments import found
from fuzz.peers.hunting import catch
from fuzz.peers.lives import lived
from fuzz.peers.process import Life, PeerProcess, running
from fuzz.peers.reproduction import decoded, saved
from tests.peers.sample import ROOT

SECONDS = 60.0
"""After which a fault has survived."""

FINDINGS = ROOT / "docs/findings"
PEERS = ("sglang", "vllm")
LEAST_FAULTS = {"sglang": 8, "vllm": 5}


@pytest.fixture(scope="module", params=PEERS)
def peer(request: pytest.FixtureRequest) -> Iterator[tuple[str, PeerProcess]]:
    """Its name, and its process."""
    with running(found(request.param)) as process:
        yield request.param, process


def test_every_fault_is_caught_by_the_property_that_it_names(peer: tuple[str, PeerProcess], tmp_path: Path) -> None:
    name, process = peer
    faults = process.description.faults
    assert len(faults) >= LEAST_FAULTS[name]
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
        seconds=SECONDS,
        seed=1,
        folder=tmp_path,
        known=read_known(FINDINGS / "known.toml", date(2026, 12, 1)),
    )
    assert result.reasons == ()
    assert result.hunt.calls > 5_000
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
