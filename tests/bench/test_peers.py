"""Peers answer from environments of their own, and say so when something is wrong."""

import io
import json
import re
import sys
from pathlib import Path

import pytest

from bench.peers.__main__ import serve
from bench.peers.environments import ROOT, SGLANG, VLLM, Peer
from bench.peers.process import PeerFailed, running
from bench.peers.seat import seated


def _environment(root: Path, key: str) -> Path:
    """An environment with this Python, which has no peer."""
    folder = root / f".venv-{key}"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/python").symlink_to(sys.executable)
    return folder


def test_an_environment_counts_once_it_is_ready(tmp_path: Path) -> None:
    assert SGLANG.python(tmp_path) is None
    folder = _environment(tmp_path, "sglang")
    assert SGLANG.python(tmp_path) is None
    (folder / ".ready").touch()
    assert SGLANG.python(tmp_path) == folder / "bin/python"


def test_a_peer_that_is_not_built_is_excused(tmp_path: Path) -> None:
    with seated(VLLM, tmp_path) as seat:
        beside = seat.beside(lambda process: process.ask("decode"))
    assert beside.measure is None
    assert beside.missing == "vLLM 0.33.0 was not measured: `make peers` builds its environment."


def test_a_broken_environment_is_no_absent_one(tmp_path: Path) -> None:
    (_environment(tmp_path, "nobody") / ".ready").touch()
    with (
        pytest.raises(PeerFailed, match="Nobody 1 ended with exit code 1 "),
        running(Peer("nobody", "Nobody", "1"), tmp_path),
    ):
        pass


def test_requests_are_answered_in_order_and_failures_are_told() -> None:
    asked = [
        {"case": "half", "parameters": {"of": 3}},
        {"case": "half", "parameters": {"of": "three"}},
        {"case": "half", "parameters": {"of": 4}},
    ]
    replies = io.StringIO()
    serve({"half": lambda of: of / 2}, [json.dumps(request) for request in asked], replies)
    first, second, third = map(json.loads, replies.getvalue().splitlines())
    assert (first, third) == ({"answer": 1.5}, {"answer": 2.0})
    assert "TypeError" in second["error"]


@pytest.mark.parametrize("peer", [SGLANG, VLLM], ids=str)
def test_the_release_that_is_named_is_the_one_that_is_pinned(peer: Peer) -> None:
    pins = (ROOT / f"constraints-peers-{peer.key}.txt").read_text()
    assert re.search(rf"^{peer.key}=={re.escape(peer.version)}$", pins, re.MULTILINE)


@pytest.mark.parametrize("peer", [SGLANG, VLLM], ids=str)
def test_no_pin_brings_cuda(peer: Peer) -> None:
    pins = (ROOT / f"constraints-peers-{peer.key}.txt").read_text().splitlines()
    names = [pin.partition("==")[0].lower() for pin in pins if not pin.startswith("#")]
    assert names
    assert not [
        name
        for name in names
        if re.match(r"torchvision|torchaudio|nvidia|cuda|flashinfer|sgl", name) and name != peer.key
    ]
